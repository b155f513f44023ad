"""What simulations that go step by step answer once all runs that they ask for are made, one after the other."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from assay.network.engine import SimulationRun
from assay.network.tasks import SimulationTask

Answer = TypeVar("Answer")


def answer(steps: Generator[list[SimulationTask], list[SimulationRun], Answer]) -> Answer:
    """The steps' answer."""
    try:
        tasks = next(steps)
        while True:
            tasks = steps.send([task.make() for task in tasks])
    except StopIteration as end:
        found: Answer = end.value
        return found
