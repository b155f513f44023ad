"""A long Markdown page as an overview and one page for each of its parts, whose links lead where they led."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Namer = Callable[[str, str], str | None]
_HEADING = re.compile(r"^(?P<marks>##+) (?P<text>.+)$")
_LINK = re.compile(r"(?<=\]\()(?P<target>[^)#:\s]+)(?=[)#])")


@dataclass
class _Section:
    """A heading with the lines up to the next one."""

    level: int
    text: str
    lines: list[str] = field(default_factory=list)


def split(text: str, folder: str, name: Namer) -> dict[str, str]:
    """Give `folder`.md and a page `folder`/NAME.md for each heading (level 2 or below) that `name` gives a name.

    `name` is called with a heading's text and the text below it. Such a section, with the sections below it, is a page
    of its own, with its heading as title. The overview keeps the rest. It lists the pages where they were cut, those
    of level 2 before its first heading of that level. The keys are paths, the values whole pages. Two sections of one
    name raise ValueError.
    """
    sections = _sections(text)
    kept: list[str] = []
    first: list[str] = []
    pages: dict[str, list[str]] = {}
    page, cut = "", 0
    for one in sections:
        if page and one.level > cut:
            pages[page] += [f"{'#' * (one.level - cut + 1)} {one.text}", *one.lines]
            continue
        page = (name(one.text, "\n".join(one.lines)) or "") if one.level > 1 else ""
        if not page:
            kept += ["", f"{'#' * one.level} {one.text}"] if one.level else []
            kept += one.lines
            continue
        if page in pages:
            raise ValueError(f"two parts of {folder}.md have the name {page}")
        cut = one.level
        pages[page] = [f"# {one.text}", f"\nPart of [{_title(sections)}]({folder}.md).", *one.lines]
        (first if cut == 2 else kept).append(f"* [{one.text}]({folder}/{page}.md)")
    at = next((at for at, line in enumerate(kept) if line.startswith("## ")), len(kept))
    whole = "\n".join([*kept[:at], *first, *([""] if first else []), *kept[at:]])
    moved = {f"{folder}/{page}.md": "\n".join(_moved(line, folder) for line in lines) for page, lines in pages.items()}
    return {
        path: made.rstrip() + "\n" for path, made in ({f"{folder}.md": re.sub("\n{3,}", "\n\n", whole)} | moved).items()
    }


def write(root: Path, pages: Mapping[str, str]) -> list[Path]:
    """Write pages below `root`; their paths."""
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return [root / path for path in pages]


def read(root: Path, folder: str) -> str:
    """Read the overview `folder`.md and its pages as one text; empty where they are not there."""
    found = [path for path in (root / f"{folder}.md", *sorted((root / folder).glob("*.md"))) if path.exists()]
    return "\n".join(path.read_text(encoding="utf-8") for path in found)


def _sections(text: str) -> list[_Section]:
    """Sections in their order; what comes before the first heading of level 2 is of level 0, its own title included."""
    found, fenced = [_Section(0, "")], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading:
            found.append(_Section(len(heading["marks"]), heading["text"]))
        else:
            found[-1].lines.append(line)
    return found


def _title(sections: list[_Section]) -> str:
    return next((line.removeprefix("# ") for line in sections[0].lines if line.startswith("# ")), "the overview")


def _moved(line: str, folder: str) -> str:
    """The line with its relative links as they are from within `folder`."""
    return _LINK.sub(
        lambda found: (
            target.removeprefix(f"{folder}/")
            if (target := found["target"]).startswith(f"{folder}/")
            else f"../{target}"
        ),
        line,
    )
