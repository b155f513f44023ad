"""A study's results as data (`assay study --json`) and as words for a terminal.

Tables that need no simulation and judged claims belong to the papers' room, which hands them in.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.network import deadlocking
from assay.network.documents import MeanOfPoint, StudyAnswer, StudyClaim, StudyPoint
from assay.network.study.figures import figures
from assay.network.study.results import SHARES, Point, Results, StudyTable
from assay.number_words import number_of

STARTUP_US, CYCLE_US = 200.0, 0.05
VERSION = 2  # of the document; 1 left "per node" and "per element" out of its figures' units


def document(results: Results, tables: Sequence[StudyTable] = (), claims: Sequence[StudyClaim] = ()) -> StudyAnswer:
    """All results: latencies in us, rates in messages per element per ms (without I/O: flits per node per cycle)."""
    study = results.study
    return {
        "version": VERSION,
        "study": study.name,
        "title": study.head.title,
        "figure": study.head.figure,
        "source": study.head.source,
        "figures": figures(results),
        "cpu_seconds": results.cpu_seconds,
        "messages": results.messages,
        "points": [point_document(point) for point in results.points],
        "saturation": [
            {
                "setting": one.setting,
                "brackets": one.brackets,
                "middle": one.middle,
                "predicted": one.predicted,
                "busiest": one.busiest,
                "deadlocked": one.deadlocked,
            }
            for one in results.brackets
        ],
        "tables": [{"caption": one.caption, "columns": one.columns, "rows": one.rows} for one in tables],
        "claims": list(claims),
    }


def point_document(point: Point) -> StudyPoint:
    """One point: latencies with intervals, what the paper calls total latencies, the samples behind them."""
    figures: dict[str, MeanOfPoint] = {
        name: {**point.estimate(name).document(), "samples": samples} for name, samples in point.means.items()
    }
    shares = {name: figures.pop(name) for name in SHARES if name in figures}
    made: StudyPoint = {
        "setting": point.setting,
        "rate": point.rate,
        "saturated": point.saturated,
        "deadlocked": point.deadlocked,
        "backlog": {"quarter": point.backlog[0], "whole": point.backlog[1]},
        "latencies_us": figures,
        "shares": shares,
        "total_us": totals(point),
        "predicted_us": point.predicted,
    }
    if not shares:
        del made["shares"]
    return made


ENDED = f"ended in a deadlock: {deadlocking.NO_LOAD}"
LENGTHS = {"pe_pe": 32, "pe_io": 32, "io_io": 32, "io_pe": 4096, "write": 4128}


def totals(point: Point) -> dict[str, float]:
    """Total latency of each kind in us: header latency and c = start-up + (size - 1) 0.05 us (section 5)."""
    return {
        name: point.estimate(name).mean + STARTUP_US + (LENGTHS[name] - 1) * CYCLE_US
        for name in point.means
        if name in LENGTHS
    }


def words(results: Results, tables: Sequence[StudyTable] = (), claims: Sequence[str] = ()) -> str:
    """For a terminal: tables, points, saturation, and the lines of the claims."""
    study = results.study
    lines = [f"{study.head.title} ({', '.join(part for part in (study.head.figure, study.head.source) if part)})"]
    for table in tables:
        rows = [table.columns, *([str(cell) for cell in row] for row in table.rows)]
        lines += ["", table.caption, *("  ".join(row) for row in rows)]
    for point in results.points:
        setting = ", ".join(f"{key.rpartition('.')[2]} {_short(value)}" for key, value in point.setting.items())
        state = (
            "deadlock"
            if point.deadlocked
            else "saturated"
            if point.saturated
            else "  ".join(f"{name} {point.estimate(name).mean:.4g}" for name in keys(results) if point.means.get(name))
        )
        lines.append(f"  {setting}: {state}")
    for one in results.brackets:
        setting = ", ".join(f"{key.rpartition('.')[2]} {_short(value)}" for key, value in one.setting.items())
        between = f"saturates between {one.low:.4g} and {one.high:.4g}"
        lines.append(f"  {setting}: {f'{one.deadlocked} runs {ENDED}' if one.deadlocked else between}")
    return "\n".join([*lines, *claims, *_worked(results)])


def brief(results: Results, claims: str = "") -> str:
    """Sum a study up in one line."""
    parts = [f"{len(results.points)} points"] if results.points else []
    parts += [claims] if claims else []
    found = [*parts, *_worked(results)]
    return f"{results.study.name}: {'; '.join(found) if found else results.study.head.title}"


def _worked(results: Results) -> list[str]:
    """Messages of the network's simulator, and its time; nothing of a study that simulates files by another one."""
    return [f"{number_of(results.messages, 'message')}, {results.cpu_seconds:.1f} CPU s"] if results.messages else []


def keys(results: Results) -> list[str]:
    """The latencies that a table of points shows."""
    if results.study.head.keys:
        return list(results.study.head.keys)
    kinds = ("pe_pe", "pe_io", "io_io", "io_pe", "pe_waiting", "io_waiting", "read")
    return [name for name in kinds if any(point.means.get(name) for point in results.points)] or ["header"]


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
