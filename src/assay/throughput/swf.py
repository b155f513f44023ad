"""The Standard Workload Format of the Parallel Workloads Archive, version 2.2: read and written.

A line is a job of 18 numbers; lines that begin with `;` are comments. What is taken: the submission (field 2), the run
time (4), the processors (8, and where that is not known 5), the requested time (9, and where that is not known the run
time), status (11), user (12), queue (15). A number that is not known is -1. Times are whole seconds; a fraction is
rounded. A job that was checkpointed or swapped has a line for all of it and further lines for its parts, with the same
number and a status of 2, 3 or 4: these are not jobs. Compressed files are known by their names.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from assay import input_file
from assay.errors import InputError
from assay.sanitised import visible
from assay.throughput.played import COMPLETED
from assay.throughput.simulated import Scheduled
from assay.throughput.workload import Workload

FIELDS = 18
NUMBER, SUBMIT, WAIT, RUN, ALLOCATED, PROCESSORS, REQUEST, STATUS, USER, QUEUE = 0, 1, 2, 3, 4, 7, 8, 10, 11, 14
FAILED, DONE, CANCELLED, MOST_STATUS = 0, 1, 5, 5  # of field 11
PARTIAL = (2, 3, 4)  # of field 11: a part of a job, its last part
MOST = 2**31 - 2  # of a number of processors, and of seconds
MOST_NAME = 2**53  # of the number of a job, a user or a queue
# The largest number of each field that is read; the others may hold any number.
LIMITS = dict.fromkeys((SUBMIT, RUN, ALLOCATED, PROCESSORS, REQUEST, STATUS), MOST) | dict.fromkeys(
    (NUMBER, USER, QUEUE), MOST_NAME
)
NAMES = re.compile(r"\.swf(\.gz|\.bz2|\.xz|\.zst)?$", re.IGNORECASE)
BROKEN = (EOFError, zlib.error, lzma.LZMAError)  # a compressed file that is cut short or damaged; also OSError


def is_workload(path: Path) -> bool:
    """Whether a file's name is one of this format."""
    return NAMES.search(path.name) is not None


def read(path: Path) -> Workload:
    """Read a workload. InputError names file, line and field of what is no number, and a file without jobs."""
    table = _numbers(path)
    limits = np.array([LIMITS.get(field, math.inf) for field in range(FIELDS)])
    if not np.isfinite(table).all() or (np.abs(table) > limits).any():
        raise _explained(path)
    table[:, limits == math.inf] = -1
    numbers, ignored, changed = _whole_jobs(np.rint(table).astype(np.int64))
    wide, estimates = numbers[:, PROCESSORS], numbers[:, REQUEST]
    processors = np.where(wide > 0, wide, numbers[:, ALLOCATED])
    runs, submitted = numbers[:, RUN], numbers[:, SUBMIT]
    unknown = {
        "no number of processors (fields 8 and 5)": processors <= 0,
        "no run time (field 4)": runs < 0,
        "no submission (field 2)": submitted < 0,
    }
    kept = np.ones(len(numbers), dtype=bool)
    for why, where in unknown.items():
        if count := int(np.count_nonzero(where & kept)):
            ignored[why] = count
        kept &= ~where
    if not kept.any():
        reasons = "; ".join(f"{count}: {why}" for why, count in ignored.items())
        raise InputError(f"holds no job that can run{f' ({reasons})' if reasons else ''}", file=path)
    requested = np.where(estimates > 0, estimates, runs)
    cut = (runs > requested) & kept
    most = _most_processors(path)
    changes = {
        "processors by field 5, field 8 being unknown": (wide <= 0) & kept,
        "requested time by the run time, field 9 being unknown": (estimates <= 0) & kept,
        "run times cut at the requested time": cut,
        "run times of 0 s": (runs == 0) & kept,
        f"more processors than the file's own MaxProcs ({most:,.0f}), taken as they are": (processors > most) & kept,
    }
    order = np.lexsort((numbers[:, NUMBER], submitted))
    order = order[kept[order]]
    requested = np.maximum(requested, 1)
    begins = int(submitted[order[0]])
    queues, queue = np.unique(numbers[order, QUEUE], return_inverse=True)
    return Workload(
        number=numbers[order, NUMBER],
        submitted=submitted[order] - begins,
        runs=np.minimum(runs, requested)[order],
        requested=requested[order],
        processors=processors[order],
        user=numbers[order, USER],
        priority=np.zeros(len(order)),
        source=str(path),
        begins=begins,
        ignored=ignored,
        cut=cut[order] if cut.any() else None,
        status=numbers[order, STATUS],
        queue=queue.reshape(-1),
        queue_names=tuple("" if number < 0 else str(number) for number in queues.tolist()),
        changed=changed | {how: count for how, where in changes.items() if (count := int(np.count_nonzero(where)))},
    )


def _whole_jobs(
    numbers: NDArray[np.int64],
) -> tuple[NDArray[np.int64], dict[str, int], dict[str, int]]:
    """Lines of whole jobs, with how many were left out and changed. A job with lines of its parts alone is their sum.

    The first part's line represents them, with the run times of all and the last part's status as that of a whole job.
    """
    part = np.isin(numbers[:, STATUS], PARTIAL)
    if not part.any():
        return numbers, {}, {}
    further = part & np.isin(numbers[:, NUMBER], numbers[~part, NUMBER])
    alone = np.flatnonzero(part & ~further)
    _, first, of = np.unique(numbers[alone, NUMBER], return_index=True, return_inverse=True)
    joined = numbers[alone[first]]
    joined[:, RUN] = 0
    np.add.at(joined[:, RUN], of.reshape(-1), np.maximum(numbers[alone, RUN], 0))
    last = np.zeros(len(joined), dtype=np.int64)
    last[of.reshape(-1)] = alone  # of several, the last in the file
    joined[:, STATUS] = np.where(numbers[last, STATUS] == PARTIAL[1], DONE, FAILED)
    ignored = {"a part of a job that has a line of its own (status 2, 3, 4)": int(np.count_nonzero(further))}
    changed = {"one job made of its parts (status 2, 3, 4)": len(joined)}
    whole = np.concatenate([numbers[~part], joined])
    return whole, {why: n for why, n in ignored.items() if n}, {how: n for how, n in changed.items() if n}


def _most_processors(path: Path) -> float:
    """The processors in the file's own header (MaxProcs); infinite without it."""
    with _lines(path) as text:
        for line in text:
            if line.strip() and not line.lstrip().startswith(";"):
                break
            if found := re.match(r"\s*;\s*MaxProcs:\s*(\d{1,15})\b", line):
                return int(found[1]) or math.inf
    return math.inf


def written(found: Scheduled, machine: str) -> str:
    """What became of every job: field 3 its wait, field 4 its run in whole seconds, field 11 whether it completed.

    A job that was run for as long as another system recorded ended as it did there: field 11 stays, where it is known.
    """
    workload = found.workload
    lines = np.full((len(workload), FIELDS), -1, dtype=np.int64)
    lines[:, NUMBER] = workload.number
    lines[:, SUBMIT] = np.rint(workload.submitted + workload.begins)
    lines[:, WAIT] = np.rint(found.started - workload.submitted)
    lines[:, RUN] = np.rint(workload.runs)
    lines[:, ALLOCATED] = lines[:, PROCESSORS] = workload.processors
    lines[:, REQUEST] = np.rint(workload.requested)
    before = np.full(len(workload), -1) if workload.status is None else workload.status
    ended = np.where((before >= 0) & (before <= MOST_STATUS), before, DONE)
    completed = np.array([state == COMPLETED for state in found.states()], dtype=bool)
    lines[:, STATUS] = np.where(completed, ended, np.where(before == CANCELLED, CANCELLED, FAILED))
    lines[:, USER] = workload.user
    if workload.queue is not None:
        lines[:, QUEUE] = _queue_numbers(workload.queue_names)[workload.queue]
    head = f"Version: 2.2\nComputer: {visible(machine)}\nMaxJobs: {len(workload)}\nMaxProcs: {found.processors}"
    text = io.StringIO()
    np.savetxt(text, lines, fmt="%d", header=head, comments="; ")
    return text.getvalue()


def _queue_numbers(names: Sequence[str]) -> NDArray[np.int64]:
    """Field 15 of each queue: its number, or for one of a table its place among those from 1 on."""
    places = {name: at for at, name in enumerate((each for each in names if each), 1)}
    return np.array([int(name) if name.isdecimal() else places.get(name, -1) for name in names], dtype=np.int64)


def _numbers(path: Path) -> NDArray[np.float64]:
    try:
        with _lines(path) as text, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a file without numbers, which is refused below
            table = np.loadtxt(text, comments=";", dtype=np.float64, ndmin=2)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    except (ValueError, *BROKEN):
        raise _explained(path) from None
    if table.size == 0:
        raise InputError("holds no job", file=path, accepted="lines of 18 numbers, comments after a ;")
    if table.shape[1] != FIELDS:
        raise _explained(path)
    return table


def _lines(path: Path) -> TextIO:
    input_file.check(path)
    return io.TextIOWrapper(_opened(path), encoding="utf-8-sig", errors="replace")


def _opened(path: Path) -> IO[bytes]:
    """The file's bytes, decompressed by its suffix."""
    suffix = path.suffix.lower()
    if suffix == ".zst":  # not in Python 3.11; Arrow has it
        import pyarrow

        return cast(IO[bytes], pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd"))
    openers: dict[str, Callable[..., object]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return cast(IO[bytes], openers.get(suffix, open)(path, "rb"))


def _jobs(path: Path) -> Iterator[tuple[int, list[str]]]:
    with _lines(path) as text:
        for number, line in enumerate(text, 1):
            words = line.partition(";")[0].split()
            if words:
                yield number, words


def _explained(path: Path) -> InputError:
    """Find the first line that is wrong."""
    accepted = f"{FIELDS} numbers, -1 where one is not known"
    try:
        for line, words in _jobs(path):
            for field, word in enumerate(words, 1):
                try:
                    value = float(word)
                except ValueError:
                    value = float("nan")
                most = LIMITS.get(field - 1, math.inf)
                if not abs(value) <= most or math.isinf(value):
                    key, known = f"field {field}", math.isfinite(value)
                    problem = "is too large" if known else "is no number of this format"
                    limit = f"numbers up to {most:,}, -1 where one is not known" if known else accepted
                    return InputError(problem, file=path, line=line, key=key, value=word, accepted=limit)
            if len(words) != FIELDS:
                return InputError(f"has {len(words)} fields", file=path, line=line, accepted=accepted)
    except (OSError, ValueError, *BROKEN) as error:
        return InputError(f"cannot be read: {error}", file=path)
    return InputError("is no workload in the Standard Workload Format", file=path, accepted=accepted)
