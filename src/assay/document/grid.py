"""A table before it is drawn: the terminal, Markdown and the page each draw the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.sanitised import markdown, markdown_cell

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


@dataclass(frozen=True)
class Grid:
    """Headings and rows of text; the first `left` columns are words, the rest numbers."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    left: int = 1

    def markdown(self) -> str:
        """Write the table as Markdown."""
        rule = [":---" if i < self.left else "---:" for i in range(len(self.headings))]
        lines = [self.headings, rule, *self.rows]
        text = "\n".join("| " + " | ".join(map(markdown_cell, line)) + " |" for line in lines)
        return f"**{markdown_cell(self.title)}**\n\n{text}\n" + (f"\n{markdown(self.note)}\n" if self.note else "")

    @property
    def width(self) -> int:
        """The columns that it takes on a terminal with each cell on a line."""
        from assay.document.grid_lines import GAP

        widths = [max(len(row[i]) for row in (self.headings, *self.rows)) for i in range(len(self.headings))]
        return sum(widths) + GAP * (len(widths) - 1)

    def rich(self) -> GridOnConsole:
        """Draw the table for a terminal, as wide as the console that prints it."""
        return GridOnConsole(self)


@dataclass(frozen=True)
class GridOnConsole:
    """A table as a console prints it."""

    grid: Grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give its lines, laid out for the console's width."""
        from rich.text import Text

        from assay.document.grid_lines import HEAD, NOTE, ROW, TITLE, laid_out, wrapped

        of, width = self.grid, options.max_width
        lines = laid_out(of.title, of.headings, of.rows, of.left, width)
        lines += [(NOTE, text) for text in (wrapped(of.note, width) if of.note else ())]
        styles = {TITLE: "bold", HEAD: "table.header", ROW: "", NOTE: "table.caption"}
        for kind, text in lines:
            yield Text(text, style=styles[kind], no_wrap=True)


def grid(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], note: str = "", left: int = 1) -> Grid:
    """Make a grid from any sequences of text."""
    return Grid(title, tuple(headings), tuple(tuple(row) for row in rows), note, left)
