"""What the throughput test needs of a batch system, and which there are: each is a file of `systems/` with `SYSTEM`."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, Protocol, TypedDict

from assay.errors import InputError, MeasurementError
from assay.throughput import systems
from assay.throughput.live_jobs import LiveJob
from assay.throughput.occupancy import Occupancy

WAITING, RUNNING, ENDED = "waiting", "running", "ended"


class SilentSystemError(MeasurementError):
    """A batch system does not answer now; the request may have been carried out all the same."""


@dataclass(frozen=True, kw_only=True)
class AccountedTime:
    """Processor seconds of a job by a batch system's own accounting, of all its nodes; None where unknown."""

    user: float | None = None
    system: float | None = None
    total: float | None = None


@dataclass(frozen=True, kw_only=True)
class Accounted:
    """A batch system's state of one job: `word` is its own (COMPLETED), `stage` ours.

    `well`: whether it reports that the job ended well, `cancelled`: that it was deleted, None where unknown.
    `never_after`: of a job that waits for a reason for which it never starts, the seconds that this reason must hold
    until it is believed; None of others. `used`: its processor time, where the accounting has it.
    """

    batch_id: str
    stage: str
    word: str
    well: bool | None = None
    cancelled: bool | None = None
    nodes: tuple[str, ...] = ()
    never_after: float | None = None
    used: AccountedTime | None = None  # its processor time, where the accounting has it


class AccountedTimeEntry(TypedDict):
    """An `AccountedTime` as a log has it."""

    user: float | None
    system: float | None
    total: float | None


class AccountedEntry(TypedDict):
    """An `Accounted` as a log has it."""

    batch_id: str
    stage: str
    word: str
    well: bool | None
    cancelled: bool | None
    nodes: list[str]
    never_after: NotRequired[float | None]
    used: NotRequired[AccountedTimeEntry | None]


def of_entry(entry: AccountedEntry) -> Accounted:
    """Read what a log has of a job's state."""
    used = entry.get("used")
    return Accounted(
        batch_id=entry["batch_id"],
        stage=entry["stage"],
        word=entry["word"],
        well=entry.get("well"),
        cancelled=entry.get("cancelled"),
        nodes=tuple(entry["nodes"]),
        never_after=entry.get("never_after"),
        used=None if used is None else AccountedTime(**used),
    )


@dataclass(frozen=True, kw_only=True)
class BatchQueue:
    """A queue as it is defined: its limits and the batch system's other settings."""

    name: str
    facts: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class SystemFacts:
    """What a batch system is and has to give.

    `processors` and `nodes`: usable by jobs now. `defined`: also processors of nodes that are down or withheld
    from jobs; 0 where these are not known to be more.
    """

    name: str
    version: str
    policy: str
    processors: int
    nodes: tuple[str, ...]
    queues: tuple[BatchQueue, ...]
    defined: int = 0

    @property
    def whole(self) -> int:
        """Processors of all nodes, whatever their state."""
        return max(self.defined, self.processors)


@dataclass(frozen=True, kw_only=True)
class NodeCommand:
    """How a batch system starts a process on each node of a job, from the job's first node.

    `words`: the command. With {host} in it there is one for each node: hosts are the first words of the lines of the
    file that the variable `hosts` names. {count} is the number of nodes, from the variable `count`.
    """

    words: tuple[str, ...] = ()
    hosts: str = ""
    count: str = ""


@dataclass(frozen=True, kw_only=True)
class SystemRequest:
    """A request to a batch system: its policy and slots, where it takes any, and its options after the colon.

    `compress`: by how much time is compressed; the policies' own times (ageing, half-life) are with it.
    """

    policy: str | None = None
    slots: int | None = None
    option: str | None = None
    compress: float = 1.0


@dataclass(frozen=True, kw_only=True)
class SystemWork:
    """What a batch system gets to do: the jobs, and the command of each by the job's id.

    `folder`: the experiment's; `mark`: identifies its jobs; `held`: the batch ids, by job, of what was submitted
    before a resumption and has not been settled.
    """

    folder: Path
    mark: str
    jobs: Sequence[LiveJob]
    commands: Mapping[str, Sequence[str]]
    held: Mapping[str, str]


class BatchSystem(Protocol):
    """One batch system. Its jobs are known by its own ids; `mark` is how it finds those of one experiment again."""

    name: str
    summary: str
    record_within: float  # s that a job's record may take to be visible here after the batch system reports its end
    decisions: int | None  # how often its policy decided, where known
    on_each_node: NodeCommand  # none where it has one node
    rules: frozenset[str]  # of a job table, which it obeys (live_rules.py)

    def check(self) -> None:
        """InputError where it is not here; nothing is started."""

    def facts(self) -> SystemFacts:
        """What it is, its processors, nodes and queues."""

    def open(self, work: SystemWork) -> None:
        """Begin, or resume."""

    def submit(self, job: LiveJob, keep: int) -> str:
        """Submit; gives its id. MeasurementError where it refuses, SilentSystemError where it does not answer.

        What submits inherits the descriptor `keep`.
        """

    def find(self, job: LiveJob) -> str | None:
        """The id of a job of this experiment that may have been submitted before a crash; None where it was not."""

    def time_limit(self, job: LiveJob) -> float:
        """The seconds that go with its submission: what the policy decides by."""

    def poll(self) -> Mapping[str, Accounted]:
        """Its states of the jobs, by batch id; a job that it has forgotten or never saw is not among them.

        SilentSystemError where it does not answer.
        """

    def occupancy(self) -> Occupancy | None:
        """What of its processors others' jobs have, are down and reserved; None where unknown.

        MeasurementError where it does not answer.
        """

    def wait(self, seconds: float) -> None:
        """Wait until something may have changed, at most so long."""

    def cancel(self, batch_ids: Iterable[str]) -> None:
        """Delete jobs, waiting or running."""

    def hurry(self, until: float) -> str:
        """Wait for no command beyond this time (monotonic clock); what has to be waited for, "" where it is here."""

    def close(self) -> None:
        """Release resources; jobs are not affected."""


class HostSystem:
    """What batch systems of this host alone share, which live in the process that submits."""

    name = ""
    record_within = 0.0
    decisions: int | None = None
    on_each_node = NodeCommand()
    rules: frozenset[str] = frozenset()

    def __init__(self, request: SystemRequest) -> None:
        """`request.slots`: processors that it is to have; else the hardware threads that this process may use."""
        self._request = request

    @property
    def processors(self) -> int:
        """What it has to give."""
        return self._request.slots or len(os.sched_getaffinity(0))

    def occupancy(self) -> Occupancy | None:
        """None: no one else submits to it."""
        return None

    def hurry(self, until: float) -> str:
        """Nothing is waited for."""
        return ""

    def _facts_of_host(self, version: str, policy: str, queue: Mapping[str, str]) -> SystemFacts:
        """This host with one queue, which is defined so."""
        return SystemFacts(
            name=self.name,
            version=version,
            policy=policy,
            processors=self.processors,
            nodes=(os.uname().nodename,),
            queues=(BatchQueue(name="all", facts=queue),),
        )

    def _refuse_options(self) -> None:
        """InputError for words behind the colon."""
        if self._request.option:
            problem = "takes nothing behind the colon"
            raise InputError(problem, key=f"--via {self.name}", value=self._request.option)


def known() -> dict[str, str]:
    """The names that `--via` takes here, with what each is."""
    names = sorted(module.name for module in pkgutil.iter_modules(systems.__path__))
    kinds = [importlib.import_module(f"{systems.__name__}.{name}").SYSTEM for name in names]
    return {kind.name: kind.summary for kind in kinds}


def opened(via: str, request: SystemRequest) -> BatchSystem:
    """The batch system that `--via NAME[:OPTIONS]` means, checked to be here; InputError where it is not."""
    name, _, option = via.partition(":")
    found = known()
    if name not in found:
        accepted = ", ".join(f"{key} ({summary})" for key, summary in found.items())
        raise InputError("no such batch system", key="--via", value=via, accepted=accepted)
    kind = importlib.import_module(f"{systems.__name__}.{name}").SYSTEM
    made: BatchSystem = kind(SystemRequest(
        policy=request.policy, slots=request.slots, option=option or None, compress=request.compress
    ))  # fmt: skip
    made.check()
    return made
