"""The lines of a routing table, as `routing = "table"` takes them."""

from __future__ import annotations

from collections.abc import Iterable

COLUMNS = ("router", "destination", "next", "lane", "source")


def table_lines(rows: Iterable[tuple[int, ...]], columns: tuple[str, ...] = COLUMNS[:3]) -> str:
    """Write rows of whole numbers below a line of their columns' names."""
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""])
