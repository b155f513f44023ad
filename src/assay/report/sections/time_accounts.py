"""Where an application's time went: computing, in which calls, for whom, idle at the end; imbalance and memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from assay.case import Case
from assay.document.account import TimeAccount
from assay.document.grid import Grid, grid
from assay.document.predicted import PredictedTime
from assay.document.section import Section
from assay.report.derive.case_order import case_key, record_of
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, Place, ReportSection, only
from assay.report.render.case_words import case_words
from assay.report.render.tables import alike
from assay.report.units import human
from assay.stored.account import AccountLine
from assay.stored.launch_file import Tasks

MOST_CALLS = 3  # kinds of call in a cell
UNSHOWN = ("ranks", "threads")  # of a case: what has a column of its own
NOTE = (
    "Of one run made for it, after the timed ones; shares are of all ranks' time. Computing: outside calls. Idle: "
    "after a rank's own end. Imbalance: the longest computing of a rank over the mean. Waits: rank > sender, in calls "
    "that the sender's message ended. Collectives are made of these calls."
)


ByLaunch = dict[tuple[Case, int], list[tuple[int, TimeAccount]]]


def by_launch(tasks: Tasks) -> ByLaunch:
    """Those of each case and number of ranks, with their launches."""
    found: ByLaunch = defaultdict(list)
    for about, file in tasks:
        if not about.superseded:
            for each in file.content.accounts:
                found[each.case, each.ranks].append((about.launch, made(each)))
    return found


def accounts(found: ByLaunch) -> list[TimeAccount]:
    """One of each case and number of ranks: that of median time among its launches, which counts them."""
    middle = []
    for of in found.values():
        ordered = sorted((each for _, each in of), key=lambda each: each.time)
        middle.append(replace(ordered[(len(ordered) - 1) // 2], launches=len(ordered)))
    return middle


def made(line: AccountLine) -> TimeAccount:
    """The account of one line."""
    return TimeAccount(**line.account)


def table(section: Section) -> Grid | None:
    """A row for each case and number of ranks; None where there is no account."""
    entries = section.accounts or []
    if not entries:
        return None
    record = record_of(section)
    common = alike([each.params for each in entries])
    rows = []
    for each in sorted(
        entries, key=lambda of: (case_key(record, of.params, UNSHOWN), of.ranks, of.params.get("threads", 1))
    ):
        case = {key: value for key, value in each.params.items() if key not in common and key not in UNSHOWN}
        rows.append(
            (
                case_words(case, record) or "–",
                ranks_words(each),
                human(each.time, "s", 3),
                percent(1 - each.share - each.idle),
                _calls(each),
                percent(each.idle),
                percent(each.imbalance),
                _waits(each.waits),
                human(max(each.memory), "B", 3) if each.memory else "–",
            )
        )
    words = case_words({key: value for key, value in common.items() if key not in UNSHOWN}, record)
    headings = ("case", "ranks", "time", "computing", "in calls", "idle", "imbalance", "longest wait", "memory")
    return grid(
        f"Where the time goes: {section.title}", headings, rows, NOTE + (f" All with {words}." if words else "")
    )


def ranks_words(of: TimeAccount | PredictedTime) -> str:
    """`4`, or `2 x 8`: ranks times the threads of each, where these are several."""
    threads = of.params.get("threads")
    return str(of.ranks) if threads is None else f"{of.ranks} x {threads}"


def percent(share: float) -> str:
    """Write a share of all ranks' time."""
    return "0%" if share <= 1e-9 else f"{100 * share:.3g}%" if share >= 5e-4 else "<0.1%"


def _calls(of: TimeAccount) -> str:
    """`12% (sendrecv 9%, wait 3%)`."""
    whole = of.ranks * of.time
    by_time = sorted(of.calls.items(), key=lambda item: -item[1][0])[:MOST_CALLS]
    parts = [f"{name} {percent(spent[0] / whole)}" for name, spent in by_time if spent[0] > 0 and whole > 0]
    return percent(of.share) + (f" ({', '.join(parts)})" if len(parts) > 1 else f" ({by_time[0][0]})" if parts else "")


def _waits(waits: Sequence[tuple[int, int, float]]) -> str:
    return f"{waits[0][0]} > {waits[0][1]}, {human(waits[0][2], 's', 3)}" if waits else "–"


def _derive(source: BenchmarkSource) -> Derived:
    return Derived(values={"accounts": accounts(by_launch(source.lines.tasks)) or None})


SECTION = ReportSection(
    order=160,
    derive=_derive,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: only(table(section)),
    ),
)
