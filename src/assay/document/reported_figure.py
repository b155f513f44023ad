"""A figure as a document holds it: one benchmark's value for one case, with its circumstances and state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from assay.case import Case
from assay.document.json_form import WRITTEN_IF_SET, flattened
from assay.document.params import Params

FigureKey = tuple[str, str, Case]  # benchmark, figure, case


@dataclass(frozen=True)
class Moved:
    """How far a disturbance can have moved a value: value / undisturbed - 1 lies from `low` to `high`."""

    low: float | None
    high: float | None

    @property
    def most(self) -> float | None:
        """The greater of both, as a size; None where it is not known."""
        return None if self.low is None or self.high is None else max(abs(self.low), abs(self.high))


@dataclass(frozen=True)
class LaunchStatistics:
    """Statistics by name (analysis/launch_statistics.py) and launch, and the tail of all readings; SI units."""

    by_launch: Mapping[str, Mapping[int, float]]
    tail: float | None


@dataclass(frozen=True, kw_only=True)
class ReportedFigure:
    """One figure of a run, SI units. `kind`: measured, or of a described machine one of `assay.kinds`.

    `estimator` states what `value` was computed from, and `disturbance` how far others can have moved it: None where
    nothing was judged or that is not known. `reasons` are the rules that marked blocks of this case: `marked` of its
    `blocks`. `by_launch`: pairs of launch and value, which comparisons rest on; of a bound, which has none,
    `best_by_launch`: pairs of launch and its best reading. `statistics`, in no JSON: of all readings, for comparisons.
    """

    benchmark: str
    name: str
    value: float | None
    unit: str
    statistic: str
    params: Params
    ci95: list[float] | None = None
    range: list[float] | None = None
    scope: str = ""
    launches: int = 0
    samples: int = 0
    batch: int = 1
    state: str = "clean"
    estimator: str = "median"
    disturbance: Moved | None = None
    reasons: list[str]
    marked: int = 0
    blocks: int = 0
    better: str = "lower"
    headline: bool = False
    kind: str = "measured"
    host: str | None = None
    metric: str = ""
    by_launch: list[list[float]]
    best_by_launch: Annotated[list[list[float]] | None, WRITTEN_IF_SET] = None
    statistics: Annotated[LaunchStatistics | None, Field(exclude=True)] = None
    help: str = ""

    @property
    def key(self) -> FigureKey:
        """What tells it from the other medians of a document."""
        return self.benchmark, self.name, self.params

    @property
    def given(self) -> dict[str, object]:
        """The parameters of the case that have a value."""
        return {key: value for key, value in self.params.items() if value is not None}

    @property
    def main(self) -> bool:
        """Whether it is by the main estimator of its case: no tail, first call or extreme."""
        return self.statistic == "median" or (self.state == "bound" and self.statistic == "best")

    @property
    def tail(self) -> bool:
        """Whether it is of the slowest hundredth: of a time its 99th percentile, of a rate its 1st."""
        return self.statistic in ("p99", "p1")

    @property
    def shown(self) -> float | None:
        """The value that may be shown: an invalid figure has none, whatever it holds."""
        return None if self.state == "invalid" else self.value

    @property
    def marks(self) -> list[str]:
        """Marks of a value where there is no room for its whole state; [] of a clean one."""
        return {"bound": ["best reading"], "disturbed": ["disturbed"]}.get(self.state, [])

    def with_marks(self, text: str) -> str:
        """Give the value, as written, with its marks."""
        return f"{text} ({', '.join(self.marks)})" if self.marks else text


@flattened("figure")
@dataclass(frozen=True, kw_only=True)
class Headline:
    """A main figure: the `figure`, its `title`, the words of `says`, its place and the name of its `bound`.

    `bound` is one of report/judge/bounds.py. `advice`: what takes the rest, or what to do, where little of the bound is
    reached. `chosen`: the parameters of whose values this case has the best one.
    """

    figure: ReportedFigure
    title: str
    says: str | None = None
    bound: str | None = None
    order: int | None = None
    advice: str | None = None
    chosen: Annotated[list[str] | None, WRITTEN_IF_SET] = None
