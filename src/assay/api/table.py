"""Figures as one table: a row a figure, a column a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from assay.document.verb_figure import VerbFigure

if TYPE_CHECKING:
    import pyarrow

FIRST, LAST = ("benchmark", "name"), ("value", "unit", "low", "high", "statistic", "state", "kind")
MOST_ROWS = 40  # of what a notebook shows


def rows(figures: Sequence[VerbFigure]) -> list[dict[str, object]]:
    """Give each figure flat: benchmark, name, its parameters, value, unit, the 95% interval, statistic, state, kind.

    A parameter that has the name of another column is `param.NAME`. A column that no figure has is left out.
    """
    parameters = dict.fromkeys(key for each in figures for key in each.get("params", {}))
    made = []
    for each in figures:
        low, high = each.get("ci95") or (None, None)
        flat: dict[str, object] = {**each, "low": low, "high": high}
        row = {key: flat.get(key) for key in FIRST}
        row |= {column(key): each.get("params", {}).get(key) for key in parameters}
        made.append(row | {key: flat.get(key) for key in LAST})
    kept = [key for key in (made[0] if made else ()) if any(row[key] is not None for row in made) or key == "value"]
    return [{key: row[key] for key in kept} for row in made]


def column(parameter: str) -> str:
    """The column of a parameter."""
    return f"param.{parameter}" if parameter in (*FIRST, *LAST) else parameter


def table(figures: Sequence[VerbFigure]) -> pyarrow.Table:
    """Give the rows as an Arrow table; a parameter with values of several types is text."""
    import pyarrow

    flat = rows(figures)
    columns = {key: [row[key] for row in flat] for key in (flat[0] if flat else ())}
    return pyarrow.table({key: _column(values) for key, values in columns.items()})


def _column(values: list[Any]) -> Any:
    import pyarrow

    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        values = [None if value is None else float(value) for value in values]
    elif len(kinds) > 1 or kinds & {list, dict}:
        values = [None if value is None else str(value) for value in values]
    return pyarrow.array(values)


def html(figures: Sequence[VerbFigure]) -> str:
    """Give a notebook's table, of the first rows; what is equal in all rows is in a line above it."""
    flat = rows(figures)
    if not flat:
        return "<p>no figures</p>"
    equal = [
        key for key in flat[0] if key not in ("name", "value", "unit") and len({_shown(row[key]) for row in flat}) == 1
    ]
    varied = [key for key in flat[0] if key not in equal] if len(flat) > 1 else list(flat[0])
    common = ", ".join(f"{key} {_shown(flat[0][key])}" for key in equal if key not in varied)
    head = "".join(f"<th>{escape(key)}</th>" for key in varied)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_shown(row[key]))}</td>" for key in varied) + "</tr>" for row in flat[:MOST_ROWS]
    )
    above = f"<p>{escape(common)}</p>" if common else ""
    more = f"<p>{len(flat) - MOST_ROWS} more rows: <code>.to_pandas()</code></p>" if len(flat) > MOST_ROWS else ""
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _shown(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
