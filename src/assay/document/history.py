"""The types of a machine's history: values of figures over runs, changes of their level, what else changed there."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.document.params import Params


@dataclass(frozen=True)
class HistoryValue:
    """A figure in one run: SI units; `interval`: 95% across launches, or the launches' range."""

    run: str
    created: float
    value: float
    interval: tuple[float, float] | None
    state: str


@dataclass(frozen=True)
class HistoryRun:
    """A run: its id, when it was made [s since 1970], and what it was made with: text by key.

    `others`: the processors that other processes used on average while it measured; None where no account states it.
    """

    id: str
    created: float
    label: str | None
    made_with: dict[str, str]
    others: float | None = None


@dataclass
class FigureHistory:
    """A judged figure, BENCHMARK.FIGURE, in one case: its values, the oldest first."""

    figure: str
    params: Params
    unit: str
    better: str
    values: list[HistoryValue] = field(default_factory=list)


@dataclass(frozen=True)
class HistoryDifference:
    """A key that changed at a run, from `before` to `after`; None: not stated.

    `lasting`: no run before the change had the new value, and no run after it has the old one.
    """

    key: str
    before: str | None
    after: str | None
    at_run: str
    lasting: bool


@dataclass(frozen=True, kw_only=True)
class HistoryChange:
    """A figure's step at a run: medians of the levels before and after it (SI units), their ratio after / before.

    `interval`: of the ratio, 95%, by ranks of the runs' values; None of fewer than six runs on either side. `worse`: in
    the direction of the figure's `better`. `found_by`: the run after which it was shown. `p`: of its test, whose
    level is `level` of the answer. `changed`: what else changed there, the likeliest cause first.
    """

    figure: str
    params: Params
    unit: str
    at_run: str
    found_by: str
    before: float
    after: float
    ratio: float
    interval: tuple[float, float] | None
    worse: bool
    p: float
    runs_before: int
    runs_after: int
    changed: list[HistoryDifference]


@dataclass(frozen=True, kw_only=True)
class RegressionVerdict:
    """Of one figure under `--fail-on-regression`: `worse_by`, of the present level against the best earlier one.

    `state`: "met", "missed", or "not shown", with the number of `runs` at the present level and that are `needed`.
    """

    figure: str
    params: Params
    state: str
    worse_by: float
    runs: int
    needed: int | None


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """How a change is confirmed: the `command`; `variants`: the older and the newer one, where what changed is one.

    With `--confirm` also its result: the `ratio` of newer to older, its interval, after so many `pairs`, the `newer`
    one's median now (SI units), and the runs that were made. `verdict`: "differs" (by the margin, half the step, or
    more), "equal" or "inconclusive".
    """

    figure: str
    params: Params
    at_run: str
    command: str
    why: str
    variants: tuple[str, str] | None = None
    margin: float | None = None
    verdict: str | None = None
    ratio: float | None = None
    interval: tuple[float, float] | None = None
    pairs: int = 0
    newer: float | None = None
    runs: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class MachineHistory:
    """`assay history`: `level` is that of each test, such that at most `alarms_per_run` false alarms are expected.

    `regressions`, `judged` and `passed` are of `--fail-on-regression`. `entered`: folders that `--import` made known.
    `confirmation`: of the newest change. `page`: the file of `--html`.
    """

    machine: str
    alarms_per_run: float
    level: float
    runs: list[HistoryRun]
    series: list[FigureHistory]
    changes: list[HistoryChange]
    regressions: list[RegressionVerdict] = field(default_factory=list)
    judged: bool | None = None
    passed: bool | None = None
    entered: list[str] = field(default_factory=list)
    confirmation: Confirmation | None = None
    page: str | None = None


@dataclass(frozen=True, kw_only=True)
class WatchFile:
    """A file that makes rounds of `assay watch`: its usual name and its text."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class WatchFiles:
    """`assay watch --install`."""

    install: str
    files: list[WatchFile]


@dataclass(frozen=True, kw_only=True)
class WatchRound:
    """`assay watch --once`: the run that was made, its state, and the history with it.

    `new`: changes that this run showed. `metrics`: the file that was written.
    """

    run: str
    folder: str
    state: str
    failures: int
    metrics: str | None
    new: list[HistoryChange]
    history: MachineHistory
