"""Doing tasks on a machine that is only described: its ranks are coroutines of the simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from assay.benchmark.record import Benchmark
from assay.described.limits import MachineBounds
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from assay.errors import InputError
from assay.execute.job import Job, Outcome
from assay.execute.plan import Task
from assay.execute.unused_keys import refuse_idle_names


class SimulatedTarget:
    """What all places of a described machine have in common."""

    description: DescribedMachine

    def describe(self) -> dict[str, object]:
        """Give the whole description: it is the machine."""
        return {"description": self.description.model_dump(mode="json")}

    def compiled(self) -> list[dict[str, object]]:
        """No kernel is compiled."""
        return []

    def allocation(self) -> str:
        """A simulated machine is the same in every process."""
        return "simulated"

    def close(self) -> None:
        """Nothing to release."""


class DescribedTarget(SimulatedTarget):
    """A machine that is only described: its ranks are coroutines of the simulator."""

    def __init__(
        self,
        name: str,
        overrides: dict[str, str],
        timeline: str | None = None,
        matrix: str | None = None,
        placement: tuple[str, int] | None = None,
        verify: bool = False,
        goal: str | None = None,
    ) -> None:
        self.timeline, self.matrix, self.placement, self.verify = timeline, matrix, placement, verify
        self.goal = goal
        self.description: DescribedMachine = open_described(name, overrides)
        refuse_idle_names(self.description)
        self.machine = self.description.name

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Refuse by name what a described machine cannot run."""
        from assay.execute.node_simulated import describes

        for record in records:
            if record.kind != "ranks" and not describes(self.description, record):
                memory = record.described is not None and record.described.kernel is None
                part, lacks = ("node", "memory") if memory else ("processor", "rate for it")
                raise InputError(
                    f"measures a real {part}, and the description of {self.machine} has no {lacks}",
                    key=record.name,
                    accepted=f"{'node.memory' if memory else 'a rate in [compute]'}, or no --on",
                )

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Nothing to compile: the programs are part of the core."""

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        """Turn a task into what is simulated."""
        words = (record.name, *task.arguments)
        return Job(task.name, words, task.ranks, None, task.ppn, out, log, task.timeout, {})

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        """Simulate it."""
        from assay.execute.node_simulated import simulate_node
        from assay.execute.simulated import simulate

        if record.kind == "node":
            return simulate_node(self.description, record, job)
        where = (self.timeline, self.matrix, self.placement)
        return simulate(self.description, record, job, *where, verify=self.verify, goal=self.goal)

    def circumstances(self) -> dict[str, object]:
        """The version that simulated, and the bounds that follow from the description."""
        from assay import __version__

        return {"simulated": True, "assay": __version__, "limits": self._limits, **self._placed()}

    def _placed(self) -> dict[str, object]:
        if self.placement is None:
            return {}
        way, seed = self.placement
        return {"placement": way, **({"placement_seed": seed} if way == "scattered" else {})}

    @cached_property
    def _limits(self) -> MachineBounds:
        from assay.described.limits import limits

        return limits(self.description)
