"""Parts and whole: an application's time on several ranks from kernels' rates on one rank and measured messages.

The same program is simulated on a machine of two laws: each kernel at the rate that the run on one rank had, a message
of n bytes in startup + n * per_byte, fitted to messages that were timed beside the run on several ranks. What ranks
take from each other by sharing memory or caches is in neither: it shows as an error, and so does other load.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.benchmark.record import Benchmark
from assay.benchmark.resolved import program_words
from assay.described.two_laws import played
from assay.document.account import TimeAccount
from assay.document.grid import Grid, grid
from assay.document.predicted import PredictedTime
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.accounts import UNSHOWN, made, percent
from assay.report.case_order import record_of
from assay.report.case_words import case_words
from assay.report.units import human
from assay.samples import Circumstance, case_text
from assay.stored.account import account_line

if TYPE_CHECKING:
    from assay.analysis.alpha_beta import AlphaBeta

SIMULATED = Circumstance("", "", "applications", "parts", 0, 0, 1, "")
LEAST_MESSAGES = 3  # lengths that a line is fitted to
NOTE = (
    "The program simulated with the rates that its kernels had on one rank, and messages of {messages}. Perfect: the "
    "error of perfect scaling, the time on one rank over the ranks. Shares are of all ranks' time: measured, "
    "predicted. What ranks take from each other by sharing caches and memory is in no part, and shows as error."
)


def predicted(
    record: Benchmark, accounts: Sequence[TimeAccount], figures: Sequence[ReportedFigure]
) -> list[PredictedTime]:
    """One of each case that was measured on one rank and on several; [] where the simulator cannot play it."""
    alone = {_case(each): each for each in accounts if each.ranks == 1}
    times = {case_text(f.params): f.shown for f in figures if f.name == "time" and f.statistic != "first" and f.shown}
    found = []
    for each in accounts:
        one = alone.get(_case(each))
        measured = times.get(case_text(each.params))
        if one is None or each.ranks == 1 or len(each.messages) < LEAST_MESSAGES or measured is None:
            continue
        on_one = times.get(case_text(one.params)) or one.time
        rates = _rates(one, on_one)
        simulated = _played(record, rates, each)
        if simulated is not None:
            found.append(_beside(each, simulated, measured, on_one / each.ranks, rates))
    return found


def _case(of: TimeAccount) -> str:
    return case_text({key: value for key, value in of.params.items() if key not in ("ranks", "ppn")})


def _rates(one: TimeAccount, time: float) -> dict[str, float]:
    """Units of each kernel per second on one rank, as in a run of `time` s that is divided as the account says."""
    scale = one.time / time
    kernels = one.kernels.items()
    return {name: scale * amount / spent for name, (spent, _, amount) in kernels if spent > 0 and amount > 0}


def _line(of: TimeAccount) -> AlphaBeta:
    from assay.analysis import alpha_beta  # which takes scipy

    sizes, times = zip(*of.messages, strict=True)
    return alpha_beta.fit(sizes, [list(times)], "relative")


def _played(record: Benchmark, rates: Mapping[str, float], of: TimeAccount) -> TimeAccount | None:
    line = _line(of)
    sets = [f"{key}={value}" for key, value in of.params.items() if key in record.parameters]
    words = program_words(record, [word for each in sets for word in ("--set", each)], simulated=True)
    lines = played(
        record.name,
        of.ranks,
        (*words, "--unchecked"),
        rates=rates,
        startup=max(line.alpha, 0.0),
        per_byte=max(line.beta, 0.0),
    )
    for text in (lines or "").splitlines():
        event = json.loads(text)
        if event["event"] == "account":
            return made(account_line(event, SIMULATED))
    return None


def _beside(
    of: TimeAccount, simulated: TimeAccount, measured: float, perfect: float, rates: dict[str, float]
) -> PredictedTime:
    line = _line(of)
    return PredictedTime(
        params=of.params,
        ranks=of.ranks,
        measured=measured,
        predicted=simulated.time,
        perfect=perfect,
        computing=(1 - of.share - of.idle, 1 - simulated.share - simulated.idle),
        in_calls=(of.share, simulated.share),
        rates=rates,
        startup=max(line.alpha, 0.0),
        per_byte=max(line.beta, 0.0),
        worst=max(abs(each) for each in line.residuals),
    )


def table(section: Section) -> Grid | None:
    """A row for each prediction; None where there is none."""
    entries = section.predicted or []
    if not entries:
        return None
    record = record_of(section)
    rows = []
    for each in entries:
        case = case_words({key: value for key, value in each.params.items() if key not in UNSHOWN}, record)
        shares = (", ".join(map(percent, both)) for both in (each.computing, each.in_calls))
        rows.append(
            (
                case or "–",
                str(each.ranks),
                human(each.measured, "s", 3),
                human(each.predicted, "s", 3),
                f"{100 * each.error:+.0f}%",
                f"{100 * each.perfect_error:+.0f}%",
                *shares,
            )
        )
    first = entries[0]
    messages = f"{human(first.startup, 's', 3)} and {human(first.per_byte, 's/B', 3)}"
    messages += f" (a line that is off by up to {100 * max(each.worst for each in entries):.0f}%)"
    headings = ("case", "ranks", "measured", "predicted", "error", "perfect", "computing", "in calls")
    return grid(f"Parts and whole: {section.title}", headings, rows, NOTE.format(messages=messages))
