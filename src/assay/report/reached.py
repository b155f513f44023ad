"""What a run reached: the main figures of its parts, each beside its bound and beside earlier runs.

A bar is the share of the bound that was reached, so that longer is better whatever the unit; interval and earlier runs
are drawn on the same scale.
"""

from __future__ import annotations

from typing import Any

from assay.benchmark.record import PARTS
from assay.report.bounds import percent, share
from assay.report.earlier import ticks
from assay.report.states import displaced, shown, words
from assay.report.tables import spread
from assay.report.units import human, unit_of

Document = dict[str, Any]
MOST_LINES = 10
LAST = 9  # order of a headline whose record gives none


def lines(document: Document, before: list[Document], most: int = MOST_LINES) -> list[Document]:
    """Pick the main figures, each part's first ones first, and lay them out in the order of the parts."""
    by_part: dict[str, list[tuple[Document, Document]]] = {}
    for section in document["benchmarks"]:
        if not section["historical"]:
            for figure in section["headlines"]:
                by_part.setdefault(section["part"] or "", []).append((figure, section))
    for found in by_part.values():
        found.sort(key=lambda each: each[0].get("order") or LAST)
    turns = max((len(found) for found in by_part.values()), default=0)
    order = [*PARTS, *sorted(set(by_part) - set(PARTS))]
    picked = [(part, turn) for turn in range(turns) for part in order if turn < len(by_part.get(part, ()))][:most]
    picked.sort(key=lambda at: (order.index(at[0]), at[1]))
    return [_line(*by_part[part][turn], document, before) for part, turn in picked]


def _line(figure: Document, section: Document, document: Document, before: list[Document]) -> Document:
    value = shown(figure)
    bound = None if value is None else share(figure, section, document)
    pair = None if value is None else figure.get("ci95") or figure.get("range")
    line = {
        "part": section["part"],
        "benchmark": section["benchmark"],
        "title": figure["title"],
        "value": value,
        "unit": figure["unit"],
        "text": human(value, unit_of(figure), 3),
        "interval": spread(figure),
        "pair": pair,
        "spread": (pair[1] - pair[0]) / abs(value) if pair and value else None,
        "params": figure["params"],
        "better": figure["better"],
        "state": figure["state"],
        "state_text": words(figure),
        "displaced": displaced(figure),
        "bound": None if bound is None else {"value": bound.value, "share": bound.share, "basis": bound.basis},
    }
    line["earlier"] = ticks(line, before)
    line["bound"] = _passed(line)
    line["bound_text"] = (
        "" if line["bound"] is None else bound.text if bound and line["bound"]["share"] > 1 else _of(line)
    )
    return line | {"bar": _bar(line)}


def _passed(line: Document) -> Document | None:
    """The bound, or what an earlier run reached where that is more: a bound from a disturbed run can be too low."""
    bound: Document | None = line["bound"]
    values = [tick["value"] for tick in line["earlier"] if tick["value"]]
    if bound is None or not values or not line["value"]:
        return bound
    best = max(values) if line["better"] == "higher" else min(values)
    if (best <= bound["value"]) if line["better"] == "higher" else (best >= bound["value"]):
        return bound
    share = line["value"] / best if line["better"] == "higher" else best / line["value"]
    return {"value": best, "share": share, "basis": "reached by an earlier run"}


def _of(line: Document) -> str:
    """Say what the bound is; the share is written by who draws the bar."""
    bound = line["bound"]
    return f"of {human(bound['value'], line['unit'], 3)}: {bound['basis']}"


def _bar(line: Document) -> Document | None:
    """Shares of the scale, from 0 to 1: at (the figure), low and high (its interval), ticks (earlier runs).

    The scale is the bound; without one, the best of this figure and the earlier ones; None where there is neither.
    """
    values = [tick["value"] for tick in line["earlier"] if tick["value"]]
    if line["bound"] is not None and line["bound"]["share"] <= 1:
        scale, known = line["bound"]["value"], True
    elif values and line["value"]:
        every, known = [line["value"], *values], False
        scale = max(every) if line["better"] == "higher" else min(every)
    else:
        return None

    def at(value: float) -> float:
        part = value / scale if line["better"] == "higher" else scale / value if value else 1.0
        return min(1.0, max(0.0, part))

    ends = sorted(at(end) for end in line["pair"]) if line["pair"] else [at(line["value"])] * 2
    return {
        "bounded": known,
        "at": at(line["value"]),
        "low": ends[0],
        "high": ends[1],
        "ticks": [{"run": tick["run"], "at": at(tick["value"])} for tick in line["earlier"] if tick["value"]],
        "text": percent(at(line["value"])) if known else "",
    }
