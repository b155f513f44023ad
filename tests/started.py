"""Compiled programs started with what a person would set, resolved against their records as a run does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words


def words(name: str, *given: str) -> list[str]:
    """The words behind a program's own file: `given` are --set KEY=VALUE, --profile NAME and its own options."""
    return list(program_words(benchmark(name), given))


def play(
    name: str,
    machine: Mapping[str, Any],
    ranks: int,
    given: Sequence[str] = (),
    defaults: Mapping[str, str] | None = None,
) -> str:
    """The lines of a message-passing program on a simulated machine (a table for the core), with `given` as above.

    `defaults`: the machine's own values of parameters (`parameter_defaults()` of its description).
    """
    from assay._core import ranks as core

    resolved = program_words(benchmark(name), given, simulated=True, defaults=defaults)
    return str(core.play(name, dict(machine), ranks, list(resolved)).lines)
