"""GOAL schedules (sends, receives and computing of each rank, as LogGOPSim plays them) on a described machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay import input_file
from assay.described.shipped import open_described, per_node, room
from assay.errors import InputError, MeasurementError
from assay.network.documents import AnyFigure
from assay.network.refused import core_refusal

if TYPE_CHECKING:
    from assay._core.goal import Schedule

PICOSECOND = 1e-12


@dataclass(frozen=True)
class GoalReplay:
    """`assay replay --goal`: `makespan` on the machine, `first_order`: the prediction of LogGOPS [s].

    `unreceived` counts messages that no receive of the file takes.
    """

    machine: str
    ranks: int
    operations: int
    messages: int
    unreceived: int
    makespan: float
    first_order: float
    events: int
    cpu_seconds: float
    figures: Sequence[AnyFigure]

    def to_dict(self) -> dict[str, object]:
        """Give it as plain data, for JSON."""
        return asdict(self)


def load(path: Path) -> Schedule:
    """Read a file of GOAL, text or binary; InputError names the line."""
    from assay._core import goal as core

    text = input_file.content(path, input_file.TABLE)
    try:
        return core.Schedule(text)
    except ValueError as error:
        line, problem, seen, accepted = error.args
        raise InputError(problem, file=path, line=line or None, value=seen or None, accepted=accepted or None) from None
    except MemoryError:
        raise InputError("is too large for this machine's memory", key="--goal", value=str(path)) from None


def replay(path: Path, on: str, settings: dict[str, str]) -> GoalReplay:
    """Play the schedule of a file on the machine that `--on` names, with keys of it set from outside.

    InputError for what is wrong in the file or does not fit the machine, MeasurementError for a deadlock.
    """
    from assay._core import goal as core
    from assay.execute.simulated import waits_for
    from assay.network import figures

    description = open_described(on, settings)
    schedule = load(path)
    began = time.process_time()
    most = room(description, per_node(description, schedule.ranks))
    if most is not None and schedule.ranks > most:
        problem = f"has more ranks than {description.name} has room for"
        raise InputError(problem, file=path, value=schedule.ranks, accepted=f"1 to {most}")
    machine = description.for_core(per_node(description, schedule.ranks))
    try:
        makespan, waiting, events = core.play(schedule, machine)
        if waiting:
            shown = "; ".join(waits_for(*each) for each in waiting[:8])
            more = f"; and {len(waiting) - 8} more" if len(waiting) > 8 else ""
            at = f"deadlock at {makespan * PICOSECOND:.9g} s"
            raise MeasurementError(f"{path} on {description.name}: {at}: {shown}{more}")
        first_order = core.first_order(schedule, machine)
    except ValueError as error:
        if core_refusal(error) is not None:
            raise description.refused(error) from None
        raise InputError(str(error), file=path) from None
    except (RuntimeError, IndexError, MemoryError) as error:
        raise MeasurementError(f"{path} on {description.name}: {error or 'out of memory'}") from None
    params = {"ranks": schedule.ranks}
    times = {"makespan": makespan * PICOSECOND, "first_order": first_order * PICOSECOND}
    return GoalReplay(
        machine=description.name,
        ranks=schedule.ranks,
        operations=schedule.operations,
        messages=schedule.messages,
        unreceived=max(0, schedule.messages - schedule.receives),
        **times,
        events=events,
        cpu_seconds=time.process_time() - began,
        figures=[
            figures.figure(name, value, "s", params, statistic="exact", estimator="exact")
            for name, value in times.items()
        ],
    )
