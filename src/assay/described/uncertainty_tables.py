"""The schema of [uncertainty]: how well the fitted numbers are known (`assay.described.uncertainty`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, model_validator

from assay.described.dotted_numbers import number_at, read_as
from assay.described.quantities import Bytes
from assay.machine.units import unit
from assay.toml.checking import Table, refuse

ROUNDING = 1e-5  # of numbers that were written with a few digits
MOST_KEYS = 1000


class LaunchSpreadTable(Table):
    """[[uncertainty.launches]]: How much one launch's median differs from the next one's, by figure and length."""

    benchmark: str = Field(description="the benchmark")
    figure: str = Field(description="its figure")
    up_to: Bytes | None = Field(None, description="longest message of this entry; without it, all longer ones")
    relative: float = Field(ge=0, le=10, description="relative standard deviation of one launch's median")
    freedom: float | None = Field(
        None,
        gt=0,
        description="degrees of freedom of `relative`, the launches less one of each run, by which intervals are of "
        "Student's distribution; without it `relative` is exact",
    )
    runs: float = Field(
        0.0,
        ge=0,
        le=10,
        description="relative standard deviation between runs, beyond what launches explain; 0: one run was fitted",
    )


class UncertaintyTable(Table):
    """[uncertainty]: How well the fitted numbers are known: what `assay fit RUN` writes, and what predictions and
    studies draw from. It changes no simulated result.
    """

    level: float = Field(0.9, gt=0, lt=1, description="level of the intervals")
    used: str = Field("", description="the rule by which cells of the run were fitted")
    keys: list[str] = Field(
        default_factory=list,
        max_length=MOST_KEYS,
        description="dotted keys of this description, as in [origin]; keys that share one number are one entry, "
        "separated by commas",
    )
    low: list[str | int | float] = Field(
        default_factory=list, description="lower end of each entry's interval, in a unit of the key"
    )
    high: list[str | int | float] = Field(default_factory=list, description="upper end, likewise")
    covariance: list[list[float]] = Field(
        default_factory=list, description="of the relative errors (value / estimate - 1), a row per entry"
    )
    not_determined: list[str] = Field(default_factory=list, description="what the run does not determine, in words")
    launches: list[LaunchSpreadTable] = Field(
        default_factory=list, description="spread between launches, by benchmark, figure and length"
    )

    @model_validator(mode="after")
    def _whole(self) -> UncertaintyTable:
        count = len(self.keys)
        for key, entries in (("low", self.low), ("high", self.high), ("covariance", self.covariance)):
            if len(entries) != count:
                refuse((key,), f"has {len(entries)} entries for {count} keys", "one for each of keys")
        for row, numbers in enumerate(self.covariance):
            if len(numbers) != count:
                refuse(("covariance",), f"has {len(numbers)} numbers in row {row}", f"{count}, one for each of keys")
        if count and (problem := _no_covariance(self.covariance)):
            refuse(("covariance",), problem, "a symmetric, positive semidefinite matrix")
        once = [key for entry in self.keys for key in split(entry)]
        if twice := next((key for key in once if once.count(key) > 1), None):
            refuse(("keys",), f"has {twice} twice", "each key once")
        return self


def split(entry: str) -> tuple[str, ...]:
    """The keys of one entry of `keys`."""
    return tuple(key.strip() for key in entry.split(","))


@dataclass(frozen=True)
class WrongEntry:
    """What is wrong with an entry, in which of the lists of the table."""

    table: Literal["keys", "low", "high"]
    problem: str
    accepted: str


def fault(filed: Mapping[str, object], table: UncertaintyTable, place: int, key: str) -> WrongEntry | None:
    """What is wrong with a key of entry `place`, by the file's tables; None where nothing is."""
    try:
        value, written = number_at(filed, key)
    except LookupError:
        return WrongEntry("keys", f"the file has no number {key}", "a key of it")
    if value <= 0:
        return WrongEntry(
            "keys", f"{key} is 0, and an error relative to it has no meaning", "a key with a positive number"
        )
    ends: dict[Literal["low", "high"], str | int | float] = {"low": table.low[place], "high": table.high[place]}
    for name, end in ends.items():
        try:
            read = read_as(end, written)
        except ValueError as error:
            return WrongEntry(name, f"of {key}: {error}", f"a number in a unit of the key, such as {written or '1.5'}")
        if (read < 0) or (read - value) * (1 if name == "low" else -1) > ROUNDING * value:
            between = f"low <= value <= high, with the value {_value_text(filed, key)}"
            return WrongEntry(name, f"of {key}: {end} leaves the value outside of the interval", between)
    return None


def _value_text(filed: Mapping[str, object], key: str) -> str:
    value, written = number_at(filed, key)
    return f"{value / float(unit(written)[1]):g} {written}" if written else f"{value:g}"


def _no_covariance(rows: Sequence[Sequence[float]]) -> str | None:
    """Why a square matrix is no covariance; None where it is one."""
    import numpy as np  # late: most descriptions have none

    matrix: Any = np.array(rows, float)
    scale = float(np.abs(matrix).max())
    if np.abs(matrix - matrix.T).max() > ROUNDING * scale:
        return "is not symmetric"
    if float(np.linalg.eigvalsh((matrix + matrix.T) / 2).min()) < -ROUNDING * scale * len(matrix):
        return "has a negative variance in some direction"
    return None
