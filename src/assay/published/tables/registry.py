"""The published tables with a column of a run's own figures, found in this folder: each module that has an `ENTRY`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from assay.document.grid import Grid
from assay.document.params import Parameters
from assay.document.run_document import Document
from assay.document.section import Section

FOLDER = "assay.published.tables"


@dataclass(frozen=True, kw_only=True)
class PublishedTables:
    """Tables of one source: `tables` gives those to which a run has something to add, in a fixed order.

    most_on_terminal: how many of them a terminal shows (default: all). curves: published rates against length, which
    plots of a benchmark show on request.
    """

    order: int
    tables: Callable[[Document], list[Grid]]
    most_on_terminal: int | None = None
    curves: Callable[[Section], Sequence[Parameters]] = lambda section: []


@cache
def published() -> tuple[PublishedTables, ...]:
    """All sources, in order."""
    modules = [
        importlib.import_module(f"{FOLDER}.{each.name}")
        for each in pkgutil.iter_modules(importlib.import_module(FOLDER).__path__)
    ]
    found: list[PublishedTables] = [module.ENTRY for module in modules if hasattr(module, "ENTRY")]
    return tuple(sorted(found, key=lambda each: each.order))
