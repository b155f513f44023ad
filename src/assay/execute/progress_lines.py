"""Progress of programs while a launch lasts: `progress` lines of its files, read as they come.

{"event": "progress", "done": 3, "of": 88, "now": "all 2^32 arguments of exp, float32, scalar"}: a piece of long work
outside of what is measured begins, so many were done before. No other part reads these lines.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.execute.job import Job, outputs
from assay.machine.units import waiting_time

WITHIN = "within a launch: "  # how a line of such progress begins
EVERY = 1.0  # s between two looks at the files
_KIND = b'"event":"progress"'


@contextlib.contextmanager
def follow_progress(job: Job, every: float = EVERY) -> Iterator[None]:
    """Report by `job.say` the progress lines of a launch's programs, with the time left at the current rate.

    A launch has a file, or one per node, which is named. Earlier content is skipped; the last
    lines are read when the launch has ended.
    """
    ended = threading.Event()
    files = {path: _File(_size(path)) for _, path in outputs(job.out)}
    follower = threading.Thread(target=_follow, args=(job, files, every, ended), daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()


@dataclass
class _File:
    """A file that is followed: bytes read of it, and when which piece was the first to be seen."""

    read: int = 0
    first: tuple[float, int] | None = None


def _follow(job: Job, files: dict[Path, _File], every: float, ended: threading.Event) -> None:
    going = True
    while going:
        going = not ended.wait(every)
        for node, path in outputs(job.out):
            name = f"{job.name} on {node}" if node else job.name
            for line in _new_lines(path, file := files.setdefault(path, _File())):
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    event = json.loads(line)
                    done, of, now = int(event["done"]), int(event["of"]), time.monotonic()
                    file.first = file.first or (now, done)
                    began, before = file.first
                    pace = (now - began) / (done - before) if done > before else None
                    left = "" if pace is None else f", about {waiting_time(pace * (of - done))} left"
                    job.say(f"{WITHIN}{name}: {event['now']}: {done + 1} of {of}{left}")


def _new_lines(path: Path, file: _File) -> list[bytes]:
    """Lines of progress behind what was read."""
    if _size(path) <= file.read:
        return []
    with path.open("rb") as lines:
        lines.seek(file.read)
        new = lines.read()
    new = new[: new.rfind(b"\n") + 1]
    file.read += len(new)
    return [each for each in new.splitlines() if _KIND in each]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
