"""What a card says of a synthetic data set: generator, number of rows, seed and options."""

from typing import Annotated, Literal

from pydantic import Field

from ensvm.data.errors import Strict
from ensvm.data.generators.draws import (
    FOURNORM_A,
    FOURNORM_DIMENSIONS,
    Drawn,
    circle,
    fournorm,
    squares,
    waveform,
)


class Waveform(Strict):
    """Breiman's waveforms, which have no options."""

    name: Literal["waveform"]
    rows: int = Field(ge=1)
    seed: int = Field(ge=0)

    @property
    def features(self) -> int:
        """Return the number of inputs."""
        return 21

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        return waveform(self.rows, self.seed)


class CircleOptions(Strict):
    """The probability that a label is flipped, and the number of inputs that tell nothing."""

    noise: float = Field(default=0.0, ge=0, le=1)
    redundant: int = Field(default=0, ge=0)


class Circle(Strict):
    """Normal inputs, the classes parted by a circle."""

    name: Literal["circle"]
    rows: int = Field(ge=1)
    seed: int = Field(ge=0)
    options: CircleOptions = CircleOptions()

    @property
    def features(self) -> int:
        """Return the number of inputs."""
        return 2 + self.options.redundant

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        return circle(self.rows, self.seed, self.options.noise, self.options.redundant)


class FournormOptions(Strict):
    """The size of each coordinate of the four means."""

    a: float = Field(default=FOURNORM_A, ge=0, allow_inf_nan=False)


class Fournorm(Strict):
    """Two normal distributions for each class."""

    name: Literal["fournorm"]
    rows: int = Field(ge=1)
    seed: int = Field(ge=0)
    options: FournormOptions = FournormOptions()

    @property
    def features(self) -> int:
        """Return the number of inputs."""
        return FOURNORM_DIMENSIONS

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        return fournorm(self.rows, self.seed, self.options.a)


class SquaresOptions(Strict):
    """The distance between the centres, along the first input."""

    shift: float = Field(default=0.8, ge=0, allow_inf_nan=False)


class Squares(Strict):
    """A uniform unit square for each class."""

    name: Literal["squares"]
    rows: int = Field(ge=1)
    seed: int = Field(ge=0)
    options: SquaresOptions = SquaresOptions()

    @property
    def features(self) -> int:
        """Return the number of inputs."""
        return 2

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        return squares(self.rows, self.seed, self.options.shift)


Generator = Annotated[Waveform | Circle | Fournorm | Squares, Field(discriminator="name")]
