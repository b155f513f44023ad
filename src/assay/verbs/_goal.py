"""`assay replay --goal FILE --on MACHINE`: a GOAL schedule on a described machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import InputError
from assay.number_words import number_of


def replay(
    goal: Path | None,
    on: str | None,
    settings: Sequence[str],
    others: Mapping[str, Path | None],
    *,
    quiet: bool,
    json: bool,
) -> None:
    """Simulate it and report its time, there and by LogGOPS; `others`: options without meaning for a schedule."""
    from assay import progress
    from assay.cli import emit
    from assay.execute.goal_schedule import replay as played
    from assay.execute.run_request import split
    from assay.verbs._repeated_option import each_once

    form = "--goal FILE --on MACHINE"
    if goal is None or on is None:
        raise InputError("is missing", key="--goal" if goal is None else "--on", accepted=form)
    for name, path in others.items():
        if path is not None:
            raise InputError("is not of a GOAL schedule", key=name, value=str(path), accepted=form)
    each_once(settings)
    own, machine = split(settings)
    if own:
        raise InputError("is no key of a machine", key="--set", value=next(iter(own)), accepted="machine.KEY=VALUE")
    with progress.described("replaying", f"the schedule of {goal} on {on}", quiet):
        found = played(goal, on, machine)
    if json:
        emit(found.to_dict())
        return
    lost = f" ({found.unreceived:,} never received)" if found.unreceived else ""
    print(
        f"{found.machine}: {number_of(found.ranks, 'rank')}, {number_of(found.operations, 'operation')}, "
        f"{number_of(found.messages, 'message')}{lost}"
    )
    print(f"makespan     {found.makespan:.6g} s")
    ratio = f"  ({found.makespan / found.first_order:.3g} times that)" if found.first_order > 0 else ""
    print(f"first order  {found.first_order:.6g} s{ratio}")
