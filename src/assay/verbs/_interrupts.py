"""Ctrl-C in a verb that simulates: one line that states what is kept, and how to resume where that is possible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import InterruptError


@contextmanager
def ends_in_a_line(out: Path | None = None) -> Iterator[None]:
    """Turn KeyboardInterrupt into the line; `out` holds the finished points."""
    try:
        yield
    except KeyboardInterrupt:
        kept = f"; finished points are kept in {out}, the same command resumes from there" if out is not None else ""
        raise InterruptError(f"interrupted{kept}") from None
