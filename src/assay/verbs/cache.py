"""`assay cache`: what lies in the cache, how large it is, and its removal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from assay.verbs._options import Json, Quiet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from assay.execute.cache_content import Part


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def cache(
        remove: Annotated[
            bool, typer.Option("--remove", help="remove what Assay would compile or install again; no run")
        ] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Show what lies in the cache, in which folder and how large; or remove it."""
        from assay.benchmark.own import cache_root
        from assay.cli import emit
        from assay.execute import cache_content

        folder = cache_root()
        removed = cache_content.remove(folder) if remove else []
        left = cache_content.parts(folder)
        if json:
            emit({"cache": str(folder), "parts": _entries(left), "removed": _entries(removed)})
            return
        freed, size = (sum(each.bytes for each in some) for some in (removed, left))
        if quiet:
            print(f"{_bytes(freed)} removed, {_bytes(size)} left" if remove else _bytes(size))
            return
        print("\n".join(_lines(folder, removed, left, remove)))


def _entries(parts: Sequence[Part]) -> list[dict[str, object]]:
    return [asdict(each) | {"folder": str(each.folder)} for each in parts]


def _lines(folder: Path, removed: Sequence[Part], left: Sequence[Part], remove: bool) -> list[str]:
    lines = [f"{folder}: {_bytes(sum(each.bytes for each in left))}{' left' if remove else ''}"]
    lines += [_line(each, "removed  ") for each in removed]
    lines += [_line(each, "left     " if remove else "") for each in left]
    if not remove and any(each.kept is None for each in left):
        lines.append("`assay cache --remove` removes what is not in use; it is rebuilt when needed.")
    lines.append("Runs are not part of it: `assay runs` lists them.")
    return lines


def _line(part: Part, how: str) -> str:
    why = f"  not removed: {part.kept}" if part.kept else ""
    return f"  {how}{_bytes(part.bytes):>9}  {part.files:>6} files  {part.name} ({part.folder}){why}"


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
