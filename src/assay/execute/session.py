"""Execute a plan: task after task into a run's folder; a kill at any moment loses the task in flight and no more."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from assay.benchmark.record import Benchmark, benchmark
from assay.benchmark.variants import variant_of
from assay.errors import InputError, MeasurementError, NotGrantedError, StorageError
from assay.execute.budget import TimeBound, first_look
from assay.execute.checks import failed_checks
from assay.execute.failure import is_silent
from assay.execute.job import Job, Outcome, outputs
from assay.execute.plan import Plan, Task, varied_name
from assay.machine.bystanders import bystanders, look
from assay.samples import Circumstance
from assay.since_start import ending_at
from assay.store import Run
from assay.stored.provenance import differences


class Target(Protocol):
    """Where tasks are done: real processors behind a launcher, or a described machine."""

    machine: str

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Refuse by name what cannot be done here, before anything is written."""

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Compile what the records need, if anything."""

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        """Turn a task into what is launched."""

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        """Launch it and wait."""

    def circumstances(self) -> dict[str, object]:
        """The circumstances of the next launch (the provenance of its rows)."""

    def describe(self) -> dict[str, object]:
        """Describe this target, for run.json."""

    def compiled(self) -> list[dict[str, object]]:
        """What compilers made of the kernels that are varied: an entry for each program and variant."""

    def allocation(self) -> str:
        """Name what the launches are given until the end: a batch job, or this host since it was started."""

    def close(self) -> None:
        """Release what lasts between launches."""


MOST_NAMED = 3  # keys in which machines differ
MOST_ATTEMPTS = 100_000


class Looks(Protocol):
    """Decides, where a run's launches are not fixed, which benchmarks have enough of them."""

    def stopped(self, run: Run, benchmark: str, launches: int) -> bool:
        """Whether a benchmark ends after so many launches; each decision is journaled once and is final."""


@dataclass(frozen=True)
class Failure:
    """A task that did not end well."""

    task: str
    benchmark: str
    reason: str


class RefusedError(InputError):
    """A program rejected its input before measuring: no further launch would succeed."""


class NoPlaceError(InputError):
    """This machine has no place for a launch (too few ranks, nodes, processors): one of many is left out."""

    def __init__(self, refusal: InputError) -> None:
        """Compose the message of the launcher or the simulation."""
        super().__init__(str(refusal))


class SetUpError(InputError):
    """What is measured with cannot be made ready (compiler, cache, MPI): nothing was begun."""


class AnotherMachineError(InputError):
    """A run is resumed where its launches would not be comparable with the existing ones: nothing was changed."""


def finished_tasks(run: Run) -> set[str]:
    """Names of the tasks that ended well and whose files are whole; the others are done (again)."""
    ended = {entry["task"] for entry in run.entries() if entry["event"] == "ended" and entry["status"] == 0}
    return ended - run.damage().again


def take_up(run: Run, plan: Plan, known: Mapping[str, Benchmark], target: Target) -> None:
    """Begin or resume a run: refuse to pool launches of different circumstances, list files that the journal lost.

    AnotherMachineError where this is another machine, MPI, compiler or program than the run's launches had.
    """
    then = run.provenance()
    now = {**target.circumstances(), **target.describe()}
    earlier = list(then.values())
    measured = any((run.folder / "launches").glob("*.jsonl"))
    if measured and not earlier and not run.about.get("described"):  # unreadable: the host that began the run is left
        earlier = [run.about.get("host") or {}]
    other = differences(earlier, now)
    if other:
        more = f"; and {len(other) - MOST_NAMED} more keys" if len(other) > MOST_NAMED else ""
        raise AnotherMachineError(
            f"was measured under other circumstances: {'; '.join(map(str, other[:MOST_NAMED]))}{more}",
            file=run.folder,
            key="--resume",
            accepted="what it was begun with; or a new run, and `assay compare` of the two",
        )
    run.reopen()
    for path in run.damage().unlisted:
        found = _task_of(path.name.removesuffix(".jsonl").partition("@")[0], plan)
        if found is None or found[0].benchmark not in known:
            continue  # stays unlisted: the run cannot be done
        task, attempt = found
        record = known[task.benchmark]
        about = _about(run, task, record, target, (0, attempt), next(iter(then)) if len(then) == 1 else "")
        file = f"{path.name.removesuffix('.jsonl').partition('@')[0]}.jsonl"
        run.journal({"event": "begun", "task": task.name, "file": file, "about": asdict(about), "recovered": True})
        run.warn(f"{run.folder}: launches/{path.name}: the journal had lost this launch; its samples are still there")
    run.forget()


def _task_of(stem: str, plan: Plan) -> tuple[Task, int] | None:
    """Return the task that a file was named after, and which attempt it was; None where it is no task's."""
    for task in sorted(plan.tasks, key=lambda task: -len(task.name)):
        if stem == task.name:
            return task, 1
        attempt = stem.removeprefix(f"{task.name}-")
        if attempt != stem and attempt.isascii() and attempt.isdecimal() and 1 < int(attempt) < MOST_ATTEMPTS:
            return task, int(attempt)
    return None


def _about(
    run: Run, task: Task, record: Benchmark, target: Target, which: tuple[int, int], provenance: str
) -> Circumstance:
    """Give what a launch's rows share; `which`: allocation and attempt."""
    allocation, attempt = which
    return Circumstance(
        run=run.about["id"],
        benchmark=record.name,
        part=record.part,
        machine=target.machine,
        allocation=allocation,
        launch=task.launch,
        attempt=attempt,
        provenance=provenance,
        factors=task.factors,
    )


def do(
    run: Run,
    plan: Plan,
    target: Target,
    *,
    say: Callable[[str], None] = lambda text: None,
    advance: Callable[[str], None] = lambda name: None,
    begin: Callable[[], None] = lambda: None,
    records: Mapping[str, Benchmark] | None = None,
    looks: Looks | None = None,
    bound: TimeBound | None = None,
) -> list[Failure]:
    """Run every task of `plan` that has not ended well yet; returns what failed.

    `begin` is called when what they need is compiled, `advance` after each.
    `looks` decides which of the launches beyond the plan's first look are made; `bound` what no longer fits into the
    budget.
    """
    known = records or {task.benchmark: benchmark(task.benchmark) for task in plan.tasks}
    done = finished_tasks(run)
    needed = [known[name] for name in dict.fromkeys(t.benchmark for t in plan.tasks if t.name not in done)]

    def compiling(text: str) -> None:
        if bound is not None:
            bound.compiling()
        say(text)

    left = None if bound is None else bound.compiled_by - bound.elapsed()
    try:
        with ending_at(None if left is None else time.monotonic() + left):
            target.prepare(needed, compiling)
        if bound is not None:
            bound.begin(done)
    except (MeasurementError, InputError) as error:
        over = None if bound is None or isinstance(error, InputError) else bound.over()
        raise SetUpError(str(over or error)) from None
    begin()
    take_up(run, plan, known, target)
    allocation = _allocation(run, target.allocation())
    for entry in target.compiled():
        run.journal({"event": "compiled", **entry})
    alone = len({each.benchmark for each in plan.tasks}) == 1
    measured = {varied_name(each.benchmark, each.factors) for each in plan.tasks}
    refusing: set[str] = set()  # one variant may refuse what another takes
    failures: list[Failure] = []
    broken: dict[str, int] = {}  # by benchmark, and variant
    unplaced: set[str] = set()
    cut: list[str] = []
    for task in plan.tasks:
        if task.name not in done and bound is not None and bound.cuts(task):
            cut += [task.name] * (task.launch < first_look(plan))
        elif task.name not in done and not (looks and looks.stopped(run, task.benchmark, task.launch)):
            of = varied_name(task.benchmark, task.factors)
            if broken.get(of, 0) >= 2:  # twice is no accident: save the time-outs of the other launches
                failures.append(Failure(task.name, task.benchmark, "skipped: what failed before would fail again"))
            else:
                try:
                    failure, wrong_only = _do_one(run, task, known[task.benchmark], target, allocation, say, bound)
                except RefusedError as error:
                    refusing.add(of)
                    if alone and refusing == measured:
                        raise
                    failure, wrong_only = Failure(task.name, task.benchmark, str(error)), False
                    broken[of] = 1  # with this one twice: it is no accident either
                except NoPlaceError as error:
                    if alone:
                        raise
                    failure, wrong_only = None, False
                    if task.benchmark not in unplaced:
                        unplaced.add(task.benchmark)
                        run.journal({"event": "left out", "benchmark": task.benchmark, "reason": str(error)})
                        say(f"left out: {error}")
                if failure:
                    failures.append(failure)
                    # A variant whose results are wrong, of one kernel perhaps, still has rates to compare of others.
                    broken[of] = broken.get(of, 0) + (not (wrong_only and variant_of(task.factors)))
                    say(f"{task.benchmark}: {failure.reason}")
        advance(task.benchmark)
    if cut:
        run.journal({"event": "cut", "tasks": cut})
    if looks is not None:  # the last look, which ends nothing any more, records the final width
        for name in known:
            if bound is None or not bound.ended(name):
                looks.stopped(run, name, plan.launches)
    return failures


def _allocation(run: Run, mark: str) -> int:
    """Number the allocation that this process measures in: a run resumed in another job has launches of both."""
    marks = [entry["mark"] for entry in run.entries() if entry["event"] == "allocation"]
    if mark not in marks:
        run.journal({"event": "allocation", "mark": mark})
        marks.append(mark)
    return marks.index(mark)


def _file(task: Task, attempt: int) -> str:
    return f"{task.name}{'' if attempt == 1 else f'-{attempt}'}.jsonl"


def _is_here(outcome: Outcome) -> bool:
    """Whether a launch ran on this host: of others' processes on other hosts nothing is known here."""
    return not outcome.hosts or os.uname().nodename in outcome.hosts


def _do_one(
    run: Run,
    task: Task,
    record: Benchmark,
    target: Target,
    allocation: int,
    say: Callable[[str], None],
    bound: TimeBound | None = None,
) -> tuple[Failure | None, bool]:
    """Do one launch; what failed, and whether that was nothing but checks. What the budget's end ends has not failed.

    RefusedError: before any ended well. NoPlaceError, StorageError: see there.
    """
    begun = [e["about"]["attempt"] for e in run.entries() if e["event"] == "begun" and e["task"] == task.name]
    attempt = 1 + max(begun, default=0)
    while outputs(run.folder / "launches" / (file := _file(task, attempt))):  # never append to an earlier attempt
        attempt += 1
    provenance = run.keep_provenance({**target.circumstances(), **target.describe()})
    about = _about(run, task, record, target, (allocation, attempt), provenance)
    run.journal({"event": "begun", "task": task.name, "file": file, "about": asdict(about)})
    out = run.folder / "launches" / file
    before = look()
    left = None if bound is None else bound.left()  # of the budget: for a launch, and for what it waits for
    limited = task if left is None else replace(task, timeout=min(task.timeout, left))
    began = 0.0 if bound is None else bound.elapsed()
    try:
        job = replace(target.job(record, limited, out, run.folder / "log" / f"{Path(file).stem}.txt"), say=say)
        with ending_at(None if left is None else time.monotonic() + left):
            outcome = target.perform(record, job)
        rejected = waited = False
    except InputError as error:
        raise NoPlaceError(error) from None
    except StorageError:
        raise
    except MeasurementError as error:  # not what was requested: its output stays and is not counted
        rejected, waited = True, isinstance(error, NotGrantedError)
        outcome = Outcome(status=1, reason=str(error), seconds=0.0, command=(), hosts=())
    took = 0.0 if bound is None else bound.elapsed() - began
    ended_by_budget = outcome.status != 0 and not waited and left is not None and took >= left
    if bound is not None:
        bound.took(task, took)
    beside = bystanders(before, look()) if _is_here(outcome) else []
    written = [run.content(path, about) for _, path in outputs(out)]
    if outcome.status == 0 and not (written and all(each.done for each in written)):
        outcome = replace(outcome, status=1, reason="the program ended without saying that it was done")
    failed = [_with_factors(event, task) for each in written for event in each.failed]
    wrong_only = bool(failed) and not rejected and bool(written) and all(each.done for each in written)
    if failed:  # the only reason for exit status 1 of a program that ended without a message
        other = None if wrong_only and is_silent(outcome.reason or "") else outcome.reason
        outcome = replace(outcome, status=max(1, outcome.status), reason=failed_checks(failed, other))
    run.journal(
        {
            "event": "ended",
            "task": task.name,
            "file": file,
            "status": outcome.status,
            "reason": outcome.reason,
            "seconds": outcome.seconds,
            "command": list(outcome.command),
            "hosts": list(outcome.hosts),
            "binding": outcome.binding,
            "channel": outcome.channel,
            "warnings": list(outcome.warnings),
            "beside": beside,
            "files": {path.name: path.stat().st_size for _, path in outputs(out)},
            "checksums": {path.name: each.checksum for (_, path), each in zip(outputs(out), written, strict=False)},
            **({"rejected": True} if rejected else {}),
            **({"cut": True} if ended_by_budget else {}),
        }
    )
    if outcome.status == 0 or ended_by_budget:
        return None, False
    if outcome.refused and not finished_tasks(run):
        raise RefusedError(f"{task.benchmark}: {outcome.refused}")
    return Failure(task.name, task.benchmark, outcome.reason or f"exit status {outcome.status}"), wrong_only


def _with_factors(check: Mapping[str, object], task: Task) -> dict[str, object]:
    """A failed check, with what was varied from outside in its case."""
    case = check.get("case")
    return {**check, "case": task.factors | (case if isinstance(case, dict) else {})}
