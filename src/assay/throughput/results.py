"""What a schedule of jobs comes to: makespan, utilisation, waiting, slowdown, and why processors were idle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated

from assay.document.json_form import WRITTEN_IF_SET
from assay.throughput import interference
from assay.throughput.fairness import Fairness, fairness
from assay.throughput.interference import InterferenceResult
from assay.throughput.metrics import RanJobs, ThroughputFigure, bounded_slowdown, metrics
from assay.throughput.played import HeldKind, PlayedJob, PlayedKind, held_kinds, kinds
from assay.throughput.printed_totals import PrintedTotal
from assay.throughput.queue_results import QueueResult, queue_results
from assay.throughput.simulated import IDLE, Scheduled

MOST_LISTED = 10_000  # jobs in the JSON
WIDE = "wider than the machine"


@dataclass(frozen=True, kw_only=True)
class IdleTime:
    """Processor seconds without a job, by why, and their share of the machine over the makespan."""

    processor_seconds: float
    share: float
    text: str


@dataclass(frozen=True, kw_only=True)
class RefusedJob:
    """A job that never runs, and why: usually, as it is wider than the machine."""

    name: str
    processors: int
    why: str = WIDE


@dataclass(frozen=True, kw_only=True)
class FinishedJob:
    """One job: when it was submitted, started and ended, in seconds from the first submission.

    `answer`: whether its result was right, None without a check; `nodes`: where it ran, None where any would do;
    `slowdown`: its run over that alone, where jobs slow one another down.
    """

    name: str
    submitted: float
    started: float
    ended: float
    state: str
    processors: int
    answer: bool | None = None
    nodes: list[str] | None = None
    slowdown: Annotated[float | None, WRITTEN_IF_SET] = field(default=None)


@dataclass(frozen=True, kw_only=True)
class ThroughputResult:
    """A workload under a batch system. Times in seconds; `least_makespan`: by work and by the last arrival.

    `efficiency`: the least makespan over that of the schedule. `ignored` and `changed`: records of the workload that
    gave no job, or were changed, by reason. `decision_cost`: seconds of each decision. `restarts`:
    runs that a failure of a node ended, and that were begun again.
    `fairness` where there are several users or programs; `queues` where the machine has any; `interference` where
    its jobs slow one another down; `jobs` only of a workload of 10,000 jobs or fewer.
    `played` and `programs`: jobs whose programs ran at the same time on the machine, and these by name; `held`: names
    of jobs whose programs could not. `printed`: totals of the paper's own test, where this is one of them.
    """

    figures: list[ThroughputFigure]
    machine: str
    policy: str
    processors: int
    workload: str
    makespan: float
    utilisation: float
    efficiency: float
    mean_wait: float
    median_wait: float
    longest_wait: float
    mean_response: float
    bounded_slowdown: float
    least_makespan: float
    scheduled: int
    refused: list[RefusedJob]
    refused_jobs: int
    ignored: Mapping[str, int]
    changed: Mapping[str, int]
    idle: Mapping[str, IdleTime]
    decisions: int
    decision_cost: float
    cpu_seconds: float
    lost: int = 0
    failed: int = 0
    restarts: int = 0
    queues: Annotated[list[QueueResult] | None, WRITTEN_IF_SET] = field(default=None)
    fairness: Annotated[Fairness | None, WRITTEN_IF_SET] = field(default=None)
    interference: Annotated[InterferenceResult | None, WRITTEN_IF_SET] = field(default=None)
    jobs: Annotated[list[FinishedJob] | None, WRITTEN_IF_SET] = field(default=None)
    played: Annotated[list[PlayedJob] | None, WRITTEN_IF_SET] = field(default=None)
    programs: Annotated[list[PlayedKind] | None, WRITTEN_IF_SET] = field(default=None)
    held: Annotated[list[HeldKind] | None, WRITTEN_IF_SET] = field(default=None)
    printed: Annotated[list[PrintedTotal] | None, WRITTEN_IF_SET] = field(default=None)


def result(found: Scheduled, machine: str, cpu_seconds: float) -> ThroughputResult:
    """What a schedule of at least one job comes to. `cpu_seconds`: processor time of the simulation, for the reader."""
    jobs = found.workload
    waited = found.started - jobs.submitted
    ended, slowdown = found.ended, bounded_slowdown(waited, jobs.runs)
    ran = RanJobs(
        submitted=jobs.submitted,
        waits=waited,
        runs=jobs.runs,
        ended=ended,
        width=jobs.processors,
        alone=found.alone,
    )
    whole = metrics(ran, found.processors, slowdown=slowdown)
    room = found.processors * ended.max().item() or 1
    fair = fairness(found, slowdown)
    params: dict[str, str | int] = {"policy": found.policy, "processors": found.processors}
    figures = whole.figures(params, "simulated", "simulated")
    if fair is not None and fair.groups:
        figures.append(ThroughputFigure(name="fairness", value=fair.index, unit="1", params=params))
    played = [job for job in found.played if job is not None]
    programs = kinds(played)
    held = held_kinds((jobs.name(at), play.why_not) for at, play in enumerate(jobs.plays))
    figures += [
        ThroughputFigure(name=name, value=getattr(each, name), unit="1", params={**params, "job": each.name})
        for each in programs
        for name in ("slowdown", "placement", "interference")
    ]
    return ThroughputResult(
        figures=figures,
        machine=machine,
        policy=found.policy,
        processors=found.processors,
        workload=jobs.source,
        **asdict(whole),
        scheduled=len(jobs),
        refused=_refused(found),
        refused_jobs=len(found.refused) + len(found.turned_why),
        ignored=dict(jobs.ignored),
        changed=dict(jobs.changed),
        idle={
            why: IdleTime(processor_seconds=found.idle[why], share=found.idle[why] / room, text=text)
            for why, text in IDLE.items()
            if why in found.idle
        },
        decisions=found.decisions,
        decision_cost=found.decision_cost,
        cpu_seconds=cpu_seconds,
        failed=int(found.failed.sum()),
        restarts=found.restarts,
        queues=queue_results(found, slowdown, room) or None,
        fairness=fair,
        interference=_interference(found),
        jobs=_jobs(found) if len(jobs) <= MOST_LISTED else None,
        played=played or None,
        programs=programs or None,
        held=held or None,
    )


def _interference(found: Scheduled) -> InterferenceResult | None:
    if found.alone is None or found.killed is None:
        return None
    jobs = found.workload
    return interference.result(
        jobs.runs.astype(float), found.alone.astype(float), found.killed, jobs.processors, found.shared
    )


def _refused(found: Scheduled) -> list[RefusedJob]:
    wide, away = found.refused, found.turned_away
    refused = [RefusedJob(name=wide.name(at), processors=int(wide.processors[at])) for at in range(len(wide))]
    for at, why in enumerate(found.turned_why):
        assert away is not None
        refused.append(RefusedJob(name=away.name(at), processors=int(away.processors[at]), why=why))
    return refused[:MOST_LISTED]


def _answer(found: Scheduled, at: int) -> bool | None:
    played = found.played[at] if found.played else None
    return None if played is None or played.state not in ("completed", "wrong answer") else played.state == "completed"


def _jobs(found: Scheduled) -> list[FinishedJob]:
    jobs, ended, states = found.workload, found.ended, found.states()
    return [
        FinishedJob(
            name=jobs.name(at),
            submitted=jobs.submitted[at].item(),
            started=found.started[at].item(),
            ended=ended[at].item(),
            state=states[at],
            processors=int(jobs.processors[at]),
            answer=_answer(found, at),
            nodes=[str(node) for node in found.places[at]] if found.places else None,
            slowdown=float(jobs.runs[at] / found.alone[at]) if found.alone is not None and found.alone[at] else None,
        )
        for at in range(len(jobs))
    ]
