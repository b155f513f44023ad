"""A table as lines of text for a given width: no word is broken, in whatever room there is.

Cells are wrapped at spaces, and behind a hyphen or a slash. Where not even the longest pieces of all columns have room
side by side, the columns of values are shown some at a time, each time behind the columns of words; where these
alone fill the width, a row is a list of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len

GAP = 2  # columns between two cells
# characters: columns of words, of numbers, and of names of one word each, no longer than that are not wrapped where
# others can be
WHOLE_WORDS, WHOLE_NUMBERS, WHOLE_NAMES = 16, 12, 20
TITLE, HEAD, ROW, NOTE = "title", "head", "row", "note"
Line = tuple[str, str]  # what it is, and its text
_PIECE = re.compile(r"\S*?\w{3}[-/](?=\w{3})|\S+")  # up to and with a hyphen or slash between words; MB/s is one


def laid_out(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], left: int, width: int) -> list[Line]:
    """Lay out a table in lines of at most `width` columns; its first `left` columns are words, the others numbers."""
    found = [(TITLE, text) for text in wrapped(title, width)]
    if not headings:
        return found
    least = [max(map(longest_piece, column)) for column in _columns(headings, rows)]
    groups = _groups(least, min(left, len(headings)), width)
    if groups is None:
        return [*found, *_records(headings, rows, width)]
    for number, group in enumerate(groups):
        found += [(ROW, "")] if number else []
        parts = [[row[i] for i in group] for row in rows]
        found += _beside(
            [headings[i] for i in group], parts, [i < left for i in group], [least[i] for i in group], width
        )
    return found


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text at its spaces, hyphens and slashes; a piece that is longer than the width alone is cut."""
    lines: list[str] = []
    line = ""
    for gap, piece in _pieces(text):
        if not line or cell_len(line) + gap + cell_len(piece) <= width:
            line += " " * gap * bool(line) + piece
        else:
            lines.append(line)
            line = piece
        while cell_len(line) > width:
            lines.append(line[:width])
            line = line[width:]
    return [*lines, line]


def longest_piece(text: str) -> int:
    """The width below which a text cannot be wrapped."""
    return max((cell_len(piece) for _, piece in _pieces(text)), default=0)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The pieces of a text, each with how many spaces are before it."""
    end = 0
    for found in _PIECE.finditer(text):
        yield found.start() - end, found[0]
        end = found.end()


def _columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[heading, *(row[i] for row in rows)] for i, heading in enumerate(headings)]


def _groups(least: Sequence[int], left: int, width: int) -> list[list[int]] | None:
    """The columns that are shown at a time; None where there is no room for one next to the columns of words."""
    if sum(least) + GAP * (len(least) - 1) <= width:
        return [[*range(len(least))]]
    words = [*range(left)]
    room = width - sum(least[:left]) - GAP * left
    if any(each > room for each in least[left:]) or left == len(least):
        return None
    groups, used = [words[:]], 0
    for i in range(left, len(least)):
        wanted = least[i] + (GAP if used else 0)
        if used and used + wanted > room:
            groups.append(words[:])
            used, wanted = 0, least[i]
        groups[-1].append(i)
        used += wanted
    return groups


def _beside(
    headings: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[bool], least: Sequence[int], width: int
) -> Iterator[Line]:
    """The rows of some columns, side by side."""
    columns = _columns(headings, rows)
    widths = [max(map(cell_len, column)) for column in columns]
    firm = [
        max(each, *map(cell_len, column[1:]), 0) if _is_whole(column[1:], word) else each
        for each, column, word in zip(least, columns, words, strict=True)
    ]
    figures = [low if word else kept for low, kept, word in zip(least, firm, words, strict=True)]
    for floor in (firm, figures, least):  # what is given up last: a number's line with its unit
        _narrow(widths, floor, width)
    for kind, row in ((HEAD, headings), *((ROW, row) for row in rows)):
        cells = [wrapped(text, of) for text, of in zip(row, widths, strict=True)]
        if kind == HEAD:  # down to the cells
            cells = [[""] * (max(map(len, cells)) - len(cell)) + cell for cell in cells]
        for at in range(max(map(len, cells))):
            parts = [cell[at] if at < len(cell) else "" for cell in cells]
            pads: list[Callable[[str, int], str]] = [_left if word else _right for word in words]
            text = (" " * GAP).join(pad(part, of) for pad, part, of in zip(pads, parts, widths, strict=True))
            yield kind, text.rstrip()


def _is_whole(cells: Sequence[str], word: bool) -> bool:
    """Whether a column's cells are short enough for one line each while others can be wrapped."""
    short = all(cell_len(cell) <= (WHOLE_WORDS if word else WHOLE_NUMBERS) for cell in cells)
    return short or all(cell_len(cell) <= WHOLE_NAMES and cell.replace("-", "").isalpha() for cell in cells)


def _narrow(widths: list[int], floor: Sequence[int], width: int) -> None:
    """Take columns from the widest that is above its floor, until all fit or none is."""
    while sum(widths) + GAP * (len(widths) - 1) > width:
        above = [i for i, each in enumerate(widths) if each > floor[i]]
        if not above:
            return
        widths[max(above, key=lambda i: widths[i])] -= 1


def _records(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[Line]:
    """Each row as a list: its cells below one another behind their headings."""
    column = min(max(map(cell_len, headings)), width // 2)
    for number, row in enumerate(rows):
        if number:
            yield ROW, ""
        for heading, cell in zip(headings, row, strict=True):
            names, values = wrapped(heading, column), wrapped(cell, width - column - GAP)
            for at in range(max(len(names), len(values))):
                name, value = (of[at] if at < len(of) else "" for of in (names, values))
                yield ROW, f"{_left(name, column)}{' ' * GAP}{value}".rstrip()


def _left(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text
