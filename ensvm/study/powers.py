"""Lists of powers: `{powers: {of: 2, from: -5, to: 15, step: 2}}` in place of a list of numbers."""

from typing import Any

from pydantic import ConfigDict, Field, ValidationError, model_validator

from ensvm.study.block import ConfigBlock, refusal
from ensvm.study.source import Location, YamlSource

MOST_POWERS = 1000


class PowersConfig(ConfigBlock):
    """The powers of a number: of 2 from -5 to 15 in steps of 2 are 2**-5, 2**-3, ..., 2**15.

    Attributes
    ----------
    of : float
        The number, above 0.
    first : int
        The first exponent; the key is `from`.
    to : int
        The last exponent, at least the first.
    step : int
        The difference of two exponents that follow each other.
    """

    model_config = ConfigDict(populate_by_name=True)

    of: float = Field(gt=0)
    first: int = Field(alias="from")
    to: int
    step: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> "PowersConfig":
        if not 0 <= self.to - self.first < MOST_POWERS * self.step:
            raise ValueError(
                f"`from: {self.first}` and `to: {self.to}` give no power, or more than "
                f"{MOST_POWERS}"
            )
        return self

    @property
    def values(self) -> list[float] | list[int]:
        """The powers: whole numbers if the number is whole and no exponent is below 0."""
        exponents = range(self.first, self.to + 1, self.step)
        if self.of.is_integer() and self.first >= 0:
            return [int(self.of) ** exponent for exponent in exponents]
        values = [self.of**exponent for exponent in exponents]
        if not all(values):
            raise OverflowError("a power is too small for a float")
        return values


def with_powers(source: YamlSource, value: Any, location: Location = ()) -> Any:
    """Return a copy of a value of a config, with lists of numbers in place of `powers:`.

    Raises UserError for powers that cannot be computed.
    """
    if isinstance(value, list):
        return [with_powers(source, each, (*location, at)) for at, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if set(value) == {"powers"}:
        try:
            return PowersConfig.model_validate(value["powers"]).values
        except ValidationError as error:
            wrong, message = refusal(error)
            raise source.error((*location, "powers", *wrong), message) from error
        except OverflowError as error:
            message = f"a power of {value['powers']} is too large or too small"
            raise source.error((*location, "powers"), message) from error
    return {key: with_powers(source, each, (*location, key)) for key, each in value.items()}
