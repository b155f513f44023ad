"""A study's results as data (`assay study --json`) and as words for a terminal."""

from __future__ import annotations

from typing import Any

from assay.network.study import analysed
from assay.network.study.claims import evaluate, published
from assay.network.study.figures import figures
from assay.network.study.results import Point, Results
from assay.network.study.verdict import ClaimVerdict

MARKS = {"holds": "✓", "differs": "✗", "cannot be told": "?"}
STARTUP_US, CYCLE_US = 200.0, 0.05


def grids(results: Results) -> list[analysed.StudyTable]:
    """The tables of a part that simulates nothing."""
    section = analysed.SECTIONS.get(results.study.head.section)
    return section() if section else []


def document(results: Results) -> dict[str, Any]:
    """Everything found, latencies in us, rates in messages an element a ms (without I/O: flits a node a cycle)."""
    study = results.study
    return {
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
            }
            for one in results.brackets
        ],
        "tables": [{"caption": one.caption, "columns": one.columns, "rows": one.rows} for one in grids(results)],
        "claims": [
            {**verdict.document(), "text": published()[verdict.claim].text if verdict.claim in published() else ""}
            for verdict in evaluate(results)
        ],
    }


def point_document(point: Point) -> dict[str, Any]:
    """One point: latencies with intervals, what the paper calls total latencies, the samples behind them."""
    figures = {name: point.estimate(name).document() | {"samples": samples} for name, samples in point.means.items()}
    return {
        "setting": point.setting,
        "rate": point.rate,
        "saturated": point.saturated,
        "backlog": {"quarter": point.backlog[0], "whole": point.backlog[1]},
        "latencies_us": figures,
        "total_us": totals(point),
        "predicted_us": point.predicted,
    }


LENGTHS = {"pe_pe": 32, "pe_io": 32, "io_io": 32, "io_pe": 4096, "write": 4128}


def totals(point: Point) -> dict[str, float]:
    """Total latency of each kind in us: header latency and c = start-up + (size - 1) 0.05 us (section 5)."""
    return {
        name: point.estimate(name).mean + STARTUP_US + (LENGTHS[name] - 1) * CYCLE_US
        for name in point.means
        if name in LENGTHS
    }


def claim_lines(verdict: ClaimVerdict) -> list[str]:
    """For a terminal."""
    known = published().get(verdict.claim)
    lines = [f"{MARKS[verdict.outcome]} {verdict.outcome}: {known.text if known else verdict.claim} ({verdict.claim})"]
    shown = [part for part in verdict.parts if part.outcome != "holds"] or list(verdict.parts)
    lines += [f"    {MARKS[part.outcome]} {part.numbers}" for part in shown[:6]]
    if len(shown) > 6:
        lines.append(f"    and {len(shown) - 6} more")
    return lines


def words(results: Results) -> str:
    """For a terminal: points, saturation, verdicts."""
    study = results.study
    lines = [f"{study.head.title} ({', '.join(part for part in (study.head.figure, study.head.source) if part)})"]
    for grid in grids(results):
        lines += ["", grid.caption, *("  ".join(str(cell) for cell in row) for row in [grid.columns, *grid.rows])]
    for point in results.points:
        setting = ", ".join(f"{key.rpartition('.')[2]} {_short(value)}" for key, value in point.setting.items())
        state = (
            "saturated"
            if point.saturated
            else "  ".join(f"{name} {point.estimate(name).mean:.4g}" for name in keys(results) if point.means.get(name))
        )
        lines.append(f"  {setting}: {state}")
    for one in results.brackets:
        setting = ", ".join(f"{key.rpartition('.')[2]} {_short(value)}" for key, value in one.setting.items())
        lines.append(f"  {setting}: saturates between {one.low:.4g} and {one.high:.4g}")
    for verdict in evaluate(results):
        lines += claim_lines(verdict)
    lines.append(f"{results.messages:,} messages, {results.cpu_seconds:.1f} CPU s")
    return "\n".join(lines)


def brief(results: Results) -> str:
    """Sum a study up in one line."""
    parts = [f"{len(results.points)} points"] if results.points else []
    outcomes = [verdict.outcome for verdict in evaluate(results)]
    if outcomes:
        counted = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in MARKS if outcome in outcomes)
        parts.append(f"{len(outcomes)} claims: {counted}")
    parts.append(f"{results.messages:,} messages, {results.cpu_seconds:.1f} CPU s")
    return f"{results.study.name}: {'; '.join(parts)}"


def keys(results: Results) -> list[str]:
    """The latencies that a table of points shows."""
    if results.study.head.keys:
        return list(results.study.head.keys)
    kinds = ("pe_pe", "pe_io", "io_io", "io_pe", "pe_waiting", "io_waiting", "read")
    return [name for name in kinds if any(point.means.get(name) for point in results.points)] or ["header"]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
