"""A described machine on which several programs run at the same time, each a job on its own processors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from assay.benchmark.record import Benchmark, benchmark
from assay.benchmark.resolved import program_words
from assay.described.machine_file import DescribedMachine
from assay.errors import InputError, MeasurementError

if TYPE_CHECKING:
    from assay._core.ranks import Launch

PICOSECOND = 1e-12
STATES = {"ended": "time limit"}  # what the core calls otherwise
MOST_WAITING = 4  # ranks of a deadlock that are named


@dataclass(frozen=True)
class JobRun:
    """What a job did: `begun`, `ended` in ps from the world's beginning; `lines` as a launch of its program gives them.

    `state`: completed, wrong answer, failed, time limit, or deadlock; `why`: of all but the first, in words.
    """

    state: str
    begun: int
    ended: int
    lines: str
    why: str = ""

    @property
    def seconds(self) -> float:
        """How long it ran."""
        return (self.ended - self.begun) * PICOSECOND


def joined(runs: Sequence[JobRun]) -> JobRun:
    """Programs that ran one after the other, as one: its state is that of the last."""
    last = runs[-1]
    return JobRun(last.state, runs[0].begun, last.ended, "".join(run.lines for run in runs), last.why)


class JobWorld:
    """One simulated world. Times in ps; jobs start at whole cycles (`cycle`) of the network.

    `most_events`: of the simulation; more is refused by an InputError. `progress` is called now and then.
    """

    def __init__(
        self,
        machine: DescribedMachine,
        most_events: int | None = None,
        progress: Callable[[JobWorld], None] = lambda world: None,
    ) -> None:
        from assay._core import ranks as core

        self._machine = machine
        try:
            per_node = machine.node.processors if machine.node and machine.network is not None else None
            self._core = core.Jobs(machine.for_core(per_node))
        except ValueError as error:
            raise machine.refused(error) from None
        self._most, self._progress = most_events, progress
        self.cycle = int(self._core.cycle)
        self.nodes, self.processors = int(self._core.nodes), int(self._core.processors)

    @property
    def now(self) -> int:
        """The time in ps."""
        return int(self._core.now)

    @property
    def events(self) -> int:
        """Events of ranks that were simulated."""
        return int(self._core.events)

    def begin(self, program: str, arguments: Sequence[str], places: Sequence[int]) -> int:
        """Start a program now, rank r at place `places[r]`: node times processors, and which of them; its number.

        InputError for a program or setting that cannot run here.
        """
        from assay.execute.simulated import require

        record = benchmark(program)
        require(record)
        try:
            return int(self._core.begin(program, list(self.words(record, arguments)), list(places)))
        except ValueError as error:
            raise InputError(str(error), key=f"{program} on {self._machine.name}") from None

    def words(self, record: Benchmark, arguments: Sequence[str]) -> tuple[str, ...]:
        """What the program is started with, for the words of a task of `assay run`."""
        defaults = self._machine.parameter_defaults()
        return program_words(record, arguments, simulated=True, defaults=defaults)

    def advance(self, until: int | None = None) -> list[int]:
        """Go on to the next end of jobs, or up to `until`; the jobs that ended. None: for as long as anything happens.

        MeasurementError for what goes wrong in the machine.
        """
        while True:
            try:
                more = self._core.drain() if until is None else self._core.advance(until)
            except (RuntimeError, ValueError, IndexError, MemoryError) as error:
                raise MeasurementError(f"{self._machine.name}: {error or 'out of memory'}") from None
            if self._most is not None and self.events > self._most:
                raise InputError(
                    "is more than is simulated with its messages",
                    key=f"jobs on {self._machine.name}",
                    value=f"over {self._most:.0e} events of ranks",
                    accepted="fewer jobs, less work by `set` in the table, or --set batch.programs=time, by which "
                    "programs last the table's times",
                )
            self._progress(self)
            ended = self._core.ended()
            if ended or not more:
                return list(ended)

    def end(self, job: int) -> None:
        """End a job that runs: it is one at its time limit, or in a deadlock."""
        self._core.end(job)
        self._core.ended()

    def run(self, job: int) -> JobRun:
        """What a job that has ended did."""
        about: CoreJob = self._core.job(job)
        state = STATES.get(about["state"], about["state"])
        return JobRun(state, about["begun"], about["ended"], about["launch"].lines, _why(state, about))


class CoreJob(TypedDict):
    """A job as the core has it: times in ps; `failure`: why it failed, empty where it did not."""

    state: str
    begun: int
    ended: int
    launch: Launch
    failure: str


def _why(state: str, about: CoreJob) -> str:
    if state == "failed":
        return str(about["failure"])
    if state == "wrong answer":
        return "; ".join(detail for _, detail in about["launch"].failed)
    if state != "deadlock":
        return ""
    from assay.execute.simulated import waits_for

    waits = about["launch"].waiting
    parts = [waits_for(rank, call, peer, tag) for rank, call, peer, tag in waits[:MOST_WAITING]]
    more = len(waits) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")
