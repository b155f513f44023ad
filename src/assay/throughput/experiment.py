"""One throughput test on a real batch system: submits on time, follows every job to its end, survives its own death.

A submission is three steps: a line in the log (on the disk), the batch system's command, a line with the id that it
gave. A crash between the first and the third leaves a job that may have been submitted or not: the
resumption waits until a command in flight has ended, which holds a lock that it inherited, and then queries the batch
system for the job by its mark.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from assay import stops
from assay.errors import InterruptError, MeasurementError
from assay.throughput import job_record
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    Accounted,
    BatchSystem,
    SilentSystemError,
    SystemFacts,
    SystemWork,
    of_entry,
)
from assay.throughput.job_programs import JobPrograms, command_of, job_folder, record_file
from assay.throughput.job_record import JobRecord
from assay.throughput.live_jobs import LiveJob
from assay.throughput.occupancy import Occupancy
from assay.throughput.submission_log import LoggedJob, SubmissionLog, not_written

POLLS = 0.5  # s, at most, between two looks at the batch system
STILL_RUNS_WITHIN = 10.0  # s, that a batch system may take to notice that a job has ended by its own record
UNKNOWN_WITHIN = 5.0  # s, that a batch system may take to show a job that it has accepted
SILENT_AT_MOST = 600.0  # s, that a batch system may not answer before the test gives up, to be resumed
OCCUPANCY_EACH = 2.0  # s, between two looks at what others have of the machine, at first
OCCUPANCY_LOOKS = 500  # about so many of them, however long a test takes
CANCELS_WITHIN = 20.0  # s, that cancelled jobs may take to end


@dataclass(frozen=True, kw_only=True)
class FollowedJob:
    """A job with its three accounts, when the test has ended."""

    job: LiveJob
    logged: LoggedJob
    accounted: Accounted | None
    record: JobRecord | None


@dataclass(frozen=True, kw_only=True)
class Followed:
    """What a test observed. Times in seconds since 1970; `submissions`: seconds that each submission command took.

    `time_limits`: the seconds by which the batch system decided of each job, by its id. `occupancy`: what was seen of
    others' use of the machine, by when.
    """

    jobs: tuple[FollowedJob, ...]
    begun: float
    resumed: tuple[float, ...]
    cancelled: bool
    submissions: tuple[float, ...]
    decisions: int | None
    time_limits: Mapping[str, float]
    folder: Path
    occupancy: tuple[tuple[float, Occupancy], ...] = ()


@dataclass
class _Watch:
    """What is remembered of a job between polls."""

    ended_at: float | None = None  # when its record, or the batch system, first reported it; monotonic clock
    unseen_since: float | None = None
    stuck_since: float | None = None  # waits for a reason for which it never starts
    last: Accounted | None = None


def follow(
    system: BatchSystem,
    facts: SystemFacts,
    jobs: Sequence[LiveJob],
    programs: JobPrograms,
    log: SubmissionLog,
    progress: Callable[[str], None] = lambda text: None,
) -> Followed:
    """Run a test, or what is left of one, to its end. On Ctrl-C all jobs are cancelled; InterruptError then."""
    if not log.finished:
        fits = [job for job in jobs if job.processors <= facts.processors or log.handed_over(job)]
        _folders(log.folder, fits)
        try:
            _Experiment(system, fits, programs, log, progress).run()
        finally:
            system.close()
    made = tuple(_account(job, log) for job in jobs)
    took = tuple(
        each.logged.submitted - each.logged.began
        for each in made
        if each.logged.submitted is not None and each.logged.began is not None
    )
    return Followed(
        jobs=made,
        begun=log.begun,
        resumed=tuple(log.resumed),
        cancelled=log.cancelled,
        submissions=took,
        decisions=system.decisions,
        time_limits={job.id: system.time_limit(job) for job in jobs},
        folder=log.folder,
        occupancy=tuple(log.occupancy),
    )


def _folders(out: Path, jobs: Sequence[LiveJob]) -> None:
    for job in jobs:
        try:
            job_folder(out, job).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise not_written(job_folder(out, job), error) from None


def _kept(accounted: Accounted) -> dict[str, object]:
    """As in the log: without keys of few jobs only."""
    return {key: value for key, value in asdict(accounted).items() if key != "never_after" or value is not None}


def _account(job: LiveJob, log: SubmissionLog) -> FollowedJob:
    logged = log.jobs.get(job.id, LoggedJob())
    accounted = None if logged.settled is None else logged.settled.get("accounted")
    return FollowedJob(
        job=job,
        logged=logged,
        accounted=of_entry(accounted) if accounted else None,
        record=job_record.read(record_file(log.folder, job)),
    )


class _Experiment:
    def __init__(
        self,
        system: BatchSystem,
        jobs: Sequence[LiveJob],
        programs: JobPrograms,
        log: SubmissionLog,
        progress: Callable[[str], None],
    ) -> None:
        self._system, self._jobs, self._log, self._progress = system, jobs, log, progress
        self._commands = {job.id: command_of(job, programs, log.folder, system.on_each_node) for job in jobs}
        self._watches: dict[str, _Watch] = {}
        self._silent_since: float | None = None
        self._looked_at: float | None = None
        self._begun = time.monotonic()
        self._waits_for = ""
        self._by_id = {job.id: job for job in jobs}

    def run(self) -> None:
        """Everything: what a crash left open first."""
        log = self._log
        held = {
            name: logged.batch_ids[-1]
            for name, logged in log.jobs.items()
            if logged.batch_ids and logged.settled is None and name in self._by_id
        }
        self._system.open(SystemWork(
            folder=log.folder, mark=log.mark, jobs=self._jobs, commands=self._commands, held=held
        ))  # fmt: skip
        try:
            if log.cancelled:
                _, left = self._cancel()
                if left:
                    raise MeasurementError(f"{left} cancelled jobs have not ended; the same command tries again")
            else:
                self._go()
        except KeyboardInterrupt:
            self._cancelled()
        log.finish()

    def _find_what_was_in_flight(self) -> None:
        for job in self._jobs:
            logged = self._log.jobs.get(job.id)
            if logged is None or logged.batch_ids or logged.refused is not None or logged.settled is not None:
                continue
            batch_id = self._system.find(job)
            if batch_id is not None:
                self._log.write("found", job.id, batch_id=batch_id)

    def _go(self) -> None:
        due = [job for job in self._jobs if not self._log.handed_over(job)]
        while True:
            self._look_around()
            now = time.time() - self._log.begun
            while due and due[0].due <= now and self._submit(due[0]):
                due.pop(0)
            open_jobs = self._settle(self._poll())
            over = len(self._jobs) - len(due) - len(open_jobs)
            self._progress(f"{over} of {len(self._jobs)} jobs ended, {len(open_jobs)} wait or run{self._waits_for}")
            if not due and not open_jobs:
                return
            until = due[0].due - (time.time() - self._log.begun) if due else POLLS
            self._system.wait(max(0.0, min(POLLS, until)))

    def _look_around(self) -> None:
        """Keep what others have of the machine, where it changed."""
        now = time.monotonic()
        each = max(OCCUPANCY_EACH, (now - self._begun) / OCCUPANCY_LOOKS)
        if self._looked_at is not None and now - self._looked_at < each:
            return
        self._looked_at = now
        try:
            seen = self._system.occupancy()
        except MeasurementError:
            return
        if seen is not None and (not self._log.occupancy or self._log.occupancy[-1][1] != seen):
            self._log.write("occupancy", about=asdict(seen))

    def _poll(self) -> Mapping[str, Accounted] | None:
        """The batch system's states; None while it does not answer. MeasurementError when that lasts too long."""
        try:
            seen = self._system.poll()
        except SilentSystemError as error:
            self._silent_since = self._silent_since or time.monotonic()
            if time.monotonic() - self._silent_since > SILENT_AT_MOST:
                raise MeasurementError(f"the batch system has not answered for {SILENT_AT_MOST:g} s: {error}; the same "
                                       "command resumes the test") from None  # fmt: skip
            return None
        self._silent_since = None
        return seen

    def _submit(self, job: LiveJob) -> bool:
        """Whether a job was handed over, or refused; False where the batch system does not answer."""
        asked_before = job.id in self._log.jobs
        try:
            batch_id = self._system.find(job) if asked_before else None
            if batch_id is not None:
                self._log.write("found", job.id, batch_id=batch_id)
                return True
            self._log.write("submitting", job.id)
            batch_id = self._system.submit(job, self._log.submitting)
        except SilentSystemError:
            return False
        except MeasurementError as error:
            self._log.write("refused", job.id, reason=str(error))
            return True
        self._log.write("submitted", job.id, batch_id=batch_id)
        return True

    def _settle(self, seen: Mapping[str, Accounted] | None) -> list[LiveJob]:
        """Process the batch system's states; returns the jobs that have not ended."""
        found = []
        for job in self._jobs:
            logged = self._log.jobs.get(job.id)
            if logged is None or not logged.batch_ids or logged.settled is not None:
                continue
            if seen is None or not self._settled(job, logged, seen.get(logged.batch_ids[-1])):
                found.append(job)
        return found

    def _settled(self, job: LiveJob, logged: LoggedJob, accounted: Accounted | None) -> bool:
        watch = self._watches.setdefault(job.id, _Watch())
        now = time.monotonic()
        watch.last = accounted or watch.last
        if accounted is not None and accounted.stage == WAITING:
            return self._never_starts(job, logged, accounted, watch)
        record = job_record.read(record_file(self._log.folder, job))
        ended = record is not None and record.ended is not None
        if accounted is not None and accounted.stage == RUNNING:
            watch.ended_at = (watch.ended_at or now) if ended else None
            if watch.ended_at is None or now - watch.ended_at < STILL_RUNS_WITHIN:
                return False
        elif accounted is None:
            watch.unseen_since = watch.unseen_since or now
            if not ended and now - watch.unseen_since < UNKNOWN_WITHIN:
                return False
            # It has forgotten what it had seen, or it never saw it.
            accounted = watch.last if ended else None
        else:
            watch.ended_at = watch.ended_at or now
            never_started = accounted.cancelled and record is None
            if not ended and not never_started and now - watch.ended_at < self._system.record_within:
                return False
        self._log.write("settled", job.id, about={"accounted": _kept(accounted) if accounted else None})
        return True

    def _never_starts(self, job: LiveJob, logged: LoggedJob, accounted: Accounted, watch: _Watch) -> bool:
        """Whether a waiting job was deleted, as the batch system reports why it never starts."""
        now, within = time.monotonic(), accounted.never_after
        watch.stuck_since = (watch.stuck_since or now) if within is not None else None
        if within is None or watch.stuck_since is None:
            return False
        self._waits_for = f"; {job.name}: {accounted.word}"
        if now - watch.stuck_since < within:
            return False
        try:
            self._system.cancel([logged.batch_ids[-1]])
        except MeasurementError:
            return False
        never = replace(accounted, stage=ENDED, well=False)
        self._log.write("settled", job.id, about={"accounted": _kept(never)})
        return True

    def _cancelled(self) -> None:
        """Ctrl-C: nothing that was queued stays."""
        self._log.write("cancelled")
        waits_for = self._system.hurry(time.monotonic() + CANCELS_WITHIN)
        again = f"jobs of this test may be left in {waits_for}: the same command cancels them"
        if waits_for:
            stops.current().words = f"interrupted; {again}"
            sys.stderr.write(
                f"assay: interrupted; {waits_for} cancels the jobs of this test, which may take {CANCELS_WITHIN:g} s "
                "(a second Ctrl-C does not wait for it)\n"
            )
        try:
            count, left = self._cancel()
        except MeasurementError as error:
            raise InterruptError(f"interrupted; {error}; {again}") from None
        if left:
            raise InterruptError(f"interrupted; {left} of {count} jobs have not ended yet: the same command cancels "
                                 f"them again; the rest is in {self._log.folder}") from None  # fmt: skip
        self._log.finish()
        raise InterruptError(f"interrupted; {count} jobs that waited or ran were cancelled; the rest is in "
                             f"{self._log.folder}") from None  # fmt: skip

    def _cancel(self) -> tuple[int, int]:
        """Delete what waits or runs, and wait until it has ended; how many that were, and have not ended in time."""
        end = time.monotonic() + CANCELS_WITHIN
        self._system.hurry(end)
        self._find_what_was_in_flight()
        left = self._settle(self._poll())
        count = len(left)
        ids = [self._log.jobs[job.id].batch_ids[-1] for job in left]
        self._system.cancel(ids)
        while left and time.monotonic() < end:
            self._system.wait(0.1)
            left = self._settle(self._poll())
        return count, len(left)
