"""A verb's message when Ctrl-C or SIGTERM ends it (stops.py): what is stored, and how to resume."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InterruptError

if TYPE_CHECKING:
    from assay.store import Run


@contextmanager
def ends_in_a_line(out: Path | None = None) -> Iterator[None]:
    """Turn KeyboardInterrupt into the line; `out` holds the finished points, once there are any."""
    try:
        yield
    except KeyboardInterrupt:
        kept = ""
        if out is not None:
            kept = f"; finished points are in {out}, the same command resumes from there"
            if not out.exists():
                kept = f"; no point was finished yet, and {out} is not there"
        raise InterruptError(f"interrupted{kept}") from None


@contextmanager
def report_can_be_made_again(run: Run) -> Iterator[None]:
    """Turn KeyboardInterrupt, while a measured run's report is made, into a line with the command for the report."""
    try:
        yield
    except KeyboardInterrupt:
        state = "complete" if run.about.get("state") == "done" else "kept"
        raise InterruptError(
            f"interrupted; the run is {state}, and its report is made by: assay report {run.folder}"
        ) from None
