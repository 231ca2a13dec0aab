"""Synthetic data sets, drawn from a fixed seed so that everyone gets the same rows.

Only `random` of PCG64 is used: the streams of numpy's other distributions may change between its
versions. Inputs that depend on a logarithm or cosine are rounded, which makes them independent of
the last bit of a machine's own. Each function returns X of shape (rows, inputs) and the classes.
"""

import math
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ensvm.errors import Strict

Drawn = tuple[NDArray[np.float64], NDArray[np.int_]]

# centres of the three triangles, height 6, on the 21 positions 1..21
_PEAKS = np.array([7, 11, 15])
_PAIRS = np.array([[0, 2], [0, 1], [1, 2]])  # the two triangles that class 0, 1, 2 mixes

FOURNORM_DIMENSIONS = 20
# class means at distance 2 from the origin: Bayes error 14.5 %
FOURNORM_A = 2 / math.sqrt(FOURNORM_DIMENSIONS)

_DECIMALS = 6  # far finer than any kernel's width, far coarser than the last bit


def waveform(rows: int, seed: int) -> Drawn:
    """Return noisy waveforms and their classes 0, 1 and 2, in equal shares on average.

    A row is u h + (1-u) h' + noise: h, h' the two triangles of its class, u uniform in [0, 1],
    noise of variance 1. Its 21 inputs are rounded to two decimals like the UCI file.

    References
    ----------
    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984, section 2.6.2.
    """
    draw = np.random.Generator(np.random.PCG64(seed)).random
    classes = (3 * draw(rows)).astype(int)
    u = draw((rows, 1))
    noise = _normal(draw, (rows, 21))
    triangles = np.maximum(6 - np.abs(np.arange(1, 22) - _PEAKS[:, None]), 0)
    first, second = triangles[_PAIRS[classes, 0]], triangles[_PAIRS[classes, 1]]
    X = np.round(u * first + (1 - u) * second + noise, 2)
    return X, classes


def circle(rows: int, seed: int, noise: float = 0.0, redundant: int = 0) -> Drawn:
    """Return standard normal inputs and classes -1 and 1 separated by a circle.

    A row is of class 1 if its first two inputs lie within the circle of radius sqrt(2 ln 2), which
    holds for half of the rows; then its class is flipped with probability `noise`. `redundant`
    further inputs say nothing about the class. The same seed gives the same first two inputs
    whatever the options; fewer redundant inputs are the first of more; a label that is flipped at
    some noise is flipped at any larger noise.

    References
    ----------
    Singer, Leveraged vector machines, NIPS 1999, section 4.
    """
    U = np.round(_normal(_stream(seed, 0), (rows, 2)), _DECIMALS)
    draw = _stream(seed, 1)
    further = [np.round(_normal(draw, (rows, 1)), _DECIMALS) for _ in range(redundant)]
    inside = (U**2).sum(axis=1) <= 2 * math.log(2)
    flipped = _stream(seed, 2)(rows) < noise
    return np.hstack([U, *further]), np.where(inside != flipped, 1, -1)


def fournorm(rows: int, seed: int, a: float = FOURNORM_A) -> Drawn:
    """Return 20 inputs from four normal distributions, two for each of the classes -1 and 1.

    Each distribution has the identity as covariance. The means are m (a, a, ..., a) for class 1 and
    m (a, -a, a, ..., -a) for class -1, m being -1 or 1 with equal probability; `a` is 2 / sqrt(20)
    by default, and the paper prints 2 / sqrt(2). The same seed gives the same classes and
    deviations from the means whatever `a`.

    References
    ----------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, section 4.1.
    """
    draw = _stream(seed, 0)
    classes, sides = _signs(draw, rows), _signs(draw, rows)
    alternating = np.where(np.arange(FOURNORM_DIMENSIONS) % 2 == 0, 1, -1)
    directions = np.where(classes[:, None] == 1, 1, alternating) * sides[:, None]
    noise = _normal(_stream(seed, 1), (rows, FOURNORM_DIMENSIONS))
    return np.round(a * directions + noise, _DECIMALS), classes


def squares(rows: int, seed: int, shift: float = 0.8) -> Drawn:
    """Return inputs that are uniform in one unit square for each of the classes -1 and 1.

    The square of class -1 is centred at (0, 0), that of class 1 at (shift, 0); where they overlap
    no rule tells the classes apart, so the Bayes error is half of the overlap's area, 10 % at a
    shift of 0.8.

    References
    ----------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, section 4.2.
    """
    classes = _signs(_stream(seed, 0), rows)
    X = _stream(seed, 1)((rows, 2)) - 0.5
    X[:, 0] += np.where(classes == 1, shift, 0.0)
    return X, classes


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
    """What every generator needs, in the order that seeds of algorithms are hashed in.

    Attributes
    ----------
    name : str
        The name of the generator.
    rows : int
        How many rows are drawn.
    seed : int
        The seed of the rows.
    options : dict
        The options of the generator, other than its rows and seed.
    """

    function: ClassVar[Callable[..., Drawn]]

    name: str
    rows: int = Field(ge=1)
    seed: int = Field(ge=0)

    def draw(self) -> Drawn:
        """Return the inputs and classes."""
        options: Strict | None = getattr(self, "options", None)
        return type(self).function(self.rows, self.seed, **dict(options or ()))

    @property
    def features(self) -> int:
        """Return the number of inputs."""
        X, _ = self.model_copy(update={"rows": 1}).draw()
        return X.shape[1]


class Waveform(GeneratedRows):
    """Breiman's waveforms, which have no options."""

    function: ClassVar = staticmethod(waveform)

    name: Literal["waveform"]


class CircleOptions(Strict):
    """The probability that a label is flipped, and the number of inputs that tell nothing.

    Attributes
    ----------
    noise : float
        The probability that a label is flipped.
    redundant : int
        The number of further inputs that say nothing about the class.
    """

    noise: float = Field(default=0.0, ge=0, le=1)
    redundant: int = Field(default=0, ge=0)


class Circle(GeneratedRows):
    """Normal inputs, the classes parted by a circle."""

    function: ClassVar = staticmethod(circle)

    name: Literal["circle"]
    options: CircleOptions = CircleOptions()


class FournormOptions(Strict):
    """The size of each coordinate of the four means.

    Attributes
    ----------
    a : float
        The size of each coordinate of the means.
    """

    a: float = Field(default=FOURNORM_A, ge=0, allow_inf_nan=False)


class Fournorm(GeneratedRows):
    """Two normal distributions for each class."""

    function: ClassVar = staticmethod(fournorm)

    name: Literal["fournorm"]
    options: FournormOptions = FournormOptions()


class SquaresOptions(Strict):
    """The distance between the centres, along the first input.

    Attributes
    ----------
    shift : float
        The distance between the centres of the squares, along the first input.
    """

    shift: float = Field(default=0.8, ge=0, allow_inf_nan=False)


class Squares(GeneratedRows):
    """A uniform unit square for each class."""

    function: ClassVar = staticmethod(squares)

    name: Literal["squares"]
    options: SquaresOptions = SquaresOptions()


Generator = Annotated[Waveform | Circle | Fournorm | Squares, Field(discriminator="name")]
