"""`--via hyperqueue`: HyperQueue by its Python interface, with a server and a worker of its own in this process.

The interface submits, and looks at submitted jobs; it knows no states but done or not, so that a job that has written
its record runs. It cannot delete a job that waits: an interrupted test stops the server, and with it all that waits.
When this process is killed, server and worker go with it; a resumption starts new ones and submits again what had left
no record (a job whose record exists never runs a second time). In which order jobs start is HyperQueue's own: a wide
one that was submitted later may go first.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError, MeasurementError
from assay.execute import process_signals
from assay.throughput import job_record
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
from assay.throughput.job_programs import record_file
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import ALONE_MACHINE, ALONE_NODES

BETWEEN = 0.05  # s, between two looks


@contextlib.contextmanager
def _output_to(path: Path) -> Iterator[None]:
    """Keep what the native part prints at its start from standard output, which is the answer's."""
    sys.stdout.flush()
    kept, log = os.dup(1), os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        os.dup2(log, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(log)


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Keep this process's answers to signals, which the native part takes for its server when it starts."""
    kept = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, answer in kept.items():
        signal.signal(each, answer)


class _LookedError(Exception):
    """Ends the interface's waiting after its first look."""


class HyperQueueSystem(HostSystem):
    """One HyperQueue server with one worker on this host."""

    name = "hyperqueue"
    rules = frozenset((ALONE_NODES, ALONE_MACHINE))  # its one worker is all
    summary = "HyperQueue, a server and a worker in this process; --slots N: processors that it is to think it has"

    def __init__(self, request: SystemRequest) -> None:
        """`request.slots`: the worker's processors."""
        super().__init__(request)
        self._cluster: Any = None
        self._client: Any = None
        self._numbers: dict[str, int] = {}  # HyperQueue's own, by the ids that are given away
        self._jobs: dict[str, LiveJob] = {}
        self._ended: dict[str, Accounted] = {}

    def check(self) -> None:
        """InputError where the package is not here, for options, and for a policy."""
        if importlib.util.find_spec("hyperqueue") is None:
            problem = "HyperQueue is not here: no Python package hyperqueue (pip install hyperqueue)"
            raise InputError(problem, key="--via", value=self.name)
        self._refuse_options()
        if self._request.policy is not None:
            problem = "is not ours to choose: HyperQueue has its own policy"
            raise InputError(problem, key="--policy", value=self._request.policy, accepted="with --on or --via local")

    def facts(self) -> SystemFacts:
        """This host, with one worker."""
        found = importlib.import_module("hyperqueue")
        queue = {"workers": "1", "processors": str(self.processors)}
        return self._facts_of_host(str(found.get_version()), "HyperQueue's own", queue)

    def open(self, work: SystemWork) -> None:
        """Start server and worker; what was submitted to one before is submitted again unless it has a record."""
        found = importlib.import_module("hyperqueue")
        config = importlib.import_module("hyperqueue.cluster").WorkerConfig(cores=self.processors)
        self._work = work
        folder = work.folder / "hyperqueue"
        folder.mkdir(exist_ok=True)
        try:
            with _output_to(folder / "server.log"), _own_signals():
                self._cluster = found.LocalCluster(server_dir=str(folder), worker_config=config)
            self._client = self._cluster.client()
        except Exception as error:  # whatever its native part raises
            raise MeasurementError(f"HyperQueue does not start: {error}") from None
        for job in work.jobs:
            batch_id = work.held.get(job.id)
            if batch_id is None:
                continue
            self._jobs[batch_id] = job
            record = job_record.read(record_file(work.folder, job))
            if record is None:
                self._numbers[batch_id] = self._put(job)
            else:
                self._ended[batch_id] = self._over(batch_id, None)

    def submit(self, job: LiveJob, keep: int) -> str:
        """One job of one task."""
        number = self._put(job)
        batch_id = f"{int(time.time() * 1000) % 10**8}.{number}"  # numbers begin anew with every server
        self._numbers[batch_id], self._jobs[batch_id] = number, job
        return batch_id

    def _put(self, job: LiveJob) -> int:
        description = importlib.import_module("hyperqueue.ffi.protocol")
        made = importlib.import_module("hyperqueue").Job(name=job.id)
        folder = record_file(self._work.folder, job).parent
        made.program(
            list(self._work.commands[job.id]),
            cwd=str(folder),
            stdout=str(folder / "starter.log"),
            stderr=str(folder / "starter.log"),
            resources=description.ResourceRequest(cpus=self.processors if job.alone else job.processors),
        )
        try:
            return int(self._client.submit(made).id)
        except Exception as error:  # whatever its native part raises
            raise MeasurementError(f"HyperQueue refuses the job: {error}") from None

    def find(self, job: LiveJob) -> str | None:
        """None: a server that was killed has forgotten all."""
        return None

    def time_limit(self, job: LiveJob) -> float:
        """It is given none; the starter ends a job at its limit."""
        return job.limit

    def poll(self) -> Mapping[str, Accounted]:
        """One look at all jobs that have not ended."""
        left = {number: batch_id for batch_id, number in self._numbers.items() if batch_id not in self._ended}
        seen: dict[int, Mapping[str, Any]] = {}

        def look(states: Mapping[int, Mapping[str, Any]]) -> None:
            seen.update(states)
            raise _LookedError

        if left:
            with contextlib.suppress(_LookedError):
                self._client.connection.wait_for_jobs(list(left), look)
        found = dict(self._ended)
        for number, batch_id in left.items():
            state = seen.get(number)
            if state is not None and state["completed"]:
                self._ended[batch_id] = found[batch_id] = self._over(batch_id, not state["failed"])
            elif state is not None:
                record = job_record.read(record_file(self._work.folder, self._jobs[batch_id]))
                stage = WAITING if record is None else RUNNING
                found[batch_id] = Accounted(batch_id=batch_id, stage=stage, word=stage, nodes=self._nodes(stage))
        return found

    def _over(self, batch_id: str, well: bool | None) -> Accounted:
        words = {True: "finished", False: "failed", None: "known by its record only"}
        return Accounted(batch_id=batch_id, stage=ENDED, word=words[well], well=well, nodes=self._nodes(ENDED))

    def _nodes(self, stage: str) -> tuple[str, ...]:
        return () if stage == WAITING else (os.uname().nodename,)

    def wait(self, seconds: float) -> None:
        """Sleep: it sends no notifications."""
        time.sleep(min(seconds, BETWEEN))

    def cancel(self, batch_ids: Iterable[str]) -> None:
        """End what runs, and the server with all that waits."""
        for batch_id in [each for each in batch_ids if each not in self._ended]:
            record = job_record.read(record_file(self._work.folder, self._jobs[batch_id]))
            if record is not None and record.pid is not None and record.ended is None and record.host == _here():
                process_signals.send(record.pid, record.began, signal.SIGTERM)
            self._ended[batch_id] = Accounted(
                batch_id=batch_id, stage=ENDED, word="deleted by this test", well=False, cancelled=True
            )
        self.close()

    def close(self) -> None:
        """Stop server and worker."""
        if self._cluster is not None:
            with contextlib.suppress(Exception):  # whatever its native part raises
                self._cluster.stop()
        self._cluster = None


def _here() -> str:
    return os.uname().nodename


SYSTEM: Any = HyperQueueSystem
