"""Many runs on many processors; the results do not depend on who makes them.

`drive` advances any number of plans (generators of tasks, see `simulation`) at once over a
`concurrent.futures.Executor`, so that the processors stay busy though each plan decides by its own results how to go
on. A finished point goes to a file of JSON lines at once, under a fingerprint of all that decides it; a sweep that
was interrupted goes on from that file.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, cast

from assay import input_file, versions
from assay.errors import InputError, MeasurementError, StorageError, warn
from assay.network.engine import SimulationRun
from assay.network.progress import Meter
from assay.network.tasks import Found, SimulationTask, Steps
from assay.stored import seal
from assay.stored.lines import ALTERED

if TYPE_CHECKING:
    from pydantic import JsonValue

SEALED = re.compile(r'\{"version": ([2-9]|\d{2,}), "key": ')  # begins a line that has a checksum
STORAGE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ESTALE)  # faults of what took points before
BEGUN = (f'{{"{versions.KEY}": ', '{"key": ')  # a point's line; as the oldest had it, without a version


def make(task: SimulationTask) -> SimulationRun:
    """Make one run, in a worker."""
    return task.make()


@dataclass
class _Going(Generic[Found]):
    """A plan in progress: the results so far of the tasks that it yielded last."""

    index: int
    steps: Steps[Found]
    results: list[SimulationRun | None]
    left: int


def drive(
    plans: Sequence[Steps[Found]],
    pool: Executor | None,
    done: Callable[[int, Found], None],
    meter: Meter | None = None,
) -> None:
    """Run all plans to their end and call `done(index, document)` as each ends; without a pool here, in order."""
    meter = meter or Meter()
    if pool is None:
        for index, steps in enumerate(plans):
            try:
                tasks = next(steps)
                while True:
                    meter.request(tasks)
                    tasks = steps.send([task.make() for task in tasks])
            except StopIteration as end:
                done(index, end.value)
        return
    waiting: dict[Future[SimulationRun], tuple[_Going[Found], int]] = {}

    def go_on(going: _Going[Found], first: bool = False) -> None:
        while True:
            try:
                tasks = (
                    next(going.steps) if first else going.steps.send([run for run in going.results if run is not None])
                )
            except StopIteration as end:
                done(going.index, end.value)
                return
            first = False
            going.results, going.left = [None] * len(tasks), len(tasks)
            meter.request(tasks)
            for position, task in enumerate(tasks):
                waiting[pool.submit(make, task)] = going, position
            if tasks:
                return

    # Plans start when workers are free, so that a point that was begun is finished, and stored, soon.
    ahead = iter([_Going(index, steps, [], 0) for index, steps in enumerate(plans)])
    room = 2 * max(1, int(getattr(pool, "_max_workers", 0) or os.cpu_count() or 1))
    try:
        while True:
            while len(waiting) < room and (going := next(ahead, None)) is not None:
                go_on(going, first=True)
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                going, position = waiting.pop(future)
                found = going.results[position] = future.result()
                if not isinstance(pool, ThreadPoolExecutor):
                    meter.elsewhere += found.simulated_cycles
                going.left -= 1
                if going.left == 0:
                    go_on(going)
    except BrokenExecutor:
        raise MeasurementError(
            "a worker process was killed (by a person, or because memory was short); finished points are stored: the "
            "same command goes on from its --out file"
        ) from None
    finally:
        for future in waiting:
            future.cancel()


@dataclass(frozen=True)
class SweepPoint(Generic[Found]):
    """One point of a sweep: its settings, its fingerprint, and the plan that computes it."""

    setting: Mapping[str, JsonValue]
    key: str
    plan: Callable[[], Steps[Found]]


def sweep(
    points: Sequence[SweepPoint[Found]], pool: Executor | None, out: Path | None = None, meter: Meter | None = None
) -> list[Found]:
    """Documents of all points, in their order; those that `out` holds already are not made again."""
    kept = finished(out) if out else {}
    # Trusted to be what the plan would give: its fingerprint has the version of the plan's document.
    results = {i: cast(Found, kept[point.key]) for i, point in enumerate(points) if point.key in kept}
    missing = [index for index in range(len(points)) if index not in results]
    meter = meter or Meter()
    meter.points, meter.of = len(results), len(points)

    def done(at: int, document: Found) -> None:
        index = missing[at]
        results[index] = document
        if out:
            point = {"key": points[index].key, "setting": points[index].setting, "result": document}
            append(out, versions.marked(versions.POINT, point))
        meter.points = len(results)

    drive([points[index].plan() for index in missing], pool, done, meter)
    return [results[index] for index in range(len(points))]


def finished(out: Path) -> dict[str, dict[str, object]]:
    """Points by fingerprint that a file holds; lines that were cut short by a kill do not count.

    A line that is not what was written does not count either: it is named, and its point is computed again.

    InputError where the file cannot be read, or a line of it is of a newer version or was never a point of a sweep.
    """
    found = {}
    data = input_file.content(out, input_file.TABLE) if out.exists() else b""
    lines = data.decode(errors="replace").split("\n") if data else []
    for number, line in enumerate(lines, 1):
        if not line and number == len(lines):
            continue
        right = seal.intact(line.encode("utf-8", "replace"))
        try:
            if right is False:
                raise ValueError(ALTERED)
            entry = dict(versions.current(versions.POINT, dict(json.loads(line)), versions.in_file(out, number)))
            if right is None and SEALED.match(line):
                raise ValueError(ALTERED)
            found[str(entry["key"])] = dict(entry["result"])
        except (ValueError, KeyError, TypeError):
            if right is False or SEALED.match(line):
                if right is False or line.endswith("}"):
                    warn(f"{out}:{number}: {ALTERED}; this point is computed again")
            elif not _cut_short(line):
                raise InputError(
                    "is no finished point, and nothing is added to a file of another kind",
                    file=out,
                    line=number,
                    value=line[:40],
                    accepted="a file of a sweep's points, or one that is not there yet",
                ) from None
    return found


def _cut_short(line: str) -> bool:
    """Whether a line that is no point may be the beginning of one: no document by itself, but begun like one."""
    try:
        json.loads(line)
    except ValueError:
        return any(line.startswith(begun) or begun.startswith(line.strip()) for begun in BEGUN)
    return False


def append(out: Path, entry: Mapping[str, object]) -> None:
    """Add a line in one write; on a line of its own even if the file ends in the middle of one."""
    text = seal.sealed(json.dumps(entry, allow_nan=False)) + "\n"
    try:
        with out.open("a+b") as file:
            if file.seek(0, os.SEEK_END) and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n":
                text = "\n" + text
            file.write(text.encode())
    except OSError as error:
        if error.errno in STORAGE:
            kept = "finished points are stored: when it can be written again, the same command resumes"
            raise StorageError(f"{out}: cannot be written ({error.strerror}); {kept}") from None
        raise InputError(f"cannot be written: {error.strerror}", file=out) from None
