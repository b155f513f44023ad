"""What a study's answers take beyond what was measured, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described, room
from assay.described.uncertainty import uncertainty
from assay.scaling.points import MachinePoint
from assay.scaling.study_file import MACHINE, ScalingStudy
from assay.sensitivity.numeric_keys import numeric_keys

MOST_NAMED = 8  # keys in a sentence


def assumptions(study: ScalingStudy, points: Sequence[MachinePoint]) -> list[str]:
    """In this order: what the machine is, what the study changes, what has no interval, what was not measured."""
    filed = open_described(study.on)
    return [
        _basis(filed),
        *_changed(study, filed),
        *_ranks(filed, points),
        *_without_interval(filed),
        *_not_determined(filed),
        *_assumed(filed),
        *_noise(filed, points),
    ]


def _basis(machine: DescribedMachine) -> str:
    source = f" (source: {machine.source})" if machine.source else ""
    if machine.uncertainty is None:
        return f"{machine.name} is as described{source}: no [uncertainty], so the answers have no intervals"
    rule = f", fitted by the rule: {machine.uncertainty.used}" if machine.uncertainty.used else ""
    return f"{machine.name} is as fitted{source}{rule}"


def _changed(study: ScalingStudy, machine: DescribedMachine) -> Iterable[str]:
    """The keys of the description that a study sets, with what the file has there."""
    keys = dict.fromkeys(key for setting in study.settings() for key in setting if key.startswith(MACHINE))
    for key in keys:
        dotted = key.removeprefix(MACHINE)
        values = list(dict.fromkeys(str(each[key]) for each in study.settings() if key in each))
        here = _at(machine.own, dotted)
        has = "the file has no such key" if here is None else f"the file has {here}"
        yield f"set by the study: {dotted} = {' or '.join(values)} ({has})"


def _ranks(machine: DescribedMachine, points: Sequence[MachinePoint]) -> Iterable[str]:
    most = max((each for point in points for each in point.ranks.values() if each is not None), default=None)
    there = room(machine)
    if most is None or machine.uncertainty is None:
        return
    if there is not None and most > there:
        yield f"{most:,} ranks are extrapolated: the machine that was measured has room for {there:,}"
    else:
        yield f"up to {most:,} ranks: more than the run's own are extrapolated by the network's model alone"


def _without_interval(machine: DescribedMachine) -> Iterable[str]:
    known = uncertainty(machine)
    if known is None:
        return
    have = {key for keys in known.keys for key in keys}
    lack = [each.key for each in numeric_keys(machine) if each.key not in have]
    if lack:
        yield f"taken as exact, without an interval: {_named(lack)}"


def _not_determined(machine: DescribedMachine) -> Iterable[str]:
    if machine.uncertainty is not None:
        yield from (f"not determined by the run: {each}" for each in machine.uncertainty.not_determined)


def _assumed(machine: DescribedMachine) -> Iterable[str]:
    keys = [key for key, text in machine.origin.items() if text.startswith("assumed:") and "variant." not in key]
    if keys:
        yield f"assumed by the description: {_named(keys)}"


def _noise(machine: DescribedMachine, points: Sequence[MachinePoint]) -> Iterable[str]:
    if machine.node is not None and machine.node.noise is not None and any(point.noise for point in points):
        yield "every node has the noise that was measured on one, each from another moment of it on"


def _named(keys: Sequence[str]) -> str:
    more = len(keys) - MOST_NAMED
    return ", ".join(keys[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _at(tables: object, dotted: str) -> object:
    for key in dotted.split("."):
        if isinstance(tables, list) and key.isdecimal() and int(key) < len(tables):
            tables = tables[int(key)]
        elif isinstance(tables, dict):
            tables = tables.get(key)
        else:
            return None
    return tables
