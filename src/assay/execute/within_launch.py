"""What a program says of its progress while a launch lasts: `progress` lines of its file, read as they come.

{"event": "progress", "done": 3, "of": 88, "now": "all 2^32 arguments of exp, float32, scalar"}: a piece of long work
outside of what is measured begins, so many were done before. Nobody else reads these lines.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

WITHIN = "within a launch: "  # how a line of such progress begins
EVERY = 1.0  # s between two looks at the file
_KIND = b'"event":"progress"'


@contextlib.contextmanager
def followed(path: Path, name: str, say: Callable[[str], None], every: float = EVERY) -> Iterator[None]:
    """Say what a program that writes to `path` meanwhile says of its progress, with what is left by the pace so far.

    What stands in the file already is passed over. The last lines are read when the program has ended.
    """
    ended = threading.Event()
    follower = threading.Thread(target=_follow, args=(path, _size(path), name, say, every, ended), daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()


def _follow(path: Path, at: int, name: str, say: Callable[[str], None], every: float, ended: threading.Event) -> None:
    first: tuple[float, int] | None = None
    going = True
    while going:
        going = not ended.wait(every)
        if _size(path) <= at:
            continue
        with path.open("rb") as lines:
            lines.seek(at)
            new = lines.read()
        new = new[: new.rfind(b"\n") + 1]
        at += len(new)
        for line in (each for each in new.splitlines() if _KIND in each):
            with contextlib.suppress(ValueError, KeyError, TypeError):
                event = json.loads(line)
                done, of, now = int(event["done"]), int(event["of"]), time.monotonic()
                first = first or (now, done)
                left = (now - first[0]) / (done - first[1]) * (of - done) if done > first[1] else None
                say(f"{WITHIN}{name}: {event['now']}: {done + 1} of {of}{'' if left is None else _left(left)}")


def _left(seconds: float) -> str:
    return f", about {seconds / 60:.2g} min left" if seconds >= 60 else f", about {seconds:.0f} s left"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
