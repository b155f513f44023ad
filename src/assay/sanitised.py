"""Names from outside (hosts, machines, jobs, files) as terminals, Markdown and CSV show them, without any effect.

A page is escaped by its own templates. Whatever is printed passes `terminal`, which `cli` puts around both streams;
tables drawn by rich pass `console`, since rich writes control sequences of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

# Control characters but tab and the ends of lines (CSV's are two), and those that change a line's direction or end.
_CONTROL = re.compile(
    "\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")  # where CommonMark's raw HTML or an automatic link begins
_TARGET = re.compile(r"\](?=[(\[:])")  # where the target of a link or picture begins
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # how cells begin that a spreadsheet computes
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)")


def visible(text: str) -> str:
    """Write control characters as their escapes: `\\x1b`."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def markdown(text: str) -> str:
    """Escape what would be raw HTML or a link in Markdown; control characters as `visible`."""
    return _TARGET.sub(r"]\\", _TAG.sub("&lt;", visible(text)))


def markdown_cell(text: str) -> str:
    """Escape a cell of a table in Markdown, which is on one line."""
    return " ".join(markdown(text).replace("|", "\\|").split("\n"))


def csv_row(values: Iterable[Any]) -> list[Any]:
    """Put an apostrophe before texts that a spreadsheet would compute; numbers, also as text, stay as they are."""
    return [
        f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value) else value
        for value in values
    ]


class TerminalStream:
    """A text stream that writes control characters as their escapes; otherwise the stream that it was made from."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream  # rich writes there by itself: `console` has looked at its texts

    def write(self, text: str) -> int:
        """Write a text; the number of characters that were given."""
        self.rich_proxied_file.write(visible(text))
        return len(text)

    def writelines(self, lines: Sequence[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def terminal(stream: TextIO) -> TextIO:
    """Put the guard around a stream that has none."""
    return stream if isinstance(stream, TerminalStream) else cast(TextIO, TerminalStream(stream))


def unguarded(stream: IO[str]) -> IO[str]:
    """The stream behind the guard, for control sequences of our own."""
    return stream.rich_proxied_file if isinstance(stream, TerminalStream) else stream


def console(**options: Any) -> Console:
    """Make a console of rich's that shows texts as they are: without markup, control characters as their escapes."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class TextConsole(Console):
        @property
        def file(self) -> IO[str]:
            return unguarded(super().file)  # behind the guard also where rich has put a proxy of its own before it

        @file.setter
        def file(self, stream: IO[str]) -> None:
            self._file = stream

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=visible(segment.text))

    return TextConsole(highlight=False, markup=False, emoji=False, **options)
