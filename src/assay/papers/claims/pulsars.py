"""What van der Steen says of maya5, judged on our program `pulsars`: quantities for the kinds of claims, and a loss."""

from __future__ import annotations

from assay.papers.cells.answers import Answers
from assay.papers.cells.maya5_twins import time
from assay.papers.claims.quantities import Params, quantity

MAYA5 = "user.maya5"
MOST = 8  # ranks, where a claim names none
VARIANTS = {"fast-ethernet": ":ethernet"}
BESIDE = "sgi-l1200-cluster"  # the machine that the IBM cluster is compared with


@quantity(MAYA5, "time")
def seconds(answers: Answers, machine: str, params: Params) -> float | None:
    """On so many processors, so many of them of each node, on a network."""
    variant = VARIANTS.get(str(params.get("network")), "") if machine == BESIDE else ""
    return time(answers, machine + variant, int(params.get("cpus", MOST)), int(params.get("cpus_per_node", 1)))


@quantity(MAYA5, "speedup")
def speedup(answers: Answers, machine: str, params: Params) -> float | None:
    """Over one processor; with more ranks than nodes two of them on each."""
    ranks = int(params["cpus"])
    per_node = 1 if ranks <= MOST else 2
    one, many = time(answers, machine, 1), time(answers, machine, ranks, per_node)
    return None if one is None or many is None else one / many


@quantity(MAYA5, "imbalance")
def imbalance(answers: Answers, machine: str, params: Params) -> float | None:
    """By how much the workers' mean time is less than the longest of them."""
    workers = int(params["cpus"]) - 1
    one, many = time(answers, machine, 2), time(answers, machine, workers + 1)
    return None if one is None or many is None else 1 - one / (workers * many)


@quantity(MAYA5, "speed_gain")
def gain(answers: Answers, machine: str, params: Params) -> float | None:
    """Over the SGI cluster's speed."""
    one, other = (time(answers, name, MOST) for name in (machine, BESIDE))
    return None if one is None or other is None else other / one - 1
