"""The record of a run as run.json holds it: the request, the host that made it, how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from assay.case import ParameterValue


class PlannedTask(TypedDict, total=False):
    """A task of the plan (`execute.plan.Task`)."""

    benchmark: str
    launch: int
    ranks: int | None
    ppn: int | None
    factors: dict[str, ParameterValue]


class PlannedSpending(TypedDict, total=False):
    """How launches are spent (`execute.plan.Spending`)."""

    looks: Sequence[int]
    within: float
    budget: float | None


class PlanRecord(TypedDict, total=False):
    """The plan (`execute.plan.Plan`)."""

    profile: str
    launches: int
    seed: int
    tasks: Sequence[PlannedTask]
    spending: PlannedSpending | None
    budget: float | None


class BudgetRecord(TypedDict, total=False):
    """What is left out for a budget (`execute.budget.Cut`)."""

    left_out: list[str]


class WishesRecord(TypedDict, total=False):
    """What was requested, as far as others than the verb read it."""

    names: list[str] | None
    on: str | None
    nodes: int | None
    variants: list[dict[str, str]]


class RunRecord(TypedDict, total=False):
    """What is known of a run, its `id` always; a key of a wrong kind is left out when it is read.

    `discovered`: what the host was found to be; `left_out`: benchmarks that were not measured, and why; `budget`: what
    was cut for it; `checksums`: of the files, once the run has ended.
    """

    id: str
    created: float
    state: str
    ended: float
    label: str
    command: list[str]
    wishes: WishesRecord
    plan: PlanRecord
    profile: str
    machine: str
    described: bool
    host: dict[str, object]
    discovered: dict[str, object] | None
    left_out: list[dict[str, str]]
    budget: BudgetRecord
    allocation: int
    checksums: dict[str, str]
    program: list[str]
    collectives: str
