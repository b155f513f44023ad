"""Several runs in one report: each figure of each run in one row, with what a comparison with the first run says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.analysis.comparison import MARGIN
from assay.report import comparing
from assay.report.comparing_tables import MARKS
from assay.report.gate import required
from assay.report.grid import Grid, grid
from assay.report.units import human, params
from assay.samples import case_text

Document = dict[str, Any]
SIGNS = {"differs": "differs", "equal": "equal", "cannot be told": "?"}


def side_by_side(documents: Sequence[Document], margin: float = MARGIN) -> Document:
    """Put runs beside the first one: `runs` and `rows`, whose `values` come in the order of the runs (None: not there).

    A value has its run's figure (value, state, estimator, …), its `ratio` to the first run's and the `verdict` on it.
    `headline` marks what at least two of the runs show first.
    """
    first = documents[0]
    rows: dict[comparing.Key, Document] = {}
    heads: set[comparing.Key] = set()
    for place, other in enumerate(documents):
        if place == 0 or bool(other.get("described")) == bool(first.get("described")):  # else cases are only matched
            for key, figure in comparing.compared(other).items():
                _row(rows, key, figure, len(documents))["values"][place] = comparing.side(other, figure)
        if place > 0:
            wanted = required(first, other, None)
            heads |= wanted
            for found in comparing.against(first, other, margin, wanted.__contains__):
                key = (found["benchmark"], found["figure"], case_text(found["params"]))
                judged = {name: found[name] for name in ("ratio", "ci95", "verdict", "reason")}
                rows[key]["values"][place] = {**found["b"], **judged}
    for key, row in rows.items():
        row["headline"] = key in heads
    return {
        "margin": margin,
        "runs": [_about(document) for document in documents],
        "rows": sorted(rows.values(), key=lambda row: (row["benchmark"], row["figure"], comparing.size(row["params"]))),
    }


def _row(rows: dict[comparing.Key, Document], key: comparing.Key, figure: Document, runs: int) -> Document:
    about = {"benchmark": key[0], "figure": key[1], **{name: figure[name] for name in ("params", "unit", "better")}}
    return rows.setdefault(key, {**about, "headline": False, "values": [None] * runs})


def _about(document: Document) -> Document:
    told = ("run", "machine", "profile", "created", "state", "kind", "folder")
    host = document.get("host") or {}
    about = {name: document.get(name) for name in told}
    return {**about, "processor": host.get("cpu"), "processors": host.get("usable_cpus")}


def letters(beside: Document) -> list[str]:
    """A short name for each run: A, B, … Z, then by number."""
    return [chr(ord("A") + i) if i < 26 else f"run {i + 1}" for i in range(len(beside["runs"]))]


def runs_table(beside: Document) -> Grid:
    """Which letter is which run."""
    rows = [
        (letter, *map(str, (run["run"], run["machine"], _processors(run), run["profile"] or "–", run["state"])))
        for letter, run in zip(letters(beside), beside["runs"], strict=True)
    ]
    return grid("Runs side by side", ("", "run", "machine", "processors", "profile", "state"), rows, left=6)


def _processors(run: Document) -> str:
    if run["kind"] == "predicted":
        return "described"
    counted = "" if run["processors"] is None else f"{run['processors']:g} × "
    return f"{counted}{run['processor'] or ('processor' if counted else '–')}"


def table(beside: Document, headlines: bool = False) -> Grid:
    """Every row, or the headlines alone: each run's value, and beside it the ratio to A with the verdict."""
    names = letters(beside)
    rows = [row for row in beside["rows"] if row["headline"] or not headlines]
    several = len({row["benchmark"] for row in rows}) > 1
    lines = []
    for row in rows:
        cells = [_value(row["values"][0], row["unit"])]
        for value in row["values"][1:]:
            cells += [_value(value, row["unit"]), _judged(value)]
        name = (f"{row['benchmark']} " if several else "") + row["figure"].replace("_", " ")
        lines.append((name, params(row["params"]) or "–", *cells))
    across = [heading for name in names[1:] for heading in (name, f"{name} / A")]
    note = (
        f"?: cannot be told; *: disturbed. Judged at {beside['margin']:.0%}, each run against A, the family corrected."
    )
    return grid("Figures", ("figure", "case", "A", *across), lines, note, left=2)


def _value(value: Document | None, unit: str) -> str:
    if value is None:
        return "–"
    return human(value["value"], unit) + MARKS.get(value["state"], f" ({value['state']})")


def _judged(value: Document | None) -> str:
    if value is None or value.get("ratio") is None:
        return "–"
    return f"{value['ratio']:.3f} {SIGNS[value['verdict']]}"


def markdown(beside: Document) -> str:
    """Write all of it as Markdown."""
    return "\n".join(["# Runs side by side\n", runs_table(beside).markdown(), table(beside).markdown()])
