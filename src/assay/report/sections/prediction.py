"""Parts and whole: an application's time on several ranks from kernels' rates on one rank and measured messages.

The same program is simulated on a machine of two laws: each kernel at the rate that the run on one rank had, a message
of n bytes in startup + n * per_byte, fitted to messages that were timed beside the run on several ranks. What ranks
take from each other by sharing memory or caches is in neither: it shows as an error, and so does other load.

Each launch is predicted by its own rates and messages: their median has an interval, and how many measured times lie
within theirs is the coverage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from assay.analysis.binomial import share_interval
from assay.analysis.intervals import across_launches
from assay.benchmark.record import Benchmark
from assay.benchmark.resolved import program_words
from assay.case import Case
from assay.described.two_laws import played
from assay.document.account import TimeAccount
from assay.document.fits import LineFit
from assay.document.grid import Grid, grid
from assay.document.predicted import PredictedTime
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.case_order import case_key, record_of
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, Place, ReportSection, RunSource
from assay.report.render.case_words import case_words
from assay.report.sections.time_accounts import UNSHOWN, ByLaunch, accounts, by_launch, made, percent, ranks_words
from assay.report.units import human
from assay.samples import Circumstance
from assay.stored.account import account_line

if TYPE_CHECKING:
    from assay.analysis.alpha_beta import AlphaBeta

SIMULATED = Circumstance("", "", "applications", "parts", 0, 0, 1, "")
LEAST_MESSAGES = 3  # lengths that a line is fitted to
MOST_LAUNCHES = 12  # that are simulated of a case
MOST_PARTS = 8  # of a case that are shown
LEAST_PART = 0.005  # of all ranks' time
NONE: ByLaunch = {}
ECHO = "echo"
NOTE = (
    "The program simulated with the rates that its kernels had on one rank, and messages of {messages}. Perfect: the "
    "error of perfect scaling, the time on one rank over the ranks. Shares are of all ranks' time: measured, "
    "predicted. What ranks take from each other by sharing caches and memory is in no part, and shows as error."
)
SPENT = (
    "Seconds of all ranks, and shares of all ranks' time, in the noted run and as predicted. Waiting is part of the "
    "calls: rank for sender, in calls that the sender's message ended."
)


def predicted(
    record: Benchmark,
    accounts: Sequence[TimeAccount],
    figures: Sequence[ReportedFigure],
    of_launches: ByLaunch = NONE,
) -> list[PredictedTime]:
    """One of each case that was measured on one rank and on several; [] where the simulator cannot play it.

    `accounts`: of median time; `of_launches`: all of them.
    """
    alone = {_case(each): each for each in accounts if each.ranks == 1}
    times = {f.params: f for f in figures if f.name == "time" and f.statistic != "first" and f.shown}
    found = []
    for each in accounts:
        one = alone.get(_case(each))
        measured = times.get(each.params)
        if one is None or each.ranks == 1 or measured is None or measured.shown is None:
            continue
        first = times.get(one.params)
        on_one = one.time if first is None or first.shown is None else first.shown
        ones, several = (of_launches.get(_key(of)) or [(0, of)] for of in (one, each))
        played: list[tuple[TimeAccount, dict[str, float], TimeAccount]] = []
        for at, (_, with_messages) in enumerate(several[:MOST_LAUNCHES]):
            launch, base = ones[at % len(ones)]
            rates = _rates(base, _of_launch(first, launch, on_one))
            if len(with_messages.messages) >= LEAST_MESSAGES:
                line = _line(with_messages)
                simulated = _played(record, rates, with_messages, line.alpha, line.beta)
                played += [(simulated, rates, with_messages)] if simulated is not None else []
        if played:
            found.append(_beside(each, played, measured.shown, on_one / each.ranks))
    return found


def _key(of: TimeAccount) -> tuple[Case, int]:
    return of.params, of.ranks


def _of_launch(figure: ReportedFigure | None, launch: int, otherwise: float) -> float:
    """A figure's value in one launch."""
    if figure is None:
        return otherwise
    values = {int(at): value for at, value in figure.by_launch or figure.best_by_launch or ()}
    return values.get(launch, otherwise)


def _case(of: TimeAccount) -> Case:
    return of.params.without(("ranks", "ppn"))


def _rates(one: TimeAccount, time: float) -> dict[str, float]:
    """Units of each kernel per second on one rank, as in a run of `time` s that is divided as the account says."""
    scale = one.time / time
    kernels = one.kernels.items()
    return {name: scale * amount / spent for name, (spent, _, amount) in kernels if spent > 0 and amount > 0}


def _line(of: TimeAccount) -> AlphaBeta:
    from assay.analysis import alpha_beta  # which takes scipy

    sizes, times = zip(*of.messages, strict=True)
    return alpha_beta.fit(sizes, [list(times)], "relative")


def _played(
    record: Benchmark, rates: Mapping[str, float], of: TimeAccount | PredictedTime, startup: float, per_byte: float
) -> TimeAccount | None:
    # Threads of a rank are in the rates, and described machines have none.
    sets = [f"{key}={value}" for key, value in of.params.items() if key in record.parameters and key != "threads"]
    words = program_words(record, [word for each in sets for word in ("--set", each)], simulated=True)
    given = (*words, "--unchecked")
    lines = played(record.name, of.ranks, given, rates=rates, startup=max(startup, 0.0), per_byte=max(per_byte, 0.0))
    for text in (lines or "").splitlines():
        event = json.loads(text)
        if event["event"] == "account":
            return made(account_line(event, SIMULATED))
    return None


def with_echo(sections: Sequence[Section]) -> list[Section]:
    """The sections, predictions also by the line that was fitted to the messages of echo, where the run has it."""
    lines = [fit for each in sections if each.benchmark == ECHO for fit in each.fits if isinstance(fit, LineFit)]
    line = next((fit for fit in lines if fit.estimator == "relative"), None)
    return list(sections) if line is None else [_by_line(each, line) for each in sections]


def _by_line(section: Section, line: LineFit) -> Section:
    record = record_of(section)
    if not section.predicted or record is None:
        return section
    made = []
    for each in section.predicted:
        simulated = _played(record, each.rates, each, line.alpha, line.beta)
        made.append(each if simulated is None else replace(each, by_echo=simulated.time))
    return replace(section, predicted=made)


def _beside(
    of: TimeAccount,
    played: Sequence[tuple[TimeAccount, dict[str, float], TimeAccount]],
    measured: float,
    perfect: float,
) -> PredictedTime:
    """`played`: of each launch what was simulated, with which rates, and the account whose messages it had."""
    found = across_launches([[each.time] for each, _, _ in played])
    simulated, rates, with_messages = sorted(played, key=lambda each: each[0].time)[(len(played) - 1) // 2]
    line = _line(with_messages)
    return PredictedTime(
        params=of.params,
        ranks=of.ranks,
        measured=measured,
        predicted=found.value,
        perfect=perfect,
        computing=(1 - of.share - of.idle, 1 - simulated.share - simulated.idle),
        in_calls=(of.share, simulated.share),
        rates=rates,
        startup=max(line.alpha, 0.0),
        per_byte=max(line.beta, 0.0),
        worst=max(abs(each) for each in line.residuals),
        interval=found.ci95 or found.range,
        level=found.level if found.ci95 else None,
        launches=found.launches,
        noted=of.time,
        parts=_parts(of, simulated),
    )


def _parts(measured: TimeAccount, simulated: TimeAccount) -> dict[str, tuple[float, float]]:
    """Seconds of all ranks in each kernel and call, and in waiting for whom."""
    both = [_spent(of) for of in (measured, simulated)]
    return {name: (both[0].get(name, 0.0), both[1].get(name, 0.0)) for name in dict.fromkeys([*both[0], *both[1]])}


def _spent(of: TimeAccount) -> dict[str, float]:
    spent = {f"kernel {name}": three[0] for name, three in of.kernels.items()}
    spent |= {name: three[0] for name, three in of.calls.items()}
    return spent | {f"rank {rank} for rank {whom}": seconds for rank, whom, seconds in of.waits}


def tables(section: Section) -> list[Grid]:
    """A row for each prediction, and where the time went, as measured and as predicted; [] where there is none."""
    record = record_of(section)
    entries = sorted(section.predicted or (), key=lambda of: (case_key(record, of.params, UNSHOWN), of.ranks))
    if not entries:
        return []
    echo = any(each.by_echo is not None for each in entries)
    rows = []
    for each in entries:
        ends = () if each.interval is None else (human(end, "s", 3) for end in each.interval)
        rows.append(
            (
                _words(each, record),
                ranks_words(each),
                human(each.measured, "s", 3),
                human(each.predicted, "s", 3),
                " … ".join(ends) if each.launches > 1 else "one launch",
                f"{100 * each.error:+.0f}%",
                f"{100 * each.perfect_error:+.0f}%",
                *(", ".join(map(percent, both)) for both in (each.computing, each.in_calls)),
                *([human(each.by_echo, "s", 3)] if echo else []),
            )
        )
    first = entries[0]
    messages = f"{human(first.startup, 's', 3)} and {human(first.per_byte, 's/B', 3)}"
    messages += f" (a line that is off by up to {100 * max(each.worst for each in entries):.0f}%)"
    headings: tuple[str, ...] = (
        "case",
        "ranks",
        "measured",
        "predicted",
        "interval",
        "error",
        "perfect",
        "computing",
        "in calls",
    )
    headings += ("by echo",) if echo else ()
    note = NOTE.format(messages=messages) + coverage(entries)
    note += " By echo: predicted with the line fitted to the messages of echo in this run." if echo else ""
    whole = grid(f"Parts and whole: {section.title}", headings, rows, note)
    return [whole, *_spent_on(section, entries, record)]


def coverage(entries: Sequence[PredictedTime]) -> str:
    """How many measured times lie within their intervals, with the interval of that share; errors beside perfect's."""
    errors = [median(abs(getattr(each, name)) for each in entries) for name in ("error", "perfect_error")]
    text = f" Median error {100 * errors[0]:.0f}%, of perfect scaling {100 * errors[1]:.0f}%."
    judged = [each for each in entries if each.covers is not None]
    if not judged:
        return text + " Coverage is not known: intervals need several launches."
    covered = sum(bool(each.covers) for each in judged)
    low, high = share_interval(covered, len(judged))
    what = "95% intervals" if all(each.level for each in judged) else "intervals (ranges where launches are few)"
    shares = f"binomial 95% interval {100 * low:.0f}% to {100 * high:.0f}%"
    return f"{text} Coverage: {covered} of {len(judged)} measured times lie within the {what}; {shares}."


def _words(of: PredictedTime, record: Benchmark | None) -> str:
    return case_words({key: value for key, value in of.params.items() if key not in UNSHOWN}, record) or "–"


def _spent_on(section: Section, entries: Sequence[PredictedTime], record: Benchmark | None) -> list[Grid]:
    rows = []
    for each in entries:
        wholes = each.ranks * (each.noted or each.measured), each.ranks * each.predicted
        largest = sorted(each.parts.items(), key=lambda part: -max(part[1]))[:MOST_PARTS]
        for name, spent in largest:
            shares = [seconds / whole for seconds, whole in zip(spent, wholes, strict=True)]
            if max(shares) >= LEAST_PART:
                kind = "waiting" if name.startswith("rank ") else "computing" if name.startswith("kernel ") else "call"
                times = (human(seconds, "s", 3) for seconds in spent)
                rows.append((_words(each, record), ranks_words(each), kind, name, *times, *map(percent, shares)))
    headings = ("case", "ranks", "what", "where", "measured", "predicted", "share", "share predicted")
    return [grid(f"Where the time went: {section.title}", headings, rows, SPENT, left=4)] if rows else []


def _derive(source: BenchmarkSource) -> Derived:
    if source.described or not source.complete:
        return Derived()
    by_case = by_launch(source.lines.tasks)
    found = predicted(source.record, accounts(by_case), source.figures, by_case)
    return Derived(values={"predicted": found or None})


def _complete(source: RunSource, document: Document) -> Document:
    return replace(document, benchmarks=with_echo(document.benchmarks))


SECTION = ReportSection(
    order=180,
    complete=_complete,
    derive=_derive,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: tables(section),
    ),
)
