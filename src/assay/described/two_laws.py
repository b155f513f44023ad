"""A machine of two laws, made of measurements: kernels by their rates, and messages of startup + per_byte * bytes."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence


def played(
    program: str, ranks: int, words: Sequence[str], *, rates: Mapping[str, float], startup: float, per_byte: float
) -> str | None:
    """The lines of a program on such a machine; None where it cannot be played there, or the core is not compiled.

    `rates`: units of each kernel per second; `startup` in s, `per_byte` in s/B. A repeated call is not simulated again.
    """
    machine = {
        "name": "two laws",
        "nodes": ranks,
        "messages": {"startup": startup, "per_byte": per_byte},
        "kernels": {name: {"half": 0.0, "levels": [{"own": 1 / rate, "bus": 0.0}]} for name, rate in rates.items()},
        "protocol": [],
        "self": [],
        "host": [],
    }
    return _lines(program, json.dumps(machine), ranks, tuple(words))


@functools.lru_cache(maxsize=256)
def _lines(program: str, machine: str, ranks: int, words: tuple[str, ...]) -> str | None:
    try:
        from assay._core import ranks as core

        return str(core.play(program, json.loads(machine), ranks, list(words)).lines)
    except (ImportError, ValueError, RuntimeError, KeyError):
        return None
