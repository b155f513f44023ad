"""A test that was repeated: its numbers over the repetitions, each with its interval (method.md, rules 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.analysis.intervals import across_launches
from assay.throughput.live_results import LiveThroughput


@dataclass(frozen=True, kw_only=True)
class RepeatedFigure:
    """The median of the repetitions; `ci95`: None with fewer than six of them; `range`: the least and the greatest."""

    name: str
    value: float
    unit: str
    ci95: tuple[float, float] | None
    range: tuple[float, float]
    scope: str


@dataclass(frozen=True, kw_only=True)
class RepeatedThroughput:
    """The tests in their order, and their numbers together; `lost` and `failed` jobs of all of them."""

    figures: list[RepeatedFigure]
    repetitions: int
    lost: int
    failed: int
    tests: list[LiveThroughput]

    @property
    def good(self) -> bool:
        """Whether every test was."""
        return all(each.good for each in self.tests)


def repeated(tests: Sequence[LiveThroughput]) -> RepeatedThroughput:
    """Put tests of one plan together; ValueError without any."""
    figures = [
        _over(first.name, first.unit, [each.figures[at].value for each in tests])
        for at, first in enumerate(tests[0].figures)
    ]
    figures += _of_programs(tests)
    return RepeatedThroughput(
        figures=figures,
        repetitions=len(tests),
        lost=sum(each.lost for each in tests),
        failed=sum(each.failed for each in tests),
        tests=list(tests),
    )


def _over(name: str, unit: str, values: Sequence[float]) -> RepeatedFigure:
    estimate = across_launches(values)
    return RepeatedFigure(
        name=name,
        value=estimate.value,
        unit=unit,
        ci95=estimate.ci95,
        range=estimate.range,
        scope=estimate.scope.replace("launches", "repetitions").replace("launch", "repetition"),
    )


def _of_programs(tests: Sequence[LiveThroughput]) -> list[RepeatedFigure]:
    """How evenly programs were served, and the mean bounded slowdown of each that ran in every test."""
    served = [each.fairness for each in tests if each.fairness is not None]
    if len(served) < len(tests):
        return []
    slowdowns = [{group.name: group.bounded_slowdown for group in each.groups} for each in served]
    names = sorted(set.intersection(*(set(each) for each in slowdowns)))
    return [
        _over("fairness", "1", [each.index for each in served]),
        *(_over(f"bounded_slowdown of {name}", "1", [each[name] for each in slowdowns]) for name in names),
    ]
