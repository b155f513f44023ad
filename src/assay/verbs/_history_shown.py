"""A machine's history on a terminal: a row for each figure with its values as bars, the changes, what became worse."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.document.history import FigureHistory, HistoryChange, HistoryDifference, MachineHistory, RegressionVerdict
from assay.document.params import Parameters
from assay.report.render.case_words import words_of
from assay.report.render.console import listing
from assay.report.render.sparks import spark
from assay.report.units import human

if TYPE_CHECKING:
    from rich.table import Table

BARS = 40
MOST_CAUSES = 3
SHORTEST = 60  # characters of a value that is shown whole


def show(found: MachineHistory, quiet: bool) -> None:
    """Print the history; with `quiet` its last line alone."""
    out = listing()
    if not quiet and found.series:
        out.print(table(found.series))
    for text in [last(found)] if quiet else summary(found):
        out.print(text, highlight=False, markup=False, soft_wrap=True)


def summary(found: MachineHistory) -> list[str]:
    """The changes, what became worse, and the line that sums up."""
    changes = [change(each, found) for each in found.changes]
    return [*changes, *confirmation(found), *worse(found), last(found)]


def confirmation(found: MachineHistory) -> list[str]:
    """How to confirm the newest change, or what confirming it showed."""
    of = found.confirmation
    if of is None:
        return []
    if of.verdict is not None and of.ratio is None:
        return [f"{of.figure} at run {of.at_run}: inconclusive: measured again, it had no value in this case"]
    if of.verdict is None or of.ratio is None:
        return [f"to confirm {of.figure} at run {of.at_run} ({of.why}): {of.command}"]
    verdict = {"differs": "confirmed", "equal": "not confirmed: equal"}.get(of.verdict, of.verdict)
    between = "" if of.interval is None else f" ({of.interval[0] - 1:+.1%} to {of.interval[1] - 1:+.1%})"
    return [f"{of.figure} at run {of.at_run}: {verdict}, {of.ratio - 1:+.1%}{between} after {of.pairs} pairs"]


def worse(found: MachineHistory) -> list[str]:
    """What became worse by more than the limit, a line a figure."""
    return [_verdict(each) for each in found.regressions if each.state == "missed"]


def table(series: Sequence[FigureHistory]) -> Table:
    """Each figure's newest, least and greatest value, and all of them as bars on a logarithmic scale."""
    from rich.table import Table
    from rich.text import Text

    found = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    found.add_column("old to new", no_wrap=True)
    for heading in ("newest", "least", "greatest", "runs"):
        found.add_column(heading, justify="right", no_wrap=True)
    found.add_column("figure", overflow="fold")
    for of in series:
        values = [each.value for each in of.values]
        ends = [human(each, of.unit) for each in (values[-1], min(values), max(values))] if values else ["–"] * 3
        logs = [math.log(value) for value in values]
        low, high = min(logs, default=0.0), max(logs, default=0.0)
        bars = spark([(each - low) / (high - low) if high > low else 0.5 for each in logs], BARS)
        found.add_row(bars, *ends, str(len(values)), Text(_name(of.figure, of.params)))
    return found


def change(of: HistoryChange, found: MachineHistory) -> str:
    """One change in a line: how much, since which run, and what else changed there."""
    between = ""
    if of.interval is not None:
        between = f" ({of.interval[0] - 1:+.1%} to {of.interval[1] - 1:+.1%})"
    made = {run.id: run.created for run in found.runs}
    day = time.strftime("%Y-%m-%d", time.gmtime(made[of.at_run]))
    levels = f"{human(of.before, of.unit)} to {human(of.after, of.unit)}"
    causes = "; ".join(_cause(each) for each in of.changed[:MOST_CAUSES])
    since = f"; changed there: {causes}" if causes else "; nothing that is recorded changed there"
    better = "worse" if of.worse else "better"
    return (
        f"{_name(of.figure, of.params)}: {better} since run {of.at_run} ({day}): "
        f"{levels}, {of.ratio - 1:+.1%}{between}{since}"
    )


def _cause(of: HistoryDifference) -> str:
    text = f"{of.key} {_short(of.before)} to {_short(of.after)}"
    return text if of.lasting else f"{text} (not for good)"


def _short(text: str | None) -> str:
    if text is None:
        return "none"
    return text if len(text) <= SHORTEST else f"{text[: SHORTEST - 1]}…"


def _verdict(of: RegressionVerdict) -> str:
    return f"{_name(of.figure, of.params)}: worse than its best level by {of.worse_by:.1%}"


def last(found: MachineHistory) -> str:
    """Sum up: how many runs, figures and changes; how many runs would show what is not shown."""
    count, figures, changes = len(found.runs), len(found.series), len(found.changes)
    slower = sum(each.worse for each in found.changes)
    text = f"{found.machine}: {count} run{'s' * (count != 1)}, {figures} figure{'s' * (figures != 1)}, "
    text += f"{changes} change{'s' * (changes != 1)}" + (f" ({slower} for the worse)" if changes else "")
    if found.passed is None:
        return text
    missed = sum(each.state == "missed" for each in found.regressions)
    unshown = [each for each in found.regressions if each.state == "not shown"]
    if missed:
        text += f"; {missed} worse by more than the limit"
    if unshown:
        text += f"; {len(unshown)} of {len(found.regressions)} not shown: {_needed(unshown)}"
    return text + ("; no regression beyond the limit" if found.passed else "")


def _needed(unshown: list[RegressionVerdict]) -> str:
    known = [each.needed for each in unshown if each.needed is not None]
    most = max(known, default=None)
    return f"at least {most} runs at one level are needed" if most else "their runs differ too much for this limit"


def _name(figure: str, case: Parameters) -> str:
    words = words_of(figure.partition(".")[0], case)
    return f"{figure}{f' ({words})' if words else ''}"
