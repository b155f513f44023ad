"""A message benchmark by length: one line per length with its time and its rate, as OSU's programs print them.

Columns keep one unit from the first line to the last, so that they can be read down and taken into another program:
bytes, microseconds, and MB/s of 10^6 bytes, which is what OSU's `osu_latency` and `osu_bw` print.
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive.states import words
from assay.report.judge.first_cases import telling
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.render.tables import listed
from assay.report.sections import file_rates
from assay.report.units import params

Line = tuple[int, ReportedFigure, ReportedFigure]  # a length in bytes, its time and its rate


def tables(section: Section) -> list[Grid]:
    """One table per family of cases that differ in length only; [] where a benchmark has no time and rate by length."""
    return [_table(section, rest, lines) for rest, lines in _families(section).items()]


def shown(section: Section) -> set[int]:
    """The `id` of each figure in these tables."""
    lines = [line for family in _families(section).values() for line in family]
    return {id(figure) for _, time, rate in lines for figure in (time, rate)}


def _families(section: Section) -> dict[str, list[Line]]:
    """Lines of cases that differ in length only, by what else they are measured with; of more than one length."""
    if file_rates.covers(section):  # which have a table of their own, that says of what each rate is
        return {}
    rates, times = _of(section, "B/s"), _of(section, "s")
    families: dict[str, list[Line]] = {}
    named = telling([time.params for time in times.values()], section)
    for (case, time), stated in zip(times.items(), named, strict=True):
        if case in rates and isinstance(time.params.get("bytes"), int):
            rest = params({key: value for key, value in stated.items() if key != "bytes"})
            families.setdefault(rest, []).append((time.params["bytes"], time, rates[case]))
    return {rest: lines for rest, lines in families.items() if len({n for n, *_ in lines}) > 1}


def _of(section: Section, unit: str) -> dict[str, ReportedFigure]:
    """The first figure of this unit by its case as text: its median, or the best reading where no median stands."""
    figures = [f for f in listed(section) if f.unit == unit and f.statistic in ("median", "best")]
    found: dict[str, ReportedFigure] = {}
    for figure in figures:
        if figure.name == figures[0].name:
            found.setdefault(str(figure.params), figure)  # medians are listed first
    return found


def _table(section: Section, rest: str, lines: list[Line]) -> Grid:
    rows = []
    for length, time, rate in sorted(lines, key=lambda line: line[0]):
        spread = time.ci95 or time.range or (None, None)
        state = "" if time.state == "clean" else words(time)
        rows.append((str(length), *(_fixed(v, 1e6) for v in (time.shown, *spread)), _fixed(rate.shown, 1e-6), state))
    headings = ("bytes", "time (us)", "least", "most", "rate (MB/s)", "state")
    ends = "the 95% interval" if lines[0][1].ci95 else "the range of launches"
    time = lines[0][1]
    note = f"Least and most: {ends}." + (f" Time: {time.help}." if time.help else "")
    return grid(section.title + (f", {rest}" if rest else ""), headings, rows, note, left=0)


def _fixed(value: float | None, factor: float) -> str:
    """Two decimals, as OSU prints; more of what would be nothing."""
    if value is None:
        return "–"
    scaled = value * factor
    return f"{scaled:.2f}" if scaled >= 0.995 or scaled == 0 else f"{scaled:.3g}"


SECTION = ReportSection(
    order=10,
    of_benchmark=BenchmarkView(
        place=Place.LEAD,
        tables=lambda document, section: tables(section),
        on_page=False,
        covers=shown,
    ),
)
