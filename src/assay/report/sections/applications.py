"""The applications of a run beside one another: time, where it goes, imbalance, and speedup where ranks were varied."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assay.case import Case
from assay.document.account import TimeAccount
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.case_order import case_key, record_of
from assay.report.derive.states import words
from assay.report.derive.variants import reference
from assay.report.registry import PartView, ReportSection, RunPlace, RunView, only
from assay.report.render.case_words import case_words
from assay.report.sections.time_accounts import UNSHOWN, percent, ranks_words
from assay.report.units import human

PART = "applications"
NOTE = (
    "Time: of the timed runs. Computing, calls (send, receive, wait) and idling at the end are shares of all ranks' "
    "time in a run of their own; imbalance is the longest computing of a rank over the mean. Speedup is over the same "
    "case on the fewest ranks of this run; 2 x 4: ranks times the threads of each."
)
MOST_ON_TERMINAL = 24  # rows


def table(document: Document) -> Grid | None:
    """A row for each case of each application with an account; None where there is none."""
    rows = [row for section in document.benchmarks if section.part == PART for row in _rows(section)]
    shares = ("computing", "in calls", "idle", "imbalance")
    headings = ("application", "case", "ranks", "time", *shares, "speedup", "state")
    return grid("Applications", headings, rows, NOTE, left=2) if rows else None


def _processors(of: TimeAccount) -> int:
    return of.ranks * int(of.params.get("threads", 1))


def _rows(section: Section) -> Iterator[tuple[str, ...]]:
    record = record_of(section)
    times = {
        each.params: each
        for each in section.figures
        if each.name == "time" and each.statistic != "first" and each.shown is not None
    }
    alike: dict[Case, list[TimeAccount]] = defaultdict(list)
    for each in section.accounts or ():
        alike[each.params.without(UNSHOWN)].append(each)
    for of in sorted(alike.values(), key=lambda of: case_key(record, of[0].params, UNSHOWN)):
        of.sort(key=lambda each: (_processors(each), each.ranks))
        base = times.get(of[0].params)
        for each in of:
            found = times.get(each.params)
            time = each.time if found is None or found.shown is None else found.shown
            speedup = base.shown / time if base is not None and base.shown and len(of) > 1 else None
            yield (
                section.title,
                case_words({key: value for key, value in each.params.items() if key not in UNSHOWN}, record) or "–",
                ranks_words(each),
                human(time, "s", 3),
                percent(1 - each.share - each.idle),
                percent(each.share),
                percent(each.idle),
                percent(each.imbalance),
                "–" if speedup is None else f"{speedup:.3g}",
                "invalid" if found is None else words(found),
            )


def _on_terminal(document: Document) -> list[Grid]:
    found = table(reference(document)) if len(document.benchmarks) > 1 else None
    return [] if found is None or len(found.rows) > MOST_ON_TERMINAL else [found]


SECTION = ReportSection(
    order=720,
    of_part=PartView(
        belongs=lambda section: section.part == PART and not section.historical,
        tables=lambda document: only(table(reference(document))),
    ),
    of_run=RunView(
        place=RunPlace.TOP,
        title=lambda document: "Applications",
        anchor="applications",
        tables=lambda document: only(table(reference(document))),
        terminal_tables=_on_terminal,
        on_page=False,
    ),
)
