"""Assay evaluates parallel machines: measured, described and published, with the same programs and tables.

In Python, `assay.run`, `evaluate`, `open`, `runs`, `compare`, `simulate`, `sweep`, `replay` and `schedule` do what the
commands do, and `assay.Network` and `assay.Machine` describe what is simulated: docs/python.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.api.machine_object import Machine
    from assay.api.measuring import compare, evaluate, open, run, runs
    from assay.api.network_object import Network
    from assay.api.result import CommandResult
    from assay.api.simulating import replay, schedule, simulate, sweep

__version__ = "0.2.0"
__all__ = [
    "CommandResult",
    "Machine",
    "Network",
    "compare",
    "evaluate",
    "open",
    "replay",
    "run",
    "runs",
    "schedule",
    "simulate",
    "sweep",
]

_PLACES = {"CommandResult": "result", "Machine": "machine_object", "Network": "network_object"}
_PLACES |= dict.fromkeys(("replay", "schedule", "simulate", "sweep"), "simulating")


def __getattr__(name: str) -> Any:
    """Import on first use: the command line needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"assay.api.{_PLACES.get(name, 'measuring')}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
