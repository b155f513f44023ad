"""Performance guidelines of a run's collectives: which ones the library breaks, with multiplicity accounted for.

The library's own times alone are compared, launch by launch; all tests of a run are one family (analysis/chosen.py:
Benjamini and Hochberg, and intervals that hold for those that were picked).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.analysis import chosen
from assay.analysis.comparison import MARGIN
from assay.analysis.guidelines import BARRIER, Mockup, mockups
from assay.case import Case
from assay.document.choice import ChoiceWanted
from assay.document.grid import Grid, grid
from assay.document.guideline import GuidelineTest
from assay.document.params import Parameters
from assay.document.reported_figure import Moved, ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.report.derive.settings import setting
from assay.report.judge.finding_lines import slowest
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, Place, ReportSection, only
from assay.report.sections.choices import between, factor, rival, varies
from assay.report.units import human

MOST_ROWS = 12  # of guidelines that are not broken, the nearest to it
SIDES = ("operation", "bytes", "root")  # what the two sides of a guideline may differ in; all else they have in common
ABOUT = ("operation", "bytes", "ranks", "root")  # of a test, in an order of their own
Cases = dict[tuple[str, int], ReportedFigure]  # by operation and block


def guidelines(figures: Sequence[ReportedFigure], wanted: ChoiceWanted, *, described: bool) -> list[GuidelineTest]:
    """Test every guideline whose sides the `own` cases of a run have; `described`: nothing varies."""
    ready: list[tuple[Mockup, Case, ReportedFigure, ReportedFigure, chosen.Rival]] = []
    for common, root, cases in _circles(figures, wanted):
        ranks = int(common["ranks"])
        blocks: dict[str, set[int]] = defaultdict(set)
        for operation, block in cases:
            blocks[operation].add(block)
        for each in mockups(blocks, ranks):
            own = cases[each.operation, each.block]
            other = _one_after_another([cases[side] for side in each.right] * each.repeated)
            found = None if other is None else rival(other, own, described)
            if other is not None and found is not None:
                about = Case({"operation": each.operation, "bytes": each.block, "ranks": ranks, "root": root, **common})
                ready.append((each, about, own, other, found))
    judged = chosen.judge_choices([{"": found} for *_, found in ready]) if ready else []
    return [
        GuidelineTest(
            params=about,
            kind=each.kind,
            text=_right(each),
            value=own.value or 0.0,
            other_value=other.value or 0.0,
            unit=own.unit,
            ratio=found.ratio,
            ci95=None if found.ci95 is None else list(found.ci95),
            broken=found.slower,
            launches=len(own.by_launch),
            comparisons=found.comparisons,
            reason=found.reason,
        )
        for (each, about, own, other, _), found in zip(ready, judged, strict=True)
    ]


def _circles(figures: Sequence[ReportedFigure], wanted: ChoiceWanted) -> Iterator[tuple[Parameters, int, Cases]]:
    """Give the library's cases that may stand beside each other: what they have in common, their root, the cases.

    Alike are the host and every parameter but operation, length and root: ranks, ranks per node, the MPI. Of those that
    have a root the least one, of the others 0.
    """
    found: dict[tuple[str | None, Case], list[ReportedFigure]] = defaultdict(list)
    for figure in figures:
        if (
            figure.name == wanted.figure
            and figure.main
            and figure.state in ("clean", "disturbed")
            and figure.value
            and figure.params.get(wanted.across) == wanted.own
            and not figure.params.get("skew")  # its ranks enter together
            and "call" not in figure.params  # the call returns when it is done
        ):
            found[figure.host, _common(figure, wanted)].append(figure)
    for alike in found.values():
        least: Cases = {}
        for figure in sorted(alike, key=lambda each: int(each.params["root"])):
            least.setdefault((str(figure.params["operation"]), int(figure.params["bytes"])), figure)
        root = max(int(figure.params["root"]) for figure in least.values())
        yield _common(alike[0], wanted), root, least


def _common(figure: ReportedFigure, wanted: ChoiceWanted) -> Case:
    return figure.params.without((*SIDES, wanted.across))


def _one_after_another(sides: Sequence[ReportedFigure]) -> ReportedFigure | None:
    """A figure of all sides in turn, by the launches that have them all; None where no launch has."""
    launches = [{int(launch): value for launch, value in side.by_launch} for side in sides]
    common = sorted(set.intersection(*(set(each) for each in launches)))
    if not common:
        return None
    moved = [side.disturbance for side in sides if side.disturbance is not None]
    lows, highs = [each.low for each in moved], [each.high for each in moved]
    return replace(
        sides[0],
        value=sum(side.value or 0.0 for side in sides),
        by_launch=[[launch, sum(each[launch] for each in launches)] for launch in common],
        state="disturbed" if any(side.state == "disturbed" for side in sides) else "clean",
        disturbance=Moved(
            None if None in lows else min(x for x in lows if x is not None),
            None if None in highs else max(x for x in highs if x is not None),
        )
        if moved
        else None,
    )


def _named(operation: str, block: int) -> str:
    return operation if operation == BARRIER else f"{operation} of {human(float(block), 'B')}"


def _right(each: Mockup) -> str:
    many = f"{each.repeated} times " if each.repeated > 1 else ""
    return many + " and ".join(_named(*side) for side in each.right)


def broken(section: Section, whose: str) -> Iterator[tuple[float, str]]:
    """Name the guidelines that a library breaks: (ratio, one line), the worst of each operation.

    `whose`: "your library's", or a described machine's.
    """
    named: dict[str, list[GuidelineTest]] = defaultdict(list)
    several = _several(section)
    for each in section.guidelines or ():
        if each.broken:
            named[str(each.params["operation"])].append(each)
    for operation, tests in named.items():
        worst = max(tests, key=lambda each: each.ratio)
        more = f"; {operation} breaks {len(tests) - 1} more" if len(tests) > 1 else ""
        longer = f"{factor(worst.ratio)} times as long as {worst.text}{between(worst.ci95)}"
        about = f"{whose} {_case(worst, several)} takes {longer}"
        yield worst.ratio, f"guideline broken: {about}{more}"


def _case(test: GuidelineTest, several: Sequence[str]) -> str:
    about = test.params
    on = f"{_named(str(about['operation']), int(about['bytes']))} on {about['ranks']} ranks"
    return ", ".join([on, *(setting(key, about.get(key)) for key in several)])


def _several(section: Section) -> list[str]:
    """The parameters, beside operation, length, ranks and root, in which the tests of a section differ."""
    tests = section.guidelines or ()
    keys = dict.fromkeys(key for each in tests for key in each.params if key not in ABOUT)
    return [key for key in keys if len({str(each.params.get(key)) for each in tests}) > 1]


def table(section: Section) -> Grid | None:
    """Lay out the broken guidelines, and the nearest to it of the others; None where none was tested."""
    if not section.guidelines:
        return None
    ordered = sorted(section.guidelines, key=lambda each: (not each.broken, -each.ratio))
    broken_ones = [each for each in ordered if each.broken]
    shown = ordered[: len(broken_ones) + MOST_ROWS]
    several = _several(section)
    rows = [
        (
            _named(str(each.params["operation"]), int(each.params["bytes"])),
            ", ".join([str(each.params["ranks"]), *(setting(key, each.params.get(key)) for key in several)]),
            human(each.value, each.unit, 3),
            each.text,
            human(each.other_value, each.unit, 3),
            factor(each.ratio),
            "–" if each.ci95 is None else f"{factor(each.ci95[0])} to {factor(each.ci95[1])}",
            "broken" if each.broken else "not shown broken",
        )
        for each in shown
    ]
    headings = ("the library's", "ranks", "time", "should be no slower than", "its time", "ratio", "interval", "is")
    left = len(ordered) - len(shown)
    corrected = "all are one family, corrected by Benjamini and Hochberg; of the intervals stated at most 5% miss."
    rests_on = corrected if varies(section) else "all are simulated and vary in no launch."
    count = f"{len(broken_ones)} of {len(ordered)} guidelines broken beyond the margin of {MARGIN:.0%}"
    note = f"{count}; {rests_on}" + (f" {left} more, further from it, are in the JSON." if left else "")
    return grid("Guidelines: what an operation should not be slower than", headings, rows, note, left=1)


def _findings(document: Document) -> Iterator[Finding]:
    """Name what a library does slower than it does more work with its other operations."""
    advice = "the library's choice of algorithm for it is at fault, or call the others instead (docs/clusters.md)"
    return slowest(document, broken, 45, advice)


def _derive(source: BenchmarkSource) -> Derived:
    wanted = source.section.choice
    if wanted is None:
        return Derived()
    return Derived(values={"guidelines": guidelines(source.figures, wanted, described=source.described) or None})


SECTION = ReportSection(
    order=340,
    derive=_derive,
    findings=_findings,
    of_benchmark=BenchmarkView(place=Place.JUDGEMENT, tables=lambda document, section: only(table(section))),
)
