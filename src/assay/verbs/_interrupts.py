"""Ctrl-C and SIGTERM: one line that states what is kept, and how to go on from there."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InterruptError

if TYPE_CHECKING:
    from assay.store import Run

TERMINATED = 128 + signal.SIGTERM  # exit status


class Termination:
    """Whether SIGTERM came, which batch systems send at a time limit, and the exit status that tells it from Ctrl-C."""

    came = False

    def status(self, status: int) -> int:
        """Give the exit status of a command that would end with `status`."""
        return TERMINATED if self.came and status == InterruptError.status else status


@contextmanager
def terminated_as_by_ctrl_c() -> Iterator[Termination]:
    """Let SIGTERM end a verb as Ctrl-C does, so that what is kept is whole and said; not where it is ignored."""
    found = Termination()

    def interrupt(number: int, frame: object) -> None:
        found.came = True
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield found
        return
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield found
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def ends_in_a_line(out: Path | None = None) -> Iterator[None]:
    """Turn KeyboardInterrupt into the line; `out` holds the finished points, once there are any."""
    try:
        yield
    except KeyboardInterrupt:
        kept = ""
        if out is not None:
            kept = f"; finished points are kept in {out}, the same command resumes from there"
            if not out.exists():
                kept = f"; no point was finished yet, and {out} is not there"
        raise InterruptError(f"interrupted{kept}") from None


@contextmanager
def report_can_be_made_again(run: Run) -> Iterator[None]:
    """Turn KeyboardInterrupt, while a measured run's report is made, into the line that says how to get the report."""
    try:
        yield
    except KeyboardInterrupt:
        state = "complete" if run.about.get("state") == "done" else "kept"
        raise InterruptError(
            f"interrupted; the run is {state}, and its report is made by: assay report {run.folder}"
        ) from None
