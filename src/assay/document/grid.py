"""A table before it is drawn: the terminal, Markdown and the page each draw the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.table import Table

# characters: columns of words, and of names of one word each, no longer than that are not folded in a narrow terminal
WHOLE_WORDS, WHOLE_NAMES = 16, 20


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
        text = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"**{self.title}**\n\n{text}\n" + (f"\n{self.note}\n" if self.note else "")

    def rich(self) -> Table:
        """Draw the table for a terminal."""
        from rich.markup import escape
        from rich.table import Table

        table = Table(title=escape(self.title), title_justify="left", title_style="bold", box=None, pad_edge=False)
        for i, heading in enumerate(self.headings):
            justify: Literal["left", "right"] = "left" if i < self.left else "right"
            cells = [row[i] for row in self.rows]
            whole = i < self.left and all(len(cell) <= WHOLE_WORDS for cell in cells)
            whole |= all(len(cell) <= WHOLE_NAMES and cell.replace("-", "").isalpha() for cell in cells)
            table.add_column(escape(heading), justify=justify, overflow="fold", no_wrap=whole)
        for row in self.rows:
            table.add_row(*(escape(cell) for cell in row))
        if self.note:
            table.caption, table.caption_justify = escape(self.note), "left"
        return table


def grid(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], note: str = "", left: int = 1) -> Grid:
    """Make a grid from any sequences of text."""
    return Grid(title, tuple(headings), tuple(tuple(row) for row in rows), note, left)
