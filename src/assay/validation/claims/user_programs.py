"""Van der Steen's claims about the five user programs, judged on our programs of their kind: quantities for claims.

A claim's parameters give processors (`MOST` where it names none), network (else the machine's own) and processors of a
node: where not given, one of each node, and two where there are more ranks than nodes have one of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.published.cells import electron_twins, maya5_twins, user_twins
from assay.published.cells.answers import Answers
from assay.published.cells.euroben_twins import on_network
from assay.validation.claims.quantities import Params, Quantity, quantity

MOST = 8  # ranks; also the nodes of the clusters with two processors each
SGI = "sgi-l1200-cluster"  # the machine that others are compared with
TIMES: Mapping[str, Any] = {  # seconds of answers, program, description, ranks in all and of a node
    maya5_twins.MAYA5: maya5_twins.time,
    **dict.fromkeys((user_twins.RBOLTZ, user_twins.PRIMMOD), user_twins.time),
    **dict.fromkeys((electron_twins.VASP, electron_twins.ADF), electron_twins.time),
}
PROGRAMS = tuple(TIMES)  # whose claims these quantities answer


def seconds(answers: Answers, benchmark: str, machine: str, params: Params, **other: Any) -> float | None:
    """A program's time by a claim's parameters, `other` in their place; None where nothing has it."""
    given = {**params, **other}
    ranks = int(given.get("cpus", MOST))
    per_node = int(given.get("cpus_per_node", 1 if ranks <= MOST else 2))
    found: float | None = TIMES[benchmark](
        answers, benchmark, on_network(machine, given.get("network")), ranks, per_node
    )
    return found


def _over(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else one / other


def speedup(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    """Over one processor of the same machine."""
    one = seconds(answers, benchmark, machine, params, cpus=1, cpus_per_node=1)
    return _over(one, seconds(answers, benchmark, machine, params))


def time_increase(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    """By how much longer than on Myrinet; else than with one processor of each node; else than on the SGI cluster."""
    if params.get("network") == "fast-ethernet":
        base = seconds(answers, benchmark, machine, params, network="myrinet")
    elif "cpus_per_node" in params:
        base = seconds(answers, benchmark, machine, params, cpus_per_node=1)
    else:
        base = seconds(answers, benchmark, SGI, params)
    ratio = _over(seconds(answers, benchmark, machine, params), base)
    return None if ratio is None else ratio - 1


def speed_gain(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    """Over the SGI cluster's speed."""
    ratio = _over(seconds(answers, benchmark, SGI, params), seconds(answers, benchmark, machine, params))
    return None if ratio is None else ratio - 1


def imbalance(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    """By how much the mean time of workers, all ranks but one, is less than the longest of them."""
    workers = int(params["cpus"]) - 1
    ratio = _over(seconds(answers, benchmark, machine, params, cpus=2), seconds(answers, benchmark, machine, params))
    return None if ratio is None else 1 - ratio / workers


def _register(benchmark: str) -> None:
    def of(made: Any) -> Quantity:
        return lambda answers, machine, params: made(answers, benchmark, machine, params)

    every = {"time": seconds, "speedup": speedup, "time_increase": time_increase, "speed_gain": speed_gain}
    for metric, made in (every | {"imbalance": imbalance}).items():
        quantity(benchmark, metric)(of(made))


for _program in PROGRAMS:
    _register(_program)
