"""Runs that may go: all but the newest of each machine, never one that a person named.

A run with a label, other than that of `assay watch`, stays; so does one that is not over, and one whose folder holds
anything that Assay did not write.
"""

from __future__ import annotations

import fnmatch
import shutil
from collections import defaultdict
from collections.abc import Sequence

from assay.errors import InputError
from assay.store import Run, storage_failed

WATCH = "watch"  # the label of periodic runs
WRITTEN = (
    *("run.json", "journal.jsonl", "lock", "report.html", "report.md", "summary.md", "summary.json", "*.parquet"),
    *("figures.json", "launches", "log", "provenance", "tables-*", "*.new"),
)
LAST = "run.json"  # without it nothing could be found again where the removal is interrupted


def beyond_newest(runs: Sequence[Run], keep: int) -> list[Run]:
    """Those of `runs`, the newest last, that are over, not named, and not among the newest `keep` of their machine."""
    by_machine: dict[object, list[Run]] = defaultdict(list)
    for run in runs:
        if run.state != "running":
            by_machine[run.about.get("machine"), bool(run.about.get("described"))].append(run)
    old = [run for of in by_machine.values() for run in of[: max(0, len(of) - keep)]]
    chosen = {run.folder for run in old if run.about.get("label") in (None, WATCH)}
    return [run for run in runs if run.folder in chosen]


def foreign(run: Run) -> str | None:
    """The first thing in a run's folder that is not a run's; None where there is none."""
    names = sorted(path.name for path in run.folder.iterdir())
    return next((name for name in names if not any(fnmatch.fnmatch(name, each) for each in WRITTEN)), None)


def remove_run(run: Run) -> None:
    """Delete a run's folder. InputError where it holds other files, is being written, or cannot be deleted."""
    if (name := foreign(run)) is not None:
        raise InputError("is not removed: it holds a file that is not the run's", file=run.folder, value=name)
    run.hold()
    try:
        for path in sorted(run.folder.iterdir(), key=lambda path: path.name == LAST):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        run.folder.rmdir()
    except OSError as error:
        storage_failed(error, run.folder)
