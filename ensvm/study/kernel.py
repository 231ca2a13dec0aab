"""The kernel that the algorithms of a study share."""

from typing import Any, Literal

from ensvm.study.block import Block


class KernelConfig(Block):
    """The kernel all algorithms of a study share unless their own `params` say otherwise.

    `dtype` is the precision of shared Gram matrices; float32 halves their memory.
    """

    kernel: Literal["linear", "poly", "rbf"] = "rbf"
    gamma: float | Literal["scale", "auto", "mean-distance"] | None = None
    degree: int | None = None
    coef0: float | None = None
    dtype: Literal["float64", "float32"] = "float64"

    def params(self) -> dict[str, Any]:
        """Return the given words as estimator parameters."""
        return self.model_dump(exclude_none=True, exclude={"dtype"})
