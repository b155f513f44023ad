"""Machine and programs of tests/native/several_jobs.cpp, as it reads them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.benchmark.record import benchmark
from assay.described.machine_file import DescribedMachine
from assay.throughput.job_world import JobWorld


def lines_of(value: Any) -> list[str]:
    """A value of a description as the core gets it: its kind, and what it holds."""
    if value is None:
        return ["none"]
    if isinstance(value, bool):
        return ["flag", "true" if value else "false"]
    if isinstance(value, str):
        return ["text", value]
    if isinstance(value, int | float):
        return ["integer" if isinstance(value, int) else "number", repr(value)]
    if isinstance(value, dict):
        inside = [line for key, each in value.items() for line in (key, *lines_of(each))]
        return ["table", str(len(value)), *inside]
    return ["list", str(len(value)), *(line for each in value for line in lines_of(each))]


def write(path: Path, machine: DescribedMachine, programs: Sequence[tuple[str, int, Sequence[str]]]) -> None:
    """A machine, and programs by name, ranks and settings."""
    world = JobWorld(machine)
    lines = [*lines_of(machine.for_core(1)), str(len(programs))]
    for name, ranks, settings in programs:
        words = world.words(benchmark(name), settings)
        lines += [name, str(ranks), str(len(words)), *words]
    path.write_text("\n".join(lines) + "\n")
