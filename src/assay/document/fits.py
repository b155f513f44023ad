"""The laws that are fitted to a benchmark's figures, in a document; `law` distinguishes them.

Each has the fields of its own result in `assay.analysis` (units and meaning there), and `text`, the same in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params

Pair = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """What all laws have: benchmark and figure, the family of cases, and the law in words."""

    benchmark: str
    figure: str
    params: Params
    text: str


@dataclass(frozen=True, kw_only=True)
class FittedLackOfFit:
    """F over its degrees of freedom (`analysis.alpha_beta.LackOfFit`); None without degrees of freedom."""

    f: float | None
    p: float | None
    degrees: tuple[int, int]
    worst: float | None


@dataclass(frozen=True, kw_only=True)
class HalfPerformanceNumbers:
    """Greatest rate (B/s) and the length (B) that reaches half of it (`analysis.half_performance`)."""

    basis: str
    r_infinity: float | None
    n_half: float | None
    r_infinity_ci95: Pair | None = None
    n_half_ci95: Pair | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class LineFit(Fitted):
    """A line of time over length (`analysis.alpha_beta`), over the lengths from `over[0]` to `over[1]` (B)."""

    law: Literal["alpha_beta"]
    over: Pair
    estimator: str
    alpha: float
    beta: float
    alpha_ci95: Pair | None
    beta_ci95: Pair | None
    alpha_range: Pair
    beta_range: Pair
    sizes: list[float]
    residuals: list[float]
    holdout: Pair | None
    lack_of_fit: FittedLackOfFit | None
    launches: int
    scope: str
    half_performance: Annotated[HalfPerformanceNumbers | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class CurveFit(Fitted, HalfPerformanceNumbers):
    """Greatest rate and half-performance length, read off the curve."""

    law: Literal["half_performance"]


@dataclass(frozen=True, kw_only=True)
class FittedBreak:
    """A change of the law between two lengths (`analysis.breakpoints.Breakpoint`)."""

    below: float
    above: float
    jump: float
    slope: float
    effect: float
    kind: str
    support: float | None = None


@dataclass(frozen=True, kw_only=True)
class BreaksFit(Fitted):
    """Where the line breaks."""

    law: Literal["breakpoints"]
    breakpoints: list[FittedBreak]


@dataclass(frozen=True, kw_only=True)
class PlaneFit(Fitted):
    """A plane of time over length and hops (`analysis.hops.PerHop`)."""

    law: Literal["per_hop"]
    estimator: str
    alpha: float
    beta: float
    gamma: float
    alpha_ci95: Pair | None
    beta_ci95: Pair | None
    gamma_ci95: Pair | None
    alpha_range: Pair
    beta_range: Pair
    gamma_range: Pair
    over: Pair
    hops: list[float]
    median: float
    worst: float
    holdout: Pair | None
    cells: int
    launches: int
    scope: str


@dataclass(frozen=True, kw_only=True)
class FittedLevel:
    """A plateau of the latency curve (`analysis.cache_levels.Level`)."""

    size: float
    below: float | None
    latency: float


@dataclass(frozen=True, kw_only=True)
class LevelsFit(Fitted):
    """Levels of memory seen in a latency curve; `launches_agree`: how many single launches agree, and of how many."""

    law: Literal["cache_levels"]
    levels: list[FittedLevel]
    launches_agree: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class FittedEstimate:
    """A value across launches (`analysis.intervals.Estimate`)."""

    value: float
    ci95: Pair | None
    range: Pair
    launches: int
    scope: str
    statistic: str = "median"
    level: float = 0.95


@dataclass(frozen=True, kw_only=True)
class SpeedupFit(Fitted):
    """Measured speedups over `base` by the number of threads or ranks (`analysis.speedup.Speedup`).

    With `scaling` "weak" among `params` the work grows with the ranks, and speedups are ratios of rates.
    """

    law: Literal["speedup"]
    base: str
    processors: list[int]
    speedup: list[FittedEstimate]
    efficiency: list[float]
    superlinear: list[int]


@dataclass(frozen=True, kw_only=True)
class SpeedupLawFit(Fitted):
    """A law fitted to speedups (`analysis.speedup.Law`); `residual` and that of perfect scaling, both relative."""

    law: Literal["amdahl", "gustafson", "universal"]
    name: str
    base: str
    coefficients: dict[str, float]
    ci95: dict[str, Pair] | None
    time_one: float
    limit: float | None
    best_processors: float | None
    lack_of_fit: FittedLackOfFit | None
    scope: str
    residual: Annotated[float | None, WRITTEN_IF_SET] = None
    perfect_residual: Annotated[float | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True, kw_only=True)
class LevelRatesFit(Fitted):
    """A vector loop in one level of memory (`analysis.level_rates`): rates in flop/s, `bandwidth` in B/s.

    `r_max_paper` counts flops as the paper does; `n_half` is in elements; `size` (B) of the cache, None beyond.
    `n_half_range` and `start_up_cycles_range` are those of launches and of lines without one length each;
    `best_measured` (flop/s) is the greatest median rate, which a line's `r_max` extrapolates.
    Without a line (`basis`), rates and cycles are those of the best median reading, and `reason` explains it.
    """

    law: Literal["rates_by_level"]
    level: str
    size: float | None
    lengths: list[float]
    r_max: float
    r_max_ci95: Pair | None
    r_max_paper: float
    bandwidth: float
    intensity: float
    n_half: float | None
    n_half_ci95: Pair | None
    start_up_cycles: float | None
    cycles_per_element: float | None
    reason: str | None
    n_half_range: Annotated[Pair | None, WRITTEN_IF_SET] = None
    start_up_cycles_range: Annotated[Pair | None, WRITTEN_IF_SET] = None
    best_measured: Annotated[float | None, WRITTEN_IF_SET] = None
    basis: Literal["line", "best reading"] = "line"
    state: str = "clean"  # the worst of the figures at `lengths`

    def marked(self, text: str) -> str:
        """Give a number of the fit, as written, with what it rests on and its state, unless a line and clean."""
        notes = [word for word in (self.basis, self.state) if word not in ("line", "clean")]
        return f"{text} ({', '.join(notes)})" if notes else text


Fit = Annotated[
    LineFit | CurveFit | BreaksFit | PlaneFit | LevelsFit | SpeedupFit | SpeedupLawFit | LevelRatesFit,
    Field(discriminator="law"),
]
