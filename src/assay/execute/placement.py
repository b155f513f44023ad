"""What really started: read from the `launch` lines that the programs write, never assumed (method.md, rule 15)."""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from assay.errors import MeasurementError
from assay.execute import failure
from assay.execute.binding import describe_binding, observed_binding, sharing_warnings
from assay.execute.job import Job, Outcome, outputs
from assay.execute.process_tree import Ended
from assay.machine.topology import cores_of
from assay.number_words import number_of
from assay.program_lines import LaunchEvent, PlacedRank

STOPPED_AT_MOST = 10.0  # s that a process of a launch may be stopped by a signal before the launch is ended


def processors() -> int:
    """How many hardware threads this process may run on: a cpuset counts, a quota does not."""
    return len(os.sched_getaffinity(0))


def cores() -> int:
    """Cores among the hardware threads of `processors()`."""
    return len(cores_of(os.sched_getaffinity(0)))


def sizes(out: Path) -> dict[Path, int]:
    """Bytes that lie in a job's output files before a launch: a launch reads only what is behind them."""
    return {path: path.stat().st_size for _, path in outputs(out)}


def launch_lines(out: Path, before: dict[Path, int]) -> list[LaunchEvent]:
    """The `launch` lines written since `before`; `node` is added where the file is one node's."""
    return [
        {**event, "node": node} if node else event
        for node, path in outputs(out)
        for event in read_launches(path, before.get(path, 0))
    ]


def read_launches(path: Path, offset: int) -> list[LaunchEvent]:
    """The `launch` lines of one file behind `offset`; other words in it are passed over."""
    found = []
    with path.open("rb") as file:
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n") or b'"launch"' not in line:
                continue
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and event.get("event") == "launch":
                found.append(cast(LaunchEvent, event))
    return found


def outcome(
    job: Job,
    ended: Ended,
    before: dict[Path, int],
    command: tuple[str, ...],
    *,
    log_before: int = 0,
    processes: int | None = None,
    binding: str = "none",
    channel: str = Outcome.channel,
) -> Outcome:
    """Compose the outcome and verify it; MeasurementError for a launcher that is missing, hangs or starts others.

    `processes`: node programs requested (None: those that started); `binding`: the requested policy. A
    program that fails by itself, before or after it reported its place, is an outcome with its status and the last
    lines of its log.
    """
    task = f"on {number_of(job.ranks, 'rank')}: " if job.ranks else ""  # the caller names the task
    program = re.sub("-[0-9a-f]{20}$", "", Path(job.command[0]).name)
    if ended.missing:
        raise MeasurementError(f"{task}`{command[0]}` could not be started: {ended.missing}")
    if ended.stopped_too_long:
        raise MeasurementError(
            f"{task}{_stopped_ones(ended.stopped, job, before)} for more than {STOPPED_AT_MOST:g} s; "
            f"the launch was ended with all its processes; log: {job.log}"
        )
    if ended.fatal_log:
        line = failure.fatal_line(job.log, log_before)
        raise MeasurementError(f"{task}the starter waits in vain: {line}; the launch was ended; log: {job.log}")
    if ended.timed_out:
        raise MeasurementError(
            f"{task}timed out after {job.timeout:g} s and was ended with all its processes"
            f"{_stopped(job, ended, before, program, log_before)}; `{' '.join(command[:6])} …`; log: {job.log}"
        )
    status = next((s for s in ended.statuses if s != 0), 0) if ended.statuses else -int(signal.SIGKILL)
    lines = launch_lines(job.out, before)
    placement = tuple(_placed(lines))
    facts = _facts(lines)
    if lines or status == 0:
        _verify(job, task, lines, placement, command, processes, status)
    starter = command[0] if job.ranks is not None else None
    why = None if status == 0 else failure.reason(program, status, job.log, log_before, placement, starter, job.ranks)
    hosts = tuple(dict.fromkeys(str(rank["host"]) for rank in placement))
    warnings = _paused(job, ended, before)
    if job.ranks is not None and placement:
        sharing = sharing_warnings(placement)
        warnings = (*warnings, *sharing)
        binding = describe_binding(binding, observed_binding(placement, facts), shared=bool(sharing))
    return Outcome(
        status=status,
        reason=why,
        seconds=ended.seconds,
        command=command,
        hosts=hosts,
        placement=placement,
        binding=binding,
        channel=channel,
        warnings=warnings,
        refused=failure.refusal(program, status, job.log, log_before),
    )


def _stopped(job: Job, ended: Ended, before: dict[Path, int], program: str, log_before: int) -> str:
    """The state of a launch that timed out: ranks that were stopped, and the program's last output."""
    stopped = _named(ended.stopped, job, before)
    found = [f"stopped by a signal: {', '.join(stopped)}"] if stopped else []
    wait_message = failure.wait_report(program, job.log, log_before)
    return "".join(f"; {text}" for text in [*found, *([wait_message] if wait_message else [])])


def report_stopped(job: Job, before: dict[Path, int], pids: Sequence[int]) -> None:
    """Report while the launch runs which ranks were stopped, and how long they are waited for."""
    who = _stopped_ones(pids, job, before)
    job.say(f"{job.name}: {who}; the launch ends in {STOPPED_AT_MOST:g} s unless that is continued")


def _paused(job: Job, ended: Ended, before: dict[Path, int]) -> tuple[str, ...]:
    """What was stopped for a while and went on: its readings are of a time in which it did nothing."""
    return tuple(f"{_stopped_ones([pid], job, before)} for about {seconds:.0f} s" for pid, seconds in ended.paused[:4])


def _stopped_ones(pids: Sequence[int], job: Job, before: dict[Path, int]) -> str:
    """Who of a launch was stopped, in words."""
    names = _named(pids, job, before)
    return f"{', '.join(names)} {'was' if len(pids) == 1 else 'were'} stopped by a signal (SIGSTOP)"


def _named(pids: Sequence[int], job: Job, before: dict[Path, int]) -> list[str]:
    """Processes by the ranks that they are, where they are ranks; four of them at most."""
    placed = {int(rank["pid"]): rank.get("rank") for rank in _placed(launch_lines(job.out, before)) if "pid" in rank}
    ranked = job.ranks is not None
    return [f"rank {placed[pid]} (process {pid})" if ranked and pid in placed else f"process {pid}" for pid in pids[:4]]


def _facts(lines: Iterable[LaunchEvent]) -> dict[str, dict[str, object]]:
    """What each host reported, by its name."""
    return {
        str(line.get("node") or host.get("host")): host
        for line in lines
        for host in line.get("hosts", ())
        if isinstance(host, dict)
    }


def _placed(lines: Iterable[LaunchEvent]) -> Iterable[PlacedRank]:
    for line in lines:
        for rank in line.get("placement", ()):
            yield {**rank, "host": line["node"]} if "node" in line else rank


def _verify(
    job: Job,
    task: str,
    lines: list[LaunchEvent],
    placement: tuple[PlacedRank, ...],
    command: tuple[str, ...],
    processes: int | None,
    status: int,
) -> None:
    if job.ranks is None:
        if processes is not None and len(lines) != processes and (status == 0 or len(lines) > processes):
            raise MeasurementError(f"{task}requested {number_of(processes, 'process')}, got {len(lines)}")
        return
    if len(lines) > 1:
        raise MeasurementError(
            f"{task}requested {number_of(job.ranks, 'rank')} in one launch, got {len(lines)} launches of "
            f"{', '.join(str(line.get('ranks')) for line in lines[:4])}: `{command[0]}` does not belong to the MPI "
            "that compiled the program"
        )
    seen = len(placement) if lines else 0
    if seen != job.ranks or (lines and lines[0].get("ranks") != job.ranks):
        raise MeasurementError(f"{task}requested {number_of(job.ranks, 'rank')}, got {seen} (`{command[0]}`)")
    per_host = Counter(str(rank["host"]) for rank in placement)
    if job.nodes is not None and len(per_host) != job.nodes:
        raise MeasurementError(
            f"{task}requested {number_of(job.nodes, 'node')}, got {len(per_host)}: {', '.join(sorted(per_host))}"
        )
    if job.ppn is not None and max(per_host.values()) > job.ppn:
        crowded, most = per_host.most_common(1)[0]
        raise MeasurementError(f"{task}requested {number_of(job.ppn, 'rank')} per node, got {most} on {crowded}")
