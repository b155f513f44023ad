"""The fastest way of each case that no library has a way of, beside the next: a row for each case.

So it is of a described machine without a library, where algorithms stand beside one another alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assay.benchmark.variants import without
from assay.case import Case
from assay.document.grid import Grid, grid
from assay.document.params import Parameters
from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.section import Section
from assay.report.derive.settings import setting
from assay.report.judge.comparison import size
from assay.report.registry import BenchmarkView, Place, ReportSection, only
from assay.report.render.console import WIDTH
from assay.report.sections import choices
from assay.report.units import human

Ways = tuple[Parameters, list[ReportedFigure]]  # and its ways, the fastest first
MOST_ON_TERMINAL = 36  # cases: all that a described machine's quick profile has


def table(section: Section, most: int | None = None) -> Grid | None:
    """Lay out a row for each case; None where there is none, or none with two ways.

    `most`, for a terminal: of more rows only those of each operation's least and greatest length are kept, and the
    time of the next way is left out where it has no room.
    """
    found = _cases(section)
    if section.choice is None or not any(len(ways) > 1 for _, ways in found):
        return None
    shown = found if most is None or len(found) <= most else _ends(found)
    common = {key: value for key, value in found[0][0].items() if all(case.get(key) == value for case, _ in found)}
    keys = choices.columns([case for case, _ in found])
    rows = []
    for case, (first, *others) in shown:
        ways = [_way(each, section.choice.across) for each in (first, *others[:1])]
        next_best = ways[1] if others else (choices.NONE, choices.NONE)
        rows.append((*(choices.cell(case, key) for key in keys), *ways[0], *next_best))
    headings = [*keys, "fastest", "time", "next", "time"]
    if most is not None and grid("", headings, rows).width > WIDTH:
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    apart = [setting(key, value) for key, value in common.items() if key not in keys and value is not None]
    note = f"All with {', '.join(apart)}. " if apart else ""
    note += "By the medians; whether the two differ was not tested." if choices.varies(section) else ""
    left = len(found) - len(shown)
    note += f" {left} more lengths are in the report, which `assay report RUN` writes." if left else ""
    return grid("The fastest algorithm", headings, rows, note.strip(), left=2)


def first(section: Section) -> Iterator[Headline]:
    """The fastest way of each operation at its least length, to be seen first."""
    operations = set()
    for case, ways in _cases(section):
        operation = case.get("operation")
        if operation in operations or section.choice is None or len(ways) < 2:
            continue
        operations.add(operation)
        length = choices.cell(case, "bytes")
        words = [str(operation), *([] if length == choices.NONE else [length]), setting("ranks", case.get("ranks"))]
        way = ways[0].params[section.choice.across]
        yield Headline(figure=ways[0], title=f"{', '.join(words)}: {way} (fastest)")


def stands_first(section: Section) -> bool:
    """Whether most operations have no choice that was judged."""
    judged = {choice.params.get("operation") for choice in section.choices or ()}
    others = {case.get("operation") for case, _ in _cases(section)}
    return len(others - judged) > len(judged)


def _cases(section: Section) -> list[Ways]:
    """Cases that a library has no way of, in the order of the record's operations, then by size.

    Where it has one that could not be judged, as of a disturbed run, its time may be less than all others'.
    """
    wanted = section.choice
    if wanted is None:
        return []
    own = {
        without(choices.rest(figure.params, wanted.across))
        for figure in section.figures
        if figure.params.get(wanted.across) == wanted.own
    }
    found: dict[tuple[str | None, Case], list[ReportedFigure]] = defaultdict(list)
    for ways in choices.cells(section.figures, wanted):
        for figure in ways.values():
            case = choices.rest(figure.params, wanted.across)
            if without(case) not in own:
                found[figure.host, case].append(figure)
    made = [(case, sorted(ways, key=lambda each: each.value or 0.0)) for (_, case), ways in found.items()]
    return sorted(made, key=lambda each: (choices.place(section, each[0]), size(each[0])))


def _ends(found: list[Ways]) -> list[Ways]:
    lengths: dict[object, set[int]] = defaultdict(set)
    for case, _ in found:
        lengths[case.get("operation")].add(int(case.get("bytes") or 0))
    ends = {operation: {min(of), max(of)} for operation, of in lengths.items()}
    return [each for each in found if int(each[0].get("bytes") or 0) in ends[each[0].get("operation")]]


def _way(figure: ReportedFigure, across: str) -> tuple[str, str]:
    return str(figure.params[across]), human(figure.value, figure.unit, 3)


SECTION = ReportSection(
    order=330,
    of_benchmark=BenchmarkView(
        place=Place.JUDGEMENT,
        tables=lambda document, section: only(table(section)),
        terminal_tables=lambda document, section: only(table(section, MOST_ON_TERMINAL)),
        replaces=lambda section: table(section) is not None,
    ),
)
