"""A machine's history on one page of HTML: every figure as a sparkline, its changes, and what else changed there."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

from assay.decide.page_template import page_from
from assay.document.history import FigureHistory, HistoryChange, MachineHistory
from assay.report.units import human, params
from assay.store import storage_failed
from assay.stored.lines import whole

WIDTH, HEIGHT, EDGE = 240, 36, 3  # of a sparkline, in pixels


@dataclass(frozen=True)
class Sparkline:
    """One figure: its line's points, the places of its changes, and words."""

    name: str
    points: str
    changes: list[tuple[float, str]]
    newest: str
    least: str
    most: str
    runs: int
    worse: bool


def write_page(of: MachineHistory, file: Path) -> Path:
    """Write the page, whole or not at all; it needs no other file. InputError where it cannot be written."""
    try:
        with whole(file) as out:
            out.write(page(of))
    except OSError as error:
        storage_failed(error, file)
    return file


def page(of: MachineHistory) -> str:
    """Lay out the page."""
    lines = [sparkline(each, of.changes) for each in of.series if each.values]
    lines.sort(key=lambda each: (not each.worse, not each.changes))  # what became worse first
    filters = {"date": _date, "case": params, "value": human, "signed": "{:+.1%}".format}
    return page_from("history.html", filters, of=of, lines=lines, width=WIDTH, height=HEIGHT)


def sparkline(of: FigureHistory, changes: list[HistoryChange]) -> Sparkline:
    """Draw a figure's values, which are positive, on a logarithmic scale, run by run."""
    logs = [math.log(each.value) for each in of.values]
    low, high = min(logs), max(logs)
    step = (WIDTH - 2 * EDGE) / max(1, len(logs) - 1)

    def up(value: float) -> float:
        part = (value - low) / (high - low) if high > low else 0.5
        return HEIGHT - EDGE - part * (HEIGHT - 2 * EDGE)

    case = params(of.params)
    own = [each for each in changes if (each.figure, each.params) == (of.figure, of.params)]
    places = {each.run: number for number, each in enumerate(of.values)}
    return Sparkline(
        name=f"{of.figure}{f' ({case})' if case else ''}",
        points=" ".join(f"{EDGE + step * at:.1f},{up(value):.1f}" for at, value in enumerate(logs)),
        changes=[
            (round(EDGE + step * (places[each.at_run] - 0.5), 1), "worse" if each.worse else "better") for each in own
        ],
        newest=human(of.values[-1].value, of.unit),
        least=human(math.exp(low), of.unit),
        most=human(math.exp(high), of.unit),
        runs=len(logs),
        worse=any(each.worse for each in own),
    )


def _date(value: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(float(value)))
