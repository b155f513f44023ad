"""The tables of a comparison: run beside run, and a run beside a published machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from assay.document.comparison import (
    FigureRow,
    FigureSide,
    Interval,
    JudgedRow,
    LoneFigure,
    PublishedRow,
    RunDifference,
)
from assay.document.grid import Grid, grid
from assay.document.params import Parameters
from assay.kinds import is_simulated
from assay.number_words import number_of
from assay.report.judge.comparison import ZERO
from assay.report.render.case_words import case_words, words_of
from assay.report.render.tables import alike
from assay.report.units import amount, human, params

MOST_LONE = 3  # figures that only one run has, by name
MARKS = {"clean": "", "disturbed": " *"}


def heading(a: str, b: str, unlike: Sequence[RunDifference] = ()) -> str:
    """Say which run is which, each with its part of what they were made unlike in."""
    sides = ((f"A: {a}", [each.a for each in unlike]), (f"B: {b}", [each.b for each in unlike]))
    words = (
        (name, ", ".join(f"{each.key} {value or 'by default'}" for each, value in zip(unlike, values, strict=True)))
        for name, values in sides
    )
    return ", ".join(f"{name} ({text})" if text else name for name, text in words)


def lone_figures(found: Sequence[LoneFigure], side: str, *, named: bool) -> str:
    """Say how many figures only one run has, and `named` which, of many the first."""
    counted = f"{len(found)} figure{'s' * (len(found) > 1)} only in {side}"
    if not named:
        return counted
    names = []
    for each in found[:MOST_LONE]:
        case = words_of(each.benchmark, each.params)
        names.append(f"{each.benchmark} {each.figure.replace('_', ' ')}" + (f" ({case})" if case else ""))
    more = len(found) - len(names)
    return f"{counted}: {'; '.join(names)}{f'; and {more} more' if more else ''}"


def table_of_runs(rows: Sequence[FigureRow], a: str, b: str, unlike: Sequence[RunDifference] = ()) -> Grid:
    """Lay out a comparison of two runs: the ratio is that of the two columns before it."""
    several = len({row.benchmark for row in rows}) > 1
    common = alike([row.params for row in rows])
    guest = any(side.guest for row in rows for side in (row.a, row.b))
    own = [{key: value for key, value in row.params.items() if key not in common} for row in rows]
    lines = [
        (
            (f"{row.benchmark} " if several else "") + row.figure.replace("_", " "),
            words_of(row.benchmark, case, guest) or "–",
            _value(row.a, row.unit),
            _value(row.b, row.unit),
            "–" if row.ratio is None or bounded(row.a, row.b) else ratio_text(row.ratio),
            _interval(row.ci95),
            "–" if row.reason == ZERO else row.verdict,
        )
        for row, case in zip(rows, own, strict=True)
    ]
    of_tails = ", tail" if _has_tails(rows) else ""
    headings = ("figure", "case", f"A{of_tails}", f"B{of_tails}", "B / A", "95%", "verdict")
    alike_words = case_words(common, None, guest) if several or not rows else words_of(rows[0].benchmark, common, guest)
    note = f"All with {alike_words}. " if alike_words else ""
    return grid(heading(a, b, unlike), headings, lines, note + _note(rows), left=2)


def bounded(*sides: FigureSide | None) -> bool:
    """Whether one of them is only a bound: a ratio with it would say nothing of either machine."""
    return any(each is not None and each.state == "bound" for each in sides)


def ratio_text(ratio: float) -> str:
    """Write a ratio by three decimals near 1, else by three significant digits."""
    if 0.1 <= abs(ratio) < 100:
        return f"{ratio:.3f}"
    return f"{float(f'{ratio:.3g}'):,.0f}" if 100 <= abs(ratio) < 1e9 else f"{ratio:.3g}"


def _interval(pair: Interval | None) -> str:
    if pair is None:
        return "–"
    low, high = (ratio_text(end) for end in pair)
    return "exact" if pair[0] == pair[1] else f"{low} – {high}"


def _value(side: FigureSide, unit: str) -> str:
    """Write a side's value with a mark or its state where it is not clean, and its tail where that is another."""
    value = human(side.value, unit)
    tail = "" if side.tail is None else human(side.tail, unit)
    return value + _mark(side.state) + (f", {tail}" if tail not in ("", value) else "")


def _has_tails(rows: Sequence[FigureRow]) -> bool:
    return any(side.tail is not None for row in rows for side in (row.a, row.b))


def _mark(state: str) -> str:
    return MARKS.get(state, f" ({state})")


def _note(rows: Sequence[FigureRow]) -> str:
    notes = []
    if any("disturbed" in (row.a.state, row.b.state) for row in rows):
        notes.append("*: disturbed; a verdict is given where the disturbance cannot have changed it.")
    if _has_tails(rows):
        notes.append("Tail: a tenth of all readings is worse.")
    if any(is_simulated(row.a.kind) or is_simulated(row.b.kind) for row in rows):
        notes.append("Simulated figures vary in no launch, and how true their description is does ")
        notes[-1] += "not show here."
    if all(is_simulated(row.a.kind) and is_simulated(row.b.kind) for row in rows):
        return " ".join(notes)
    spread = [row.spread for row in rows if row.spread]
    simulated = any(is_simulated(row.a.kind) or is_simulated(row.b.kind) for row in rows)
    turns = not simulated and any(isinstance(row, JudgedRow) and row.paired for row in rows)  # build variants took them
    if spread:
        least, most = min(s[0] for s in spread) - 1, max(s[1] for s in spread) - 1
        notes.append(
            f"A/A (even against odd launches, of the run where they differ more): {least:+.1%} to {most:+.1%}."
        )
    else:
        notes.append(f"No A/A run: fewer than {'ten' if turns else 'eight'} launches.")
    if not turns:
        notes.append(
            "The runs were not interleaved: what changed between them besides the machine cannot be distinguished."
        )
    return " ".join(notes)


def summary(rows: Sequence[FigureRow], a: str, b: str, margin: float) -> str:
    """One line: how many figures are equal, differ or are undecided, and why those are undecided.

    What is zero on both sides is counted apart. Several figures may follow from one measured quantity, as a rate and
    its time do: of how many they are is said too.
    """
    zero = sum(row.reason == ZERO for row in rows)
    rows = [row for row in rows if row.reason != ZERO]
    counts = Counter(row.verdict for row in rows)
    words = {"equal": "equal", "differs": "differ", "inconclusive": "inconclusive"}
    counted = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items())
    reasons = Counter(row.reason for row in rows if row.verdict == "inconclusive")
    few = few_launches(reasons)
    why = f" ({few})" if few else ""
    apart = f"; {zero} zero on both sides" if zero else ""
    cells = len({(row.benchmark, row.metric, row.params) for row in rows})
    kinds = {is_simulated(side.kind) for row in rows for side in (row.a, row.b)}
    how = ("simulated " if kinds.pop() else "measured ") if len(kinds) == 1 else ""
    of = f" of {cells} {how}quantit{'ies' if cells > 1 else 'y'}" if cells < len(rows) else ""
    figures = number_of(len(rows), "figure")
    return f"{b} compared with {a}: {figures}{of} judged at a margin of {margin:.1%}: {counted}{why}{apart}"


def few_launches(reasons: Iterable[str | None]) -> str:
    """Of how many launches those were that are too few: `3 launches, 6 needed`, or `1 to 3 launches` of several."""
    few = {reason for reason in reasons if reason and reason.endswith("needed")}
    if len(few) < 2:
        return next(iter(few), "")
    counts = sorted(int(reason.split()[0]) for reason in few)
    return f"{counts[0]} to {counts[-1]} launches, {next(iter(few)).rpartition(', ')[2]}"


def table_of_machine(rows: Sequence[PublishedRow], run: str, name: str, lacking: Sequence[str] = ()) -> Grid:
    """Lay out a run beside a published machine; `lacking`: what says for which published cases the run has none."""
    lines = [
        (
            row.benchmark,
            row.figure,
            f"{params(row.b.params) or '–'} ({row.b.source})",
            _own_case(row),
            amount(row.a.value, row.unit) + _mark(row.a.state),
            amount(row.b.value, row.unit) + (" (doubtful)" if row.b.doubtful else ""),
            f"– ({row.unlike})" if row.unlike else "–" if row.ratio is None else ratio_text(row.ratio),
        )
        for row in rows
    ]
    cases = ("published case", "own case")
    values = (f"run ({rows[0].a.kind})", f"{name} (quoted)", "published / own")
    notes = ["*: disturbed."] if any(row.a.state == "disturbed" for row in rows) else []
    notes += ["No ratio is formed of unlike work."] if any(row.unlike for row in rows) else []
    notes += [f"No row for {each}." for each in lacking]
    return grid(f"{run} compared with {name}", ("benchmark", "figure", *cases, *values), lines, " ".join(notes), left=4)


def _own_case(row: PublishedRow) -> str:
    """What else the own case is, and what the number was chosen from."""
    words = params(_unstated(row))
    return f"{words or '–'} ({row.of})" if row.of else words or "–"


def _unstated(row: PublishedRow) -> Parameters:
    """What the own case says besides the length and whatever else the published case says in the same words."""
    alike = {key for key, value in row.b.params.items() if str(row.params.get(key)) == str(value)}
    alike |= {"bytes"} if "message_B" in row.b.params else set()
    return {key: value for key, value in row.params.items() if key not in alike}
