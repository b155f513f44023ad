"""`--via local`: the batch system that Assay brings along, over the hardware threads of this host.

It decides by the policies of the simulated batch system (core/batch), called step by step, in milliseconds. Jobs are
pinned to hardware threads of their own; with `--slots N` it has N virtual processors instead, for jobs that wait rather
than compute. It lives in the process that submits. When that process is killed, jobs that run go on and write their
records; a resumption takes over those that still run and puts those that waited back into the queue.

Rules of jobs: one that is alone takes all processors for the policy, and is pinned to those that it needs. One whose
`instances` run, or whose ports are in use, comes into the queue when these have ended, and holds up no other.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay import stops
from assay.errors import InputError, MeasurementError
from assay.execute import process_signals
from assay.throughput import job_record, simulated
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    Accounted,
    HostSystem,
    SystemFacts,
    SystemRequest,
    SystemWork,
)
from assay.throughput.job_names import kind_of
from assay.throughput.job_programs import record_file
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import ALONE_MACHINE, ALONE_NODES, INSTANCES, PORTS

TICKS = 1000.0  # per second: the policies' clock
STARTED_BEFORE = 75  # job_record's status for a job that has a record already
STARTS_WITHIN = 10.0  # s, that a process that was just started may take to write its first line


class LocalSystem(HostSystem):
    """Queue, policy and processors of this host."""

    name = "local"
    rules = frozenset((ALONE_NODES, ALONE_MACHINE, PORTS, INSTANCES))
    summary = "this host's hardware threads, by the simulated policies"

    def __init__(self, request: SystemRequest) -> None:
        """`request.slots`: virtual processors; `request.policy`: fcfs by default."""
        super().__init__(request)
        self.policy = "fcfs" if request.policy is None else request.policy
        self.slots = request.slots
        self._compress = request.compress
        self._threads = hardware_threads()
        self._jobs: list[LiveJob] = []
        self._states: dict[str, Accounted] = {}
        self._commands: Mapping[str, Sequence[str]] = {}
        self._watched: dict[int, int] = {}  # pidfd: place of the job
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._pids: dict[int, int] = {}
        self._began: dict[int, int | None] = {}  # of each of these, in the kernel's ticks
        self._pinned: dict[int, tuple[int, ...]] = {}
        self._submitted: list[int] = []
        self._kept_back: list[int] = []  # by a rule, in order of submission
        self._active: list[int] = []  # in the queue or running
        self._withdrawn: list[int] = []
        self._ended: list[int] = []
        self._origin = time.monotonic()

    def check(self) -> None:
        """InputError for options and for a policy that is none."""
        self._refuse_options()
        if self.policy not in simulated.POLICIES:
            raise InputError(
                "no such policy", key="--policy", value=self.policy, accepted=", ".join(simulated.POLICIES)
            )

    def facts(self) -> SystemFacts:
        """This host, with one queue."""
        kind = "virtual processors" if self.slots else "hardware threads, pinned"
        queue = {"processors": f"{self.processors} {kind}", "policy": self.policy}
        return self._facts_of_host("assay", self.policy, queue)

    def open(self, work: SystemWork) -> None:
        """Make the queue; of the jobs that were submitted before, those that run are taken over."""
        from assay._core import batch

        self._folder, self._jobs, self._commands = work.folder, list(work.jobs), work.commands
        jobs, held = self._jobs, work.held
        self._places = {job.id: place for place, job in enumerate(jobs)}
        users = {user: number for number, user in enumerate(dict.fromkeys(job.user for job in jobs))}

        def ticks(values: Iterable[float]) -> np.ndarray[Any, np.dtype[np.int64]]:
            return np.array([max(1, round(value * TICKS)) for value in values], dtype=np.int64)

        self._stepper = batch.Stepper(
            self.processors,
            self.policy,
            ticks(job.due for job in jobs),
            ticks(job.requested for job in jobs),
            np.array([self._width(job) for job in jobs], dtype=np.int64),
            np.array([users[job.user] for job in jobs], dtype=np.int64),
            np.array([job.priority for job in jobs], dtype=np.float64),
            simulated.AGEING * self._compress / TICKS,
            simulated.HALF_LIFE / self._compress * TICKS,
        )
        waiting = []
        for place, job in enumerate(jobs):
            if job.id in held and not self._take_over(place):
                waiting.append(place)
            elif job.id in held and self._states[job.id].stage == RUNNING:
                self._active.append(place)
        self._kept_back += waiting

    def _width(self, job: LiveJob) -> int:
        """The processors that a job takes as the policy sees it."""
        return max(self.processors, job.processors) if job.alone else job.processors

    def _let_in(self) -> None:
        """Put those jobs into the queue that no rule keeps back."""
        for place in list(self._kept_back):
            job = self._jobs[place]
            others = [self._jobs[each] for each in self._active]
            same = sum(kind_of(each.name) == kind_of(job.name) for each in others)
            ports = {port for each in others for port in each.ports}
            if (not job.instances or same < job.instances) and not ports & set(job.ports):
                self._kept_back.remove(place)
                self._active.append(place)
                self._submitted.append(place)

    def submit(self, job: LiveJob, keep: int) -> str:
        """Put a job at the end of the queue; its id is its own."""
        if job.processors > self.processors:
            raise MeasurementError(f"{job.processors} processors, and there are {self.processors}")
        self._states[job.id] = Accounted(batch_id=job.id, stage=WAITING, word="waiting")
        self._kept_back.append(self._places[job.id])
        return job.id

    def find(self, job: LiveJob) -> str | None:
        """A job is in the queue when it is in the log; one that was being put there is not."""
        return None

    def time_limit(self, job: LiveJob) -> float:
        """What the job requests."""
        return job.requested

    def poll(self) -> Mapping[str, Accounted]:
        """Take in what ended, decide, start what is to start."""
        self._reap(0.0)
        self._active = [place for place in self._active if self._states[self._jobs[place].id].stage != ENDED]
        self._let_in()
        now = int((time.monotonic() - self._origin) * TICKS)
        ended, back, came = self._ended, self._withdrawn, self._submitted
        self._ended, self._withdrawn, self._submitted = [], [], []
        for place in self._stepper.step(now, ended, back, came):
            self._start(place)
        self.decisions = int(self._stepper.decisions)
        return dict(self._states)

    def wait(self, seconds: float) -> None:
        """Until a job ends, a reservation begins, or the time is up."""
        wakes = self._stepper.wakes
        if wakes >= 0:
            seconds = min(seconds, max(0.0, wakes / TICKS - (time.monotonic() - self._origin)) + 1 / TICKS)
        if not (self._submitted or self._ended or self._withdrawn):
            self._reap(seconds)

    def cancel(self, batch_ids: Iterable[str]) -> None:
        """Remove jobs from the queue, and terminate those that run."""
        for each in batch_ids:
            known = self._states.get(each)
            place = next((at for at, job in enumerate(self._jobs) if job.id == each), None)
            if known is None or place is None or known.stage == ENDED:
                continue
            if known.stage == WAITING:
                if place in self._kept_back:
                    self._kept_back.remove(place)
                elif place in self._submitted:
                    self._submitted.remove(place)
                else:
                    self._withdrawn.append(place)
                self._states[each] = Accounted(batch_id=each, stage=ENDED, word="deleted", well=False, cancelled=True)
            elif place in self._pids:
                process_signals.send(self._pids[place], self._began.get(place), signal.SIGTERM)

    def close(self) -> None:
        """Forget the processes; they go on."""
        for descriptor in self._watched:
            os.close(descriptor)
        self._watched = {}

    def _take_over(self, place: int) -> bool:
        """Whether a job that was submitted before has started: one that runs is adopted, one that ended is known."""
        job = self._jobs[place]
        path = record_file(self._folder, job)
        end = time.monotonic() + STARTS_WITHIN
        while True:
            record = job_record.read(path)
            if record is None:
                self._states[job.id] = Accounted(batch_id=job.id, stage=WAITING, word="waiting")
                return False
            if record.ended is not None or record.started is not None or time.monotonic() > end:
                break
            time.sleep(0.02)
        if record.ended is None and record.pid is not None and record.started is not None and job_record.held(path):
            descriptor = self._held(record)
            if descriptor is not None:
                elapsed = max(0.0, time.time() - record.started)
                now = int((time.monotonic() - self._origin) * TICKS)
                self._stepper.adopt(place, now - int(elapsed * TICKS), now)
                self._watched[descriptor], self._pids[place] = place, record.pid
                self._began[place] = record.began
                if not self.slots:
                    with contextlib.suppress(ProcessLookupError):
                        self._pinned[place] = tuple(os.sched_getaffinity(record.pid))
                self._states[job.id] = self._running(job)
                return True
        self._states[job.id] = self._over(job, False)
        return True

    def _start(self, place: int) -> None:
        job = self._jobs[place]
        command = list(self._commands[job.id])
        if not self.slots:
            taken = {thread for threads in self._pinned.values() for thread in threads}
            free = [thread for thread in self._threads if thread not in taken]
            self._pinned[place] = tuple(free[: job.processors])
            command[1:1] = ["--cpus", ",".join(map(str, self._pinned[place]))]
        with stops.current().put_off():  # a job whose start is not noted would not be cancelled
            with (record_file(self._folder, job).parent / "starter.log").open("ab") as log:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=record_file(self._folder, job).parent,
                    start_new_session=True,
                )
            self._processes[place], self._pids[place] = process, process.pid
            self._began[place] = process_signals.began(process.pid)
            self._watched[os.pidfd_open(process.pid)] = place
            self._states[job.id] = self._running(job)

    def _reap(self, seconds: float) -> None:
        """Take in the jobs whose starters ended; wait for the first, at most so long."""
        poll = select.poll()
        for descriptor in self._watched:
            poll.register(descriptor, select.POLLIN)
        for descriptor, _ in poll.poll(max(0.0, seconds) * 1000):
            place = self._watched.pop(descriptor)
            os.close(descriptor)
            process = self._processes.pop(place, None)
            if process is not None and process.wait() == STARTED_BEFORE and self._watch_the_first(place):
                continue
            self._pids.pop(place, None)
            self._pinned.pop(place, None)
            self._ended.append(place)
            self._states[self._jobs[place].id] = self._over(self._jobs[place], True)

    def _watch_the_first(self, place: int) -> bool:
        """Whether a job runs already, started by a process before this one, between the looks of a resumption."""
        path = record_file(self._folder, self._jobs[place])
        record = job_record.read(path)
        if record is None or record.pid is None or not job_record.held(path):
            return False
        descriptor = self._held(record)
        if descriptor is None:
            return False
        self._watched[descriptor], self._pids[place], self._began[place] = place, record.pid, record.began
        return True

    def _held(self, record: job_record.JobRecord) -> int | None:
        """A descriptor of a job's starter, where it runs on this host and is the one that wrote the record."""
        if record.pid is None or record.host != os.uname().nodename:
            return None
        return process_signals.open_descriptor(record.pid, record.began)

    def _running(self, job: LiveJob) -> Accounted:
        return Accounted(batch_id=job.id, stage=RUNNING, word="running", nodes=(os.uname().nodename,))

    def _over(self, job: LiveJob, just_now: bool) -> Accounted:
        record = job_record.read(record_file(self._folder, job))
        killed = just_now and record is not None and record.ended is None and record.host == os.uname().nodename
        if killed and record is not None and record.group and record.pid:  # what its starter started goes, too
            process_signals.end_group(record.group, session=record.pid, since=record.began)
        return Accounted(
            batch_id=job.id,
            stage=ENDED,
            word="ended",
            well=None if record is None or record.ended is None else record.well,
            cancelled=record.cancelled if record is not None else None,
            nodes=(os.uname().nodename,),
        )


def hardware_threads() -> list[int]:
    """Those that this process may use, core by core."""
    from assay.machine import topology

    return topology.core_by_core(sorted(os.sched_getaffinity(0)))


SYSTEM = LocalSystem
