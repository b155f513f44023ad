"""What a study found: points with the means of their replications, saturation points with their brackets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.network import method
from assay.network.description import NetworkDescription
from assay.network.intervals import unsure
from assay.network.method import MeanEstimate
from assay.network.study.file import Setting, Study

if TYPE_CHECKING:
    from pydantic import JsonValue

US = 1e6
SHARES = ("hit_rate",)  # among the points' means, of unit 1


@dataclass(frozen=True)
class Point:
    """One point: what was set, `means` of every latency by replication in us, of
    SHARES as they are, whether its backlog grows, and how many of its runs ended in a deadlock.

    rate: messages per element per ms (with I/O), or load in flits per node per cycle.
    """

    setting: Setting
    rate: float
    means: dict[str, list[float]]
    saturated: bool
    backlog: tuple[float, float]
    predicted: dict[str, float] = field(default_factory=dict)
    deadlocked: int = 0

    def value(self, key: str) -> Any:
        """A key of the setting by its last part; `rate`; `t_a` in us."""
        if key == "rate":
            return self.rate
        if key == "t_a":
            return round(1000 / self.rate, 6)
        for dotted, value in self.setting.items():
            if dotted.rpartition(".")[2] == key:
                return value
        raise KeyError(key)

    def has(self, **wanted: object) -> bool:
        """Whether it was set so; numbers to one part in a thousand."""
        try:
            return all(_same(self.value(key), value) for key, value in wanted.items())
        except KeyError:
            return False

    def estimate(self, figure: str, confidence: float = 0.95) -> MeanEstimate:
        """Mean of the replications' means in us, with its interval; without one where a run deadlocked."""
        found = method.replication_interval(self.means.get(figure, []), confidence)
        return unsure(found) if self.deadlocked else found


def _same(one: object, other: object) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=5e-3)
    return bool(one == other)


@dataclass(frozen=True)
class Bracket:
    """A configuration's saturation point: the brackets of its seeds, in messages per element per ms (or load).

    Where any of the runs ended in a deadlock (`deadlocked`) there is none: lower loads deadlock later.
    """

    setting: Setting
    brackets: list[tuple[float, float]]
    predicted: float | None = None
    busiest: float | None = None
    deadlocked: int = 0

    @property
    def low(self) -> float:
        """The lowest rate at which any seed may saturate."""
        return min(low for low, _ in self.brackets)

    @property
    def high(self) -> float:
        """The highest rate at which all seeds are sure to."""
        return max(high for _, high in self.brackets)

    @property
    def middle(self) -> float:
        """Mean of the brackets' middles."""
        return sum(low + high for low, high in self.brackets) / 2 / len(self.brackets)

    def has(self, **wanted: object) -> bool:
        """As `Point.has`."""
        return Point(self.setting, 1.0, {}, False, (0, 0)).has(**wanted)


@dataclass(frozen=True)
class StudyTable:
    """A table of a study: what it shows, its columns, its rows."""

    caption: str
    columns: list[str]
    rows: list[list[JsonValue]]


@dataclass
class Results:
    """Everything a study found."""

    study: Study
    points: list[Point]
    brackets: list[Bracket]
    extra: dict[str, object] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    messages: int = 0

    @property
    def with_io(self) -> bool:
        """Whether rates are messages per element per ms (else loads, flits per node per cycle)."""
        settings = [*(one.setting for one in self.points), *(one.setting for one in self.brackets)]
        return "io" in self.study.tree or any(key.startswith("io.") for setting in settings for key in setting)

    def of(self, **wanted: object) -> list[Point]:
        """The points set so, in order."""
        return [point for point in self.points if point.has(**wanted)]

    def point(self, **wanted: object) -> Point:
        """The one point set so; LookupError otherwise."""
        found = self.of(**wanted)
        if len(found) != 1:
            raise LookupError(f"{len(found)} points have {wanted}")
        return found[0]

    def bracket(self, **wanted: object) -> Bracket:
        """The one saturation point of the configuration set so; LookupError otherwise."""
        found = [one for one in self.brackets if one.has(**wanted)]
        if len(found) != 1:
            raise LookupError(f"{len(found)} saturation points have {wanted}")
        return found[0]


def rate_of(description: NetworkDescription) -> float:
    """Messages per element per ms where there are I/O nodes, else the load in flits per node per cycle."""
    if description.io is not None:
        return 1e-3 / (description.io.interval * description.cycle)
    return description.traffic.load


def values(points: Sequence[Point], key: str) -> list[Any]:
    """The different values of a key, in order of their size."""
    return sorted({point.value(key) for point in points})
