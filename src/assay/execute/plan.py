"""What a run will do: tasks in a seeded random order, launches as replicates (method.md, rules 1 and 5)."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.benchmark.record import PARTS, REPETITIONS, Benchmark, benchmarks
from assay.benchmark.variants import AnyVariant, varied_by
from assay.case import ParameterValue
from assay.errors import InputError
from assay.machine.accelerators import accelerators, add_driver_devices, query_drivers

LONGEST = 120  # characters of a file's name for what was varied
LAUNCHES = {"quick": 3, "standard": 10, "full": 30}
LOOKS = {"standard": (10, 15, 20, 30), "full": (30, 40, 60)}  # launches after which a benchmark may stop, or go on
WITHIN = {"standard": 0.02, "full": 0.01}  # half an interval's width, relative, that ends a benchmark's launches


@dataclass(frozen=True)
class Spending:
    """When a benchmark's launches end: at the first of `looks` where its intervals are within +-`within`.

    `budget`: seconds of the whole command; None: launches take twice what those before the first look took.
    """

    looks: tuple[int, ...]
    within: float
    budget: float | None = None

    @property
    def level(self) -> float:
        """The level of an interval at each look, so that all looks together miss in 5% (Bonferroni)."""
        return 1 - 0.05 / len(self.looks)


@dataclass(frozen=True)
class Task:
    """One launch of one benchmark."""

    benchmark: str
    launch: int
    seed: int
    ranks: int | None
    arguments: tuple[str, ...]
    timeout: float
    ppn: int | None = None
    factors: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The task's name in the run: also the stem of its file."""
        return f"{self.launch:03d}-{varied_name(self.benchmark, self.factors)}"


def varied_name(benchmark: str, factors: Mapping[str, object]) -> str:
    """A benchmark's name with what was varied from outside, as a name of a file has it."""
    varied = "".join(f"-{key}{value}" for key, value in factors.items())
    safe = re.sub(r"[^\w.+=-]+", "_", varied)[:LONGEST]
    return benchmark + (safe if safe == varied else f"{safe}-{hashlib.sha256(varied.encode()).hexdigest()[:6]}")


@dataclass(frozen=True)
class Size:
    """How many ranks a benchmark runs on, and how many of them on a node; None: one process a node."""

    ranks: int | None = None
    ppn: int | None = None


@dataclass(frozen=True)
class Plan:
    """All tasks of a run, in the order in which they will be done: round by round, shuffled within each."""

    profile: str
    launches: int
    seed: int
    tasks: tuple[Task, ...]
    spending: Spending | None = None  # None: the launches are fixed
    budget: float | None = None  # s, of the whole command (execute/budget.py)

    def to_dict(self) -> dict[str, object]:
        """Give the plan as plain data, which `from_dict` takes back when a run is resumed."""
        return asdict(self)

    @property
    def most_ranks(self) -> dict[str, int]:
        """The most ranks that each benchmark is started with; 1 for those without."""
        most: dict[str, int] = {}
        for task in self.tasks:
            most[task.benchmark] = max(most.get(task.benchmark, 1), task.ranks or 1)
        return most

    @staticmethod
    def from_dict(data: Mapping[str, object]) -> Plan:
        """Take back what `to_dict` gave; pydantic's ValidationError where it is something else."""
        from pydantic import TypeAdapter

        return TypeAdapter(Plan).validate_python(data)


def check_profile(profile: str) -> None:
    """InputError where there is no such profile."""
    if profile not in LAUNCHES:
        raise InputError("no such profile", key="--profile", value=profile, accepted=", ".join(LAUNCHES))


def select_benchmarks(only: str | None, *, first_look: bool = False, profile: str | None = None) -> list[Benchmark]:
    """Return the benchmarks of the named parts; InputError for unknown parts.

    With no part named: all of them, or for a `first_look` those with `first_look` in their record. Of a
    `profile` those whose record names others only (`profiles = ["full"]`) are no part, unless all of a named part are
    such.
    """
    every = list(benchmarks().values())
    everything = [record for record in every if profile is None or profile in record.profiles]
    if not _has_device():
        everything = [record for record in everything if not record.needs_device]
    if only is None:
        return [record for record in everything if record.first_look or not first_look]
    wanted = [part.strip() for part in only.split(",") if part.strip()]
    accepted = ", ".join(PARTS)
    if not wanted:
        raise InputError("names no part", key="--only", value=only, accepted=accepted)
    for part in wanted:
        if part not in PARTS:
            raise InputError("no such part", key="--only", value=part, accepted=accepted)
    here = {record.part for record in everything}
    return [each for each in every if each.part in wanted and (each in everything or each.part not in here)]


def _has_device() -> bool:
    """Whether benchmarks reach an accelerator of this host: else programs would be compiled for nothing."""
    shown = accelerators()
    if not any(device.is_device for device in shown.devices):  # without asking drivers, which takes seconds
        return False
    return any(device.is_measured for device in add_driver_devices(shown, query_drivers()).devices)


def arguments_of(record: Benchmark, settings: Mapping[str, str], profile: str) -> tuple[str, ...]:
    """Return a program's own command line for what a person set (checked against its record)."""
    record.settings(settings)
    given: list[str] = []
    for key, text in settings.items():
        own = key in record.parameters
        given += ("--set", f"{key}={text}") if own else (f"--{REPETITIONS.name}", text)
    return ("--profile", profile, *given)


TIMEOUT = 300.0  # s, of a launch


def make(
    records: Sequence[Benchmark],
    *,
    profile: str,
    settings: Mapping[str, str] | None = None,
    launches: int | None = None,
    sizes: Mapping[str, Sequence[Size]] | None = None,
    seed: int = 1,
    timeout: float | None = None,
    spending: Spending | None = None,
    variants: Sequence[AnyVariant] = (),
) -> Plan:
    """Plan `launches` rounds (default: the profile's), each with every benchmark, size and variant once, shuffled.

    With `spending` there are as many rounds as its last look; which of those beyond the first look are done is decided
    at the looks.

    A launch may take `timeout` seconds; None: TIMEOUT, or the record's limit in this profile
    (`timeout_full = 14400`), whichever is more. A
    record with `launches = 1` is measured in one of them.
    Where a benchmark has several `sizes`, that by which they differ (ranks, ranks per node) becomes part of its cases;
    so do the parts of
    `variants`: build variants of benchmarks that have units of their own, MPI variants of those that pass messages.
    """
    check_profile(profile)
    rounds = LAUNCHES[profile] if launches is None else launches
    if spending is not None:
        rounds = spending.looks[-1]
    dice = random.Random(seed)
    tasks = []
    among_of = {record.name: (sizes or {}).get(record.name) or [Size()] for record in records}
    turns = [
        (record, size, variant)
        for record in records
        for size in among_of[record.name]
        for variant in varied_by(record, variants) or (None,)
    ]
    for launch in range(rounds):
        order = list(turns)
        dice.shuffle(order)
        for record, size, variant in order:
            own = dice.randrange(1, 2**31)
            if launch >= (record.launches or rounds):
                continue
            words = (*arguments_of(record, settings or {}, profile), "--seed", str(own), "--launch", str(launch))
            varied = _varied(size, among_of[record.name])
            varied |= variant.factors if variant else {}
            allowed = max(TIMEOUT, float(record.timeouts.get(profile, 0)))
            within = allowed if timeout is None else timeout
            tasks.append(Task(record.name, launch, own, size.ranks, words, within, size.ppn, varied))
    return Plan(profile, rounds, seed, tuple(tasks), spending)


def _varied(size: Size, among: Sequence[Size]) -> dict[str, ParameterValue]:
    """By what a size differs from others of the same benchmark."""
    varied: dict[str, ParameterValue] = {"ranks": size.ranks} if len({each.ranks for each in among}) > 1 else {}
    return varied | ({"ppn": size.ppn} if len({each.ppn for each in among}) > 1 else {})


def spend(profile: str, launches: int | None, within: float | None, budget: float | None) -> Spending | None:
    """How launches are spent: None where their number is fixed (quick, or --launches alone)."""
    if within is not None and profile not in LOOKS:
        problem, accepted = f"needs more launches than --profile {profile} makes", f"--profile {' or '.join(LOOKS)}"
        raise InputError(problem, key="--within", value=within, accepted=accepted)
    if profile not in LOOKS or (launches is not None and within is None):
        return None
    looks = LOOKS[profile]
    if launches is not None:
        looks = (*(look for look in looks if look < launches), launches)
    return Spending(looks, WITHIN[profile] if within is None else within, budget)
