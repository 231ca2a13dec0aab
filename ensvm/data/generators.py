"""Synthetic data sets, drawn from a fixed seed so that everyone gets the same rows.

Only `random` of PCG64 is used: the streams of numpy's other distributions may change between its
versions. Inputs that depend on a logarithm or cosine are rounded, which makes them independent of
the last bit of a machine's own.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ensvm import hints
from ensvm.yaml_block import Strict

Drawn = tuple[NDArray[np.float64], NDArray[np.int_]]

# centres of the three triangles, height 6, on the 21 positions 1..21
_PEAKS = np.array([7, 11, 15])
_PAIRS = np.array([[0, 2], [0, 1], [1, 2]])  # the two triangles that class 0, 1, 2 mixes

FOURNORM_DIMENSIONS = 20
# class means at distance 2 from the origin: Bayes error 14.5 %
FOURNORM_A = 2 / math.sqrt(FOURNORM_DIMENSIONS)

_DECIMALS = 6  # far finer than any kernel's width, far coarser than the last bit


def _stream(seed: int, number: int) -> Callable[..., NDArray[np.float64]]:
    """Return a source of uniform numbers, independent of the sources with another `number`."""
    return np.random.Generator(np.random.PCG64([seed, number])).random


def _normal(
    draw: Callable[..., NDArray[np.float64]], shape: tuple[int, int]
) -> NDArray[np.float64]:
    radius = np.sqrt(-2 * np.log1p(-draw(shape)))  # Box and Muller's normal deviates
    return radius * np.cos(2 * np.pi * draw(shape))


def _signs(draw: Callable[..., NDArray[np.float64]], rows: int) -> NDArray[np.int_]:
    return np.where(draw(rows) < 0.5, -1, 1)


class GeneratedRows(Strict):
    """What every generator needs; the other fields of a generator are its options.

    Attributes
    ----------
    name : str
        The name of the generator.
    rows : int
        How many rows are drawn.
    seed : int
        The seed of the rows.
    """

    hints: ClassVar = hints.GENERATOR

    name: str
    rows: int = Field(ge=1)
    seed: int = Field(ge=0)

    @abstractmethod
    def draw(self) -> Drawn:
        """Return the inputs, of shape (rows, inputs), and the classes."""

    @property
    def options(self) -> dict[str, float]:
        """The options with their values."""
        return self.model_dump(exclude={"name", "rows", "seed"})

    def identity(self) -> dict[str, Any]:
        """Return what seeds of algorithms are hashed from; its form must not change."""
        options = {"options": self.options} if self.options else {}
        return {"name": self.name, "rows": self.rows, "seed": self.seed, **options}

    @property
    def features(self) -> int:
        """Return the number of inputs."""
        X, _ = self.model_copy(update={"rows": 1}).draw()
        return X.shape[1]


class Waveform(GeneratedRows):
    """Breiman's noisy waveforms of the classes 0, 1 and 2, in equal shares on average.

    A row is u h + (1-u) h' + noise: h, h' the two triangles of its class, u uniform in [0, 1],
    noise of variance 1. Its 21 inputs are rounded to two decimals like the UCI file.

    References
    ----------
    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984, section 2.6.2.
    """

    name: Literal["waveform"] = "waveform"

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        draw = np.random.Generator(np.random.PCG64(self.seed)).random
        classes = (3 * draw(self.rows)).astype(int)
        u = draw((self.rows, 1))
        noise = _normal(draw, (self.rows, 21))
        triangles = np.maximum(6 - np.abs(np.arange(1, 22) - _PEAKS[:, None]), 0)
        first, second = triangles[_PAIRS[classes, 0]], triangles[_PAIRS[classes, 1]]
        return np.round(u * first + (1 - u) * second + noise, 2), classes


class Circle(GeneratedRows):
    """Normal inputs, the classes -1 and 1 separated by a circle.

    A row is of class 1 if its first two inputs lie within the circle of radius sqrt(2 ln 2), which
    holds for half of the rows; then its class is flipped with probability `noise`. The same seed
    gives the same first two inputs whatever the options; fewer redundant inputs are the first of
    more; a label that is flipped at some noise is flipped at any larger noise.

    Attributes
    ----------
    noise : float
        The probability that a label is flipped.
    redundant : int
        The number of further inputs that say nothing about the class.

    References
    ----------
    Singer, Leveraged vector machines, NIPS 1999, section 4.
    """

    name: Literal["circle"] = "circle"
    noise: float = Field(default=0.0, ge=0, le=1)
    redundant: int = Field(default=0, ge=0)

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        U = np.round(_normal(_stream(self.seed, 0), (self.rows, 2)), _DECIMALS)
        draw = _stream(self.seed, 1)
        further = [
            np.round(_normal(draw, (self.rows, 1)), _DECIMALS) for _ in range(self.redundant)
        ]
        inside = (U**2).sum(axis=1) <= 2 * math.log(2)
        flipped = _stream(self.seed, 2)(self.rows) < self.noise
        return np.hstack([U, *further]), np.where(inside != flipped, 1, -1)


class Fournorm(GeneratedRows):
    """20 inputs from four normal distributions, two for each of the classes -1 and 1.

    Each distribution has the identity as covariance. The means are m (a, a, ..., a) for class 1 and
    m (a, -a, a, ..., -a) for class -1, m being -1 or 1 with equal probability; the paper prints
    a = 2 / sqrt(2). The same seed gives the same classes and deviations from the means whatever
    `a`.

    Attributes
    ----------
    a : float
        The size of each coordinate of the means.

    References
    ----------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, section 4.1.
    """

    name: Literal["fournorm"] = "fournorm"
    a: float = Field(default=FOURNORM_A, ge=0, allow_inf_nan=False)

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        draw = _stream(self.seed, 0)
        classes, sides = _signs(draw, self.rows), _signs(draw, self.rows)
        alternating = np.where(np.arange(FOURNORM_DIMENSIONS) % 2 == 0, 1, -1)
        directions = np.where(classes[:, None] == 1, 1, alternating) * sides[:, None]
        noise = _normal(_stream(self.seed, 1), (self.rows, FOURNORM_DIMENSIONS))
        return np.round(self.a * directions + noise, _DECIMALS), classes


class Squares(GeneratedRows):
    """Inputs that are uniform in one unit square for each of the classes -1 and 1.

    The square of class -1 is centred at (0, 0), that of class 1 at (shift, 0); where they overlap
    no rule tells the classes apart, so the Bayes error is half of the overlap's area, 10 % at a
    shift of 0.8.

    Attributes
    ----------
    shift : float
        The distance between the centres of the squares, along the first input.

    References
    ----------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, section 4.2.
    """

    name: Literal["squares"] = "squares"
    shift: float = Field(default=0.8, ge=0, allow_inf_nan=False)

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        classes = _signs(_stream(self.seed, 0), self.rows)
        X = _stream(self.seed, 1)((self.rows, 2)) - 0.5
        X[:, 0] += np.where(classes == 1, self.shift, 0.0)
        return X, classes


Generator = Annotated[Waveform | Circle | Fournorm | Squares, Field(discriminator="name")]
