"""The tables of a run's report, read back from its Markdown (`assay report RUN --markdown`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TITLE = re.compile(r"^\*\*(?P<title>.+)\*\*$")
_OWN = re.compile(r"\((measured|simulated)")
NONE = ("", "–")


@dataclass(frozen=True)
class MarkdownTable:
    """A table with its title, headings and rows of text."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def own(self) -> list[int]:
        """The columns of one's own values: by their headings, else the first after the rows' names."""
        answer = [at for at, text in enumerate(self.headings) if _OWN.search(text) or text.endswith(": here")]
        return answer or [1]

    @property
    def beside(self) -> bool:
        """Whether an own value is next to printed ones: in a row, or in a row of one's own among others."""
        mine = [row for row in self.rows if _OWN.search(row[0]) and set(row[1:]) - set(NONE)]
        if mine:
            return len(mine) < len(self.rows)
        return any(
            any(row[at] not in NONE for at in self.own)
            and any(text not in NONE for at, text in enumerate(row) if at and at not in self.own)
            for row in self.rows
        )


def tables(markdown: str) -> list[MarkdownTable]:
    """All tables that have a title."""
    found: list[MarkdownTable] = []
    title, lines = "", list[tuple[str, ...]]()
    for line in [*markdown.splitlines(), ""]:
        named = _TITLE.match(line)
        if line.startswith("|"):
            lines.append(tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]))
        elif lines:
            if title:
                found.append(MarkdownTable(title, lines[0], tuple(lines[2:])))
            title, lines = "", []
        if named:
            title = named["title"]
    return found
