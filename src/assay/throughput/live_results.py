"""Results of a throughput test on a real batch system, compared with simulated policies for the same jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np

from assay.analysis.node_use import NodeUse
from assay.document.json_form import WRITTEN_IF_SET
from assay.errors import InputError
from assay.throughput import reconciling, simulated
from assay.throughput.alone import ProgramSlowdown, slowdowns
from assay.throughput.batch_system import AccountedTime, BatchQueue, SystemFacts
from assay.throughput.experiment import Followed, FollowedJob
from assay.throughput.fairness import Fairness, of_programs
from assay.throughput.job_names import kind_of
from assay.throughput.job_programs import WATCHED_FROM, node_files
from assay.throughput.live_idle import UNUSED, Spell, idle_times
from assay.throughput.live_jobs import LiveJob
from assay.throughput.metrics import RanJobs, ThroughputFigure, bounded_slowdown, metrics
from assay.throughput.node_use import nodes_used
from assay.throughput.occupancy import Look, MachineUse, machine_use, steps
from assay.throughput.predicted import PredictedTest, predicted
from assay.throughput.printed_totals import PrintedTotal
from assay.throughput.processor_time import ProgramTime, by_program
from assay.throughput.reconciling import JobFinding
from assay.throughput.results import IdleTime, RefusedJob
from assay.throughput.submission_log import LoggedJob
from assay.throughput.workload import Workload

IDEALS = ("fcfs", "easy", "conservative")
CLOCKS_DIFFER = 1.0  # s: at most, those of a batch system's hosts and of the submitter; those of one host do not
ROUNDED = 1e-6  # s: of each time of a job
TICKS = 1000  # per second: simulated policies count whole ticks


@dataclass(frozen=True, kw_only=True)
class LiveOutcome:
    """One job: seconds from the first submission, None for what never happened.

    `answer`: whether its result was right, None without a check; `nodes`: where it ran. `held`: the processors that it
    had, where it shared its nodes with no other job and these have more than it requested. `user_seconds`,
    `system_seconds`: processor time of what its starter started and waited for on its host; `accounted`: the batch
    system's own account of it.
    """

    name: str
    submitted: float | None
    started: float | None
    ended: float | None
    state: str
    processors: int
    answer: bool | None
    nodes: list[str]
    batch_id: str | None
    held: Annotated[int | None, WRITTEN_IF_SET] = None
    user_seconds: Annotated[float | None, WRITTEN_IF_SET] = None
    system_seconds: Annotated[float | None, WRITTEN_IF_SET] = None
    accounted: Annotated[AccountedTime | None, WRITTEN_IF_SET] = None

    @property
    def width(self) -> int:
        """The processors that others could not use."""
        return self.held or self.processors


@dataclass(frozen=True, kw_only=True)
class IdealSchedule:
    """What a simulated policy makes of the jobs that ran: their submissions, their run times, no cost of its own.

    `overhead`: by how much of this makespan the measured one is longer (negative: shorter).
    """

    makespan: float
    mean_wait: float
    overhead: float


@dataclass(frozen=True, kw_only=True)
class SystemRates:
    """How fast a batch system is. Rates per second; `reaction`: seconds from the last submission or end before a start.

    `submit_rate`: submissions over the time that their commands took. `decision_rate`: decisions over the makespan,
    where the system counts them.
    """

    submit_rate: float | None
    submission_median: float | None
    reaction_median: float | None
    reaction_longest: float | None
    decision_rate: float | None


@dataclass(frozen=True, kw_only=True)
class LiveThroughput:
    """A workload on a real batch system. Times in seconds, as measured: compressed by `compress`.

    `efficiency`: the least possible makespan over the measured one. `lost`: jobs that were submitted and left no trace
    of their end that anybody explains; `failed`: all others that did not end well with a right answer. `interrupted`:
    how often the test was resumed. `idle`: processor seconds without a job, by why. `predicted`: the test's simulated
    twin, None where its policy is none that is simulated alone. `use`: what the nodes did; `not_sampled`: nodes of jobs
    expected to run for a second or longer whose activity is unknown. `alone`: programs compared with
    themselves in single-user mode, where they were run so. `fairness`: by program, where there are several.
    Times and ratios are of all jobs that ran, however they ended; `not_completed_share`: the part of their processor
    seconds that was of jobs that did not complete, or had a wrong answer (None in results of before). `machine_use`:
    whose the cluster's processors were, where this is known; ideals, twin and `least_makespan` are then for
    the `ideal_processors` that others left in the mean, or those of the widest job. `processor_time`: of the
    jobs, by program. `printed`: totals of the paper's own test, where this is one of them.
    """

    figures: list[ThroughputFigure]
    machine: str
    system: str
    system_version: str
    policy: str
    processors: int
    queues: list[BatchQueue]
    workload: str
    compress: float
    out: str
    makespan: float
    utilisation: float
    efficiency: float
    least_makespan: float
    mean_wait: float
    median_wait: float
    longest_wait: float
    mean_response: float
    bounded_slowdown: float
    submitted: int
    completed: int
    lost: int
    failed: int
    refused: list[RefusedJob]
    interrupted: int
    cancelled: bool
    longest_delay: float
    findings: list[JobFinding]
    ideal: Mapping[str, IdealSchedule]
    rates: SystemRates
    jobs: list[LiveOutcome]
    idle: Mapping[str, IdleTime] = field(default_factory=dict)
    predicted: PredictedTest | None = None
    use: list[NodeUse] = field(default_factory=list)
    not_sampled: list[str] = field(default_factory=list)
    alone: list[ProgramSlowdown] = field(default_factory=list)
    fairness: Annotated[Fairness | None, WRITTEN_IF_SET] = None
    not_completed_share: float | None = None
    machine_use: Annotated[MachineUse | None, WRITTEN_IF_SET] = None
    ideal_processors: Annotated[int | None, WRITTEN_IF_SET] = None
    processor_time: Annotated[list[ProgramTime] | None, WRITTEN_IF_SET] = None
    printed: Annotated[list[PrintedTotal] | None, WRITTEN_IF_SET] = None

    @property
    def ran(self) -> int:
        """How many jobs the times and ratios are of."""
        return sum(each.started is not None and each.ended is not None for each in self.jobs)

    @property
    def good(self) -> bool:
        """Whether every job ended well, none with a wrong answer, and the test was not cut short."""
        return not (self.lost or self.failed or self.cancelled or self.refused)


def live_result(
    followed: Followed,
    facts: SystemFacts,
    workload: str,
    compress: float,
    out: str,
    alone: Mapping[str, float | None] | None = None,
) -> LiveThroughput:
    """Reconcile the accounts of each job, and count; `alone`: run times (s) of programs alone, by name.

    InputError for records that come to more processor time than there was.
    """
    wide = [each for each in followed.jobs if each.job.processors > facts.processors and each.logged == LoggedJob()]
    kept = [each for each in followed.jobs if each not in wide]
    judged = [reconciling.reconcile(each.job, each.logged, each.accounted, each.record) for each in kept]
    begun = min((each.logged.began for each in kept if each.logged.began is not None), default=followed.begun)
    outcomes = [_outcome(each, one.state, begun, facts) for each, one in zip(kept, judged, strict=True)]
    ran = [each for each in outcomes if each.started is not None and each.ended is not None]
    columns = _columns(ran)
    work, makespan = columns.work, float(columns.ended.max(initial=0.0))
    looks = [(when - begun, seen) for when, seen in followed.occupancy]
    shared = machine_use(looks, work, makespan)
    left = float(facts.processors) if shared is None else min(shared.left, facts.processors)
    possible = max(round(left), max((each.width for each in ran), default=1))
    slowdown = bounded_slowdown(columns.waits * compress, columns.runs * compress)
    whole = metrics(columns, facts.processors, left=left, slowdown=slowdown)
    if work > _possible_work(facts, makespan) + ROUNDED * float(np.sum(columns.width)):
        problem = (
            f"its records come to a utilisation of {whole.utilisation:.1%}, which is impossible: they are of "
            f"another test or machine, or the clocks of hosts differ by more than {CLOCKS_DIFFER:g} s"
        )
        raise InputError(problem, file=Path(out), accepted="this test's records, or a new folder")
    completed = np.array([_completed(each) for each in ran], dtype=bool)
    spells = [spell for each in outcomes if (spell := _spell(each, makespan)) is not None]
    limits = [
        followed.time_limits[each.job.id]
        for each, one in zip(kept, outcomes, strict=True)
        if one.started is not None and one.ended is not None
    ]
    bad = [each.answer is False for each in outcomes]
    use = nodes_used((file for each in kept for file in node_files(followed.folder, each.job)), begun, makespan)
    watched = [one for each, one in zip(kept, outcomes, strict=True) if each.job.expected >= WATCHED_FROM]
    ideal = {policy: _ideal(ran, possible, policy, makespan) for policy in _policies(facts)} if ran else {}
    return LiveThroughput(
        figures=whole.figures(
            {"system": facts.name, "policy": facts.policy, "processors": facts.processors}, "one test", "measured"
        ),
        machine=facts.nodes[0] if len(facts.nodes) == 1 else f"{len(facts.nodes)} nodes",
        system=facts.name,
        system_version=facts.version,
        policy=facts.policy,
        processors=facts.processors,
        queues=list(facts.queues),
        workload=workload,
        compress=compress,
        out=out,
        submitted=sum(bool(each.logged.batch_ids) for each in kept),
        completed=sum(map(_completed, outcomes)),
        lost=sum(each.state in reconciling.LOSSES for each in outcomes),
        failed=sum(each.state in reconciling.FAILURES or wrong for each, wrong in zip(outcomes, bad, strict=True)),
        refused=[RefusedJob(name=each.job.name, processors=each.job.processors) for each in wide],
        interrupted=len(followed.resumed),
        cancelled=followed.cancelled,
        longest_delay=max((_delay(each, begun) for each in kept), default=0.0),
        findings=[finding for one in judged for finding in one.findings],
        ideal=ideal,
        rates=_rates(ran, followed, makespan),
        jobs=outcomes,
        alone=slowdowns(
            [
                (each.name, each.ended - each.started)
                for each in ran
                if each.state == reconciling.COMPLETED and each.ended is not None and each.started is not None
            ],
            alone or {},
            {kind_of(each.name): each.processors for each in outcomes},
        ),
        fairness=of_programs([each.name for each in ran], columns.waits, slowdown) if ran else None,
        idle=idle_times(spells, facts.processors, makespan, _taken(looks, facts, makespan))
        | _unused(ran, facts, makespan),
        predicted=predicted(
            [spell for each in ran if (spell := _spell(each, makespan)) is not None],
            limits,
            possible,
            facts.policy,
            makespan,
        ),
        not_completed_share=float(np.sum((columns.runs * columns.width)[~completed])) / work if work else 0.0,
        use=use,
        not_sampled=_not_sampled(watched, use),
        machine_use=shared,
        ideal_processors=possible if possible != facts.processors else None,
        processor_time=by_program(outcomes) or None,
        **asdict(whole),
    )


def _unused(ran: Sequence[LiveOutcome], facts: SystemFacts, makespan: float) -> dict[str, IdleTime]:
    """Processors that jobs had without requesting them; nothing where there is none."""
    spent = sum((each.width - each.processors) * ((each.ended or 0.0) - (each.started or 0.0)) for each in ran)
    share = spent / (facts.processors * makespan) if makespan else 0.0
    return {"unused": IdleTime(processor_seconds=spent, share=share, text=UNUSED)} if spent else {}


def _taken(looks: Sequence[Look], facts: SystemFacts, makespan: float) -> list[tuple[float, int]]:
    """From when on how many of the processors that there were at the start are not to be had."""
    found = [(begins, facts.processors - (seen.total - seen.taken)) for begins, _, seen in steps(looks, makespan)]
    return [(when, max(away, 0)) for when, away in found]


def _not_sampled(jobs: Sequence[LiveOutcome], use: Sequence[NodeUse]) -> list[str]:
    """Nodes of jobs that ran to their end which are not among those that were seen; host names may have a domain."""
    seen = {each.node.partition(".")[0] for each in use}
    nodes = dict.fromkeys(node for each in jobs if each.ended is not None for node in each.nodes)
    return sorted(node for node in nodes if node.partition(".")[0] not in seen)


def _policies(facts: SystemFacts) -> list[str]:
    """The ideals, and the system's own policy where it is one that can be simulated alone."""
    own = [facts.policy] if facts.policy == "firstfit" else []
    return [*own, *IDEALS]


def _outcome(each: FollowedJob, state: str, begun: float, facts: SystemFacts) -> LiveOutcome:
    record = each.record

    def since(when: float | None) -> float | None:
        return None if when is None else round(when - begun, 6)

    known = each.accounted.nodes if each.accounted is not None else ()
    return LiveOutcome(
        name=each.job.name,
        submitted=since(each.logged.began if each.logged.batch_ids else None),
        started=since(record.started if record else None),
        ended=since(record.ended if record else None),
        state=state,
        processors=each.job.processors,
        answer=record.answer if record else None,
        nodes=list(known) if record and known else [record.host] if record and record.host else [],
        batch_id=each.logged.batch_ids[-1] if each.logged.batch_ids else None,
        held=_held(each.job, len(known), facts),
        user_seconds=record.user_seconds if record else None,
        system_seconds=record.system_seconds if record else None,
        accounted=each.accounted.used if each.accounted is not None else None,
    )


def _held(job: LiveJob, nodes: int, facts: SystemFacts) -> int | None:
    """The processors of a job that has its nodes for itself, all nodes being of one size; None of others."""
    each = facts.processors // max(len(facts.nodes), 1)
    held = facts.processors if job.alone == "machine" else min(facts.processors, each * max(nodes, 1))
    return held if job.alone and held > job.processors else None


def _possible_work(facts: SystemFacts, makespan: float) -> float:
    """The most processor seconds that jobs can have used: a makespan is as exact as the clocks that it is from."""
    differ = 0.0 if facts.name == "local" else CLOCKS_DIFFER
    return facts.processors * (makespan + differ + ROUNDED)


def _completed(each: LiveOutcome) -> bool:
    """Whether it ended well, and with no wrong answer."""
    return each.state == reconciling.COMPLETED and each.answer is not False


def _spell(each: LiveOutcome, makespan: float) -> Spell | None:
    """When it had its processors: what never started waited to the end, of killed jobs the time is unknown."""
    if each.submitted is None:
        return None
    started = makespan if each.started is None else max(each.started, each.submitted)
    ended = started if each.started is None or each.ended is None else max(each.ended, started)
    return each.submitted, started, ended, each.width


Reals = np.ndarray[tuple[int], np.dtype[np.float64]]


def _columns(ran: Sequence[LiveOutcome]) -> RanJobs:
    """The jobs that ran."""
    submitted, started, ended, width = (
        np.array([getattr(each, key) for each in ran], dtype=np.float64)
        for key in ("submitted", "started", "ended", "processors")
    )
    waits, runs = np.maximum(started - submitted, 0.0), ended - started
    return RanJobs(submitted=submitted, waits=waits, runs=runs, ended=submitted + waits + runs, width=width)


def ideal_starts(
    outcomes: Sequence[LiveOutcome], processors: int, policy: str
) -> list[tuple[LiveOutcome, float, float, float]]:
    """Jobs that ran, in order of submission, each with its submission, its start under a policy and its run (s)."""
    ran = [each for each in outcomes if each.started is not None and each.ended is not None]
    columns = _columns(ran)
    runs, submitted = columns.runs, columns.submitted
    width = np.array([each.width for each in ran], dtype=np.float64)
    order = np.argsort(submitted, kind="stable")

    def whole(values: Reals) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.rint(values[order] * TICKS).astype(np.int64)

    ticks = np.maximum(whole(runs), 1)
    jobs = Workload(
        number=np.arange(1, len(ran) + 1),
        submitted=whole(submitted),
        runs=ticks,
        requested=ticks,
        processors=width[order].astype(np.int64),
        user=np.zeros(len(ran), dtype=np.int64),
        priority=np.zeros(len(ran)),
    )
    found = simulated.schedule(jobs, processors, policy)
    times = (jobs.submitted / TICKS, found.started / TICKS, ticks / TICKS)
    return [
        (ran[at], float(submission), float(start), float(run))
        for at, submission, start, run in zip(order, *times, strict=True)
    ]


def _ideal(ran: Sequence[LiveOutcome], processors: int, policy: str, measured: float) -> IdealSchedule:
    found = ideal_starts(ran, processors, policy)
    makespan = max(start + run for _, _, start, run in found)
    wait = sum(start - submitted for _, submitted, start, _ in found) / len(found)
    return IdealSchedule(makespan=makespan, mean_wait=wait, overhead=measured / makespan - 1 if makespan else 0.0)


def _delay(each: FollowedJob, begun: float) -> float:
    return max(0.0, each.logged.began - begun - each.job.due) if each.logged.began is not None else 0.0


def _rates(ran: Sequence[LiveOutcome], followed: Followed, makespan: float) -> SystemRates:
    took = [each for each in followed.submissions if each > 0]
    events = sorted([each.submitted for each in ran if each.submitted is not None]
                    + [each.ended for each in ran if each.ended is not None])  # fmt: skip
    reactions = []
    for each in ran:
        if each.started is not None:
            before = [when for when in events if when <= each.started]
            reactions += [each.started - before[-1]] if before else []
    return SystemRates(
        submit_rate=len(took) / sum(took) if took else None,
        submission_median=float(np.median(took)) if took else None,
        reaction_median=float(np.median(reactions)) if reactions else None,
        reaction_longest=max(reactions) if reactions else None,
        decision_rate=followed.decisions / makespan if followed.decisions is not None and makespan else None,
    )
