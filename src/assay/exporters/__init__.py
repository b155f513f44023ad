"""Forms that a run is exported in, one a file: each module of this folder has an `EXPORTER`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import duckdb

    from assay.document.run_document import Document
    from assay.store import Run

TABLE = "figures"  # what is derived; the other tables are stored


class ExportSource:
    """What is exported of a run: the rows of a table, or its whole document."""

    def __init__(self, run: Run, table: str, document: Callable[[Run], Document]) -> None:
        self.run = run
        self.table = table
        self._derived = document

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """A connection that has the table as a view."""
        from assay.report.derive import figure_table
        from assay.store import connect

        return connect([self.run], figures=figure_table.table([self.run]) if self.table == TABLE else None)

    @cached_property
    def rows(self) -> duckdb.DuckDBPyConnection:
        """The rows of the table, not yet fetched."""
        return self.connection.execute(f"SELECT * FROM {self.table}")

    @property
    def names(self) -> list[str]:
        """The columns of the table."""
        return [column[0] for column in self.rows.description or []]

    def fetched(self) -> Iterator[list[tuple[object, ...]]]:
        """The rows, some thousands at a time."""
        return fetched(self.rows)

    @cached_property
    def document(self) -> Document:
        """The run's document."""
        return self._derived(self.run)


@dataclass(frozen=True)
class Exporter:
    """A form: how it is called, the ends of its files' names, and `write`, which returns how many rows it wrote.

    `of_figures`: it is of a run's figures, and takes no other table; `binary`: it is written into a file only.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    write: Callable[[ExportSource, TextIO], int]
    of_figures: bool = False
    binary: bool = False


def fetched(answer: duckdb.DuckDBPyConnection) -> Iterator[list[tuple[object, ...]]]:
    """The rows of an answer, some thousands at a time: between these a signal is answered."""
    while some := answer.fetchmany(10000):
        yield some


def names() -> list[str]:
    """Names of the forms, the usual one first."""
    return sorted((module.name for module in pkgutil.iter_modules(__path__)), key=lambda name: (name != "csv", name))


def exporter(name: str) -> Exporter:
    """Return the form of that name, which is one of `names()`."""
    found: Exporter = importlib.import_module(f"{__name__}.{name}").EXPORTER
    return found
