"""Speed and accuracy beside each other: what a faster variant of a function costs in units in the last place.

A record asks for it by `[accuracy]`: `time`, the figure of one call; `error`, the figure of the greatest error, in ulp;
`wrong`, the figure that counts results of another kind (NaN or infinity for a number); `across`, the parameter whose
choices are compared; `over`, the parameter of the ranges: the times of a row are of one range (the first that every
variant has, so that they can be compared), the error is the greatest of all ranges; where that is far more than in the
range of the time, its own range stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.benchmark.record import benchmark
from assay.document.grid import Grid, grid
from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import AccuracyDrawn, Section
from assay.report.derive.variants import reference
from assay.report.judge.finding_lines import finding
from assay.report.registry import BenchmarkView, Place, ReportSection, only
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout
from assay.report.units import counted, human

NO_DIGIT = "no digit right"
LOST = 10.0  # ulp: one decimal digit; less is what libraries document
FAR = 1.2  # times the error in the range of the time: then the range is named
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star", "hexagon")


@dataclass
class Entry:
    """One function in one variant: by range seconds of a call, and the greatest error in ulp with its argument.

    `first`: the range of the row's times. `wrong`: ranges in which a result is of another kind than the reference.
    """

    first: str
    times: dict[str, tuple[float, str]] = field(default_factory=dict)  # and as it is written, with its state
    errors: dict[str, tuple[float, str]] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)

    @property
    def time(self) -> float | None:
        """Seconds of a call in the range of the row's times."""
        return self.times[self.first][0] if self.first in self.times else None

    @property
    def error(self) -> float | None:
        """The greatest error of all ranges, in ulp."""
        return max((error for error, _ in self.errors.values()), default=None)

    @property
    def where(self) -> str:
        """The range of the greatest error: that of the time unless another is far worse."""
        if self.wrong:
            return self.first if self.first in self.wrong else min(self.wrong)
        worst = max(self.errors, key=lambda name: self.errors[name][0], default=self.first)
        near = self.errors.get(self.first)
        return self.first if near and self.errors[worst][0] <= FAR * near[0] else worst

    @property
    def text(self) -> str:
        """Time and greatest error as a cell of the table."""
        time = self.times[self.first][1] if self.first in self.times else "–"
        return time if self.error is None else f"{time}, {self.error_text()}"

    def error_text(self, digits: int = 3) -> str:
        """The greatest error in ulp, and its range unless it is that of the time."""
        if self.error is None:
            return "–"
        error = NO_DIGIT if self.wrong else counted(self.error, digits)
        return error + ("" if self.where == self.first else f" ({self.where})")


Entries = dict[tuple[str, ...], dict[str, Entry]]


def table(section: Section) -> Grid | None:
    """Lay out a row for each function and type, a column for each variant; None where the record asks for none."""
    wanted = section.accuracy
    if wanted is None:
        return None
    found = entries(section, wanted)
    if not found:
        return None
    variants = _order(section, wanted.across, {name for row in found.values() for name in row})
    rows = [(*family, *(row[v].text if v in row else "–" for v in variants)) for family, row in found.items()]
    families = _families(section, wanted)
    note = (
        f"Time of one element (scalar: one call) in {_ranges(found)}, and the greatest error of all ranges in ulp; its "
        f"range in brackets where it is more than {FAR:g} times the error in the range of the time, or where that has "
        "no error."
    )
    return grid(f"{section.title}: speed and accuracy", (*families, *variants), rows, note, left=len(families))


def plots(section: Section) -> list[Plot]:
    """Draw the greatest error against the time of an element, a picture for each type, a colour for each variant."""
    wanted = section.accuracy
    if wanted is None:
        return []
    found = entries(section, wanted)
    variants = _order(section, wanted.across, {name for row in found.values() for name in row})
    made = []
    for kind in dict.fromkeys(family[1:] for family in found):
        traces = []
        for i, variant in enumerate(variants):
            known = [
                (family[0], row[variant]) for family, row in found.items() if family[1:] == kind and variant in row
            ]
            at = [(name, e.time, e.error, e) for name, e in known if e.time is not None and e.error is not None]
            if at:
                marker = {"size": 9, "color": COLOURS[i % len(COLOURS)], "symbol": SYMBOLS[i % len(SYMBOLS)]}
                traces.append(
                    {
                        "type": "scatter",
                        "mode": "markers",
                        "name": variant,
                        "x": [time for _, time, _, _ in at],
                        "y": [max(error, 2.0**-3) for _, _, error, _ in at],
                        "text": [f"{name}: {entry.text}" for name, _, _, entry in at],
                        "hoverinfo": "text+name",
                        "marker": marker,
                    }
                )
        if traces:
            words = ", ".join(kind)
            drawn = layout(
                f"greatest error against time{', ' + words if words else ''}", "time of one element", "ulp", True
            )
            drawn["switch"] = False
            made.append(finish({"data": traces, "layout": drawn}, "s", "1"))
    return made


def losses(section: Section) -> Iterator[tuple[float, str]]:
    """What loses a decimal digit and more: (digits lost, one line), for each variant the worst and how many others."""
    wanted = section.accuracy
    if wanted is None:
        return
    found = entries(section, wanted)
    for variant in _order(section, wanted.across, {name for row in found.values() for name in row}):
        bad = [
            (row[variant].error or 0.0, family, row[variant])
            for family, row in found.items()
            if variant in row and (row[variant].error or 0.0) >= LOST
        ]
        if not bad:
            continue
        error, family, entry = max(bad, key=lambda each: each[0])
        lost = math.log10(error)
        what = NO_DIGIT if entry.wrong else f"{lost:.1f} digits lost"
        argument = entry.errors[entry.where][1] if entry.where in entry.errors else ""
        where = f" (range {entry.where}{', at ' + argument if argument else ''})"
        others = f"; {len(bad) - 1} more" if len(bad) > 1 else ""
        yield lost, f"{' of '.join(family)}, {variant}: {what}{where}{others}"


def entries(section: Section, wanted: AccuracyDrawn, at: str | None = None) -> Entries:
    """What was measured, by the parameters that name a function, then by variant; `at`: the range of all times."""
    families = _families(section, wanted)
    found: Entries = {}
    for figure in section.figures:
        value = figure.shown
        if value is None or not figure.main or figure.name not in (wanted.time, wanted.error, wanted.wrong):
            continue
        family = tuple(str(figure.params.get(key)) for key in families)
        entry = found.setdefault(family, {}).setdefault(str(figure.params.get(wanted.across)), Entry(""))
        _take(entry, figure, value, wanted)
    ranges = [str(choice) for choice in benchmark(section.benchmark).parameters[wanted.over].choices]
    for row in found.values():
        first = at or _first(row, ranges)
        for entry in row.values():
            entry.first = first
    order = benchmark(section.benchmark).parameters[families[0]].choices
    place = {str(name): i for i, name in enumerate(order)}
    return dict(sorted(found.items(), key=lambda item: (place.get(item[0][0], len(place)), item[0])))


def _take(entry: Entry, figure: ReportedFigure, value: float, wanted: AccuracyDrawn) -> None:
    at = str(figure.params.get(wanted.over))
    if figure.name == wanted.time:
        entry.times[at] = (value, figure.with_marks(human(value, "s", 3)))
    elif figure.name == wanted.error:
        entry.errors[at] = (value, str(figure.params.get("worst_argument") or ""))
    elif value > 0:
        entry.wrong.add(at)


def _families(section: Section, wanted: AccuracyDrawn) -> list[str]:
    """The parameters that name a function and its type: those of the record but the variant and the range."""
    return [key for key in benchmark(section.benchmark).parameters if key not in (wanted.across, wanted.over)]


def _order(section: Section, key: str, seen: set[str]) -> list[str]:
    choices = [str(choice) for choice in benchmark(section.benchmark).parameters[key].choices]
    return [choice for choice in choices if choice in seen]


def _first(row: Mapping[str, Entry], ranges: Sequence[str]) -> str:
    """The range of a row's times: the first of those that most of its variants have, which is as a rule every one."""
    return max(ranges, key=lambda name: sum(name in entry.times for entry in row.values()))  # max: the first of equals


def _ranges(found: Entries) -> str:
    """Which range the times are of, and of which functions they are of another."""
    by: dict[str, list[str]] = {}
    for family, row in found.items():
        by.setdefault(next(iter(row.values())).first, []).append(family[0])
    usual, *others = sorted(by, key=lambda name: -len(by[name]))
    apart = "; ".join(f"{', '.join(dict.fromkeys(by[name]))}: {name}" for name in others)
    return f"range {usual}" + (f" ({apart})" if apart else "")


def _of_reference(document: Document, section: Section) -> Section:
    """The section of the first variant, where a run has several."""
    return next((of for of in reference(document).benchmarks if of.benchmark == section.benchmark), section)


def _findings(document: Document) -> Iterator[Finding]:
    for section in reference(document).benchmarks:
        for digits, text in losses(section):
            advice = "do not compile what needs these results so; docs/intrinsics.md shows how errors are counted"
            yield finding(30 + min(digits, 16), "odd", text, advice)


SECTION = ReportSection(
    order=310,
    findings=_findings,
    of_benchmark=BenchmarkView(
        place=Place.JUDGEMENT,
        tables=lambda document, section: only(table(_of_reference(document, section))),
        plots=lambda section: plots(section) if section.accuracy else None,
        sole_plots=True,
        replaces=lambda section: table(section) is not None,
    ),
)
