"""Published numbers as tables for people: what varies among cells makes rows and columns, what does not a heading.

Works on any selection of cells, so a machine's column of Table 3 and the whole of Appendix A go the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.machine.catalogue import PublishedCell, load

COLUMNS = 9  # more would not fit a terminal of 80 columns next to the rows' names


@dataclass(frozen=True)
class PivotTable:
    """One table: `columns` are the headings of `rows` beyond their first entries; entries are as printed."""

    family: str
    title: str
    fixed: str
    row_keys: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def grids(cells: Sequence[PublishedCell]) -> list[PivotTable]:
    """Group cells by where they were printed, and lay each group out, benchmark after benchmark.

    Doubtful numbers carry a `?`. A table of several benchmarks has the name of their family, or of the first.
    """
    groups: dict[tuple[str, ...], list[PublishedCell]] = {}
    for cell in cells:
        place = cell.table or f"{cell.source} {cell.benchmark} {cell.metric} {sorted(cell.params)}"
        groups.setdefault((cell.paper, place), []).append(cell)
    laid = [_grid(group) for group in groups.values()]
    order = list(dict.fromkeys(grid.family for grid in laid))
    return sorted(laid, key=lambda grid: order.index(grid.family))


def _grid(cells: list[PublishedCell]) -> PivotTable:
    labels = [_label(cell) for cell in cells]
    keys = list(dict.fromkeys(key for label in labels for key in label))
    varying = [key for key in keys if len({label.get(key) for label in labels}) > 1]
    fixed = ", ".join(_words(key, labels[0][key]) for key in keys if key not in varying and labels[0].get(key))
    column = _column(labels, varying)
    row_keys = tuple(key for key in varying if key != column)
    heads = list(dict.fromkeys(label.get(column, "–") for label in labels)) if column else ["value"]
    rows: list[tuple[tuple[str, ...], dict[str, str]]] = []
    for cell, label in zip(cells, labels, strict=True):
        row = tuple(label.get(key, "–") for key in row_keys)
        head = label.get(column, "–") if column else "value"
        values = next((values for known, values in rows if known == row and head not in values), None)
        if values is None:  # also where the paper gives the same thing twice
            values = {}
            rows.append((row, values))
        values[head] = f"{cell.printed}" + ("?" if cell.doubtful else "")
    first = load().benchmarks[cells[0].benchmark]
    return PivotTable(
        family=first.family or first.id,
        title=f"{cells[0].source} ({cells[0].paper})",
        fixed=fixed,
        row_keys=(*row_keys[:-1], f"{row_keys[-1]} \\ {column}") if row_keys and column else row_keys,
        columns=tuple(heads),
        rows=tuple((*row, *(values.get(head, "–") for head in heads)) for row, values in rows),
        notes=tuple(dict.fromkeys(note for cell in cells for note in cell.notes)),
    )


def _label(cell: PublishedCell) -> dict[str, str]:
    """Everything that distinguishes a cell from its neighbours, as text."""
    named = {"benchmark": cell.benchmark, "machine": cell.machine, "metric": cell.metric, "unit": cell.printed_unit}
    return {key: str(value) for key, value in {**named, **cell.params}.items() if value is not None}


def _column(labels: list[dict[str, str]], varying: list[str]) -> str | None:
    """The key to spread over columns: the one with the fewest values that fit and leave no two cells in one place."""
    fitting = [key for key in varying if key != "unit" and len({label.get(key) for label in labels}) <= COLUMNS]
    fitting.sort(key=lambda key: (key != "machine", key in ("benchmark", "metric"), varying.index(key) * -1))
    for key in fitting:
        others = [other for other in varying if other != key]
        tall = {tuple(label.get(other) for other in others) for label in labels}
        if len(tall) * 2 <= len(labels) or len(varying) == 1:
            return key
    return None


def _words(key: str, value: str) -> str:
    return value if key in ("benchmark", "machine", "metric") else f"in {value}" if key == "unit" else f"{key} {value}"
