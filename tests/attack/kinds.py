"""Types as random programs have them."""

from __future__ import annotations

from typing import NamedTuple

NORMS = ("L1", "L2", "LInf")


class Kind(NamedTuple):
    """A type: ``shape`` is Number, Bool, Vector, Matrix, Gradient or Model; ``base`` Integer, Real, Data or Bool. A
    norm that is empty may be any."""

    shape: str
    base: str = "Bool"
    norm: str = ""

    def written(self) -> str:
        if self.shape == "Model":
            return "DMModel"
        if self.shape in ("Number", "Bool"):
            return self.base
        return f"Metric{self.shape}({self.base}, {self.norm or 'L1'})"

    @property
    def element(self) -> Kind:
        return Kind("Bool") if self.base == "Bool" else Kind("Number", self.base)

    def fits(self, wanted: Kind) -> bool:
        """Whether a value can stand where another kind is wanted."""
        if self.shape != wanted.shape:
            return False
        integer = (self.base, wanted.base) == ("Integer", "Real") and self.shape == "Number"
        return (self.base == wanted.base or integer) and (self.norm == wanted.norm or not wanted.norm)


INTEGER, REAL, DATA = (Kind("Number", base) for base in ("Integer", "Real", "Data"))
BOOL = Kind("Bool")
MODEL = Kind("Model", "Real")
DATA_VECTOR = Kind("Vector", "Data", "LInf")


class Helper(NamedTuple):
    """A function of the program that can be called. What it is called with where it has a function for a parameter is
    made where it is called: ``given`` are the parameters and the result of that function."""

    name: str
    params: tuple[Kind, ...]
    result: Kind
    given: tuple[tuple[Kind, ...], Kind] | None = None
