"""What van der Steen says of rboltz and primmod, judged on our programs of their kind: quantities for kinds of claims.

A rank's user time is that in which it computes: the time on one processor, where there is nothing else, divided among
equal ranks. All else of the elapsed time is what the paper calls system time or overhead.
"""

from __future__ import annotations

from assay.papers.cells.answers import Answers
from assay.papers.cells.user_twins import PRIMMOD, RBOLTZ, time
from assay.papers.claims.quantities import Params, quantity

PROGRAMS = (RBOLTZ, PRIMMOD)  # whose claims these quantities answer
MOST = 8  # ranks, where a claim names none
ETHERNET = {"sgi-l1200-cluster": "sgi-l1200-cluster:ethernet"}  # descriptions of two networks


def _time(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    name = ETHERNET.get(machine, machine) if params.get("network") == "fast-ethernet" else machine
    ranks, per_node = int(params.get("cpus", MOST)), int(params.get("cpus_per_node", 1))
    return time(answers, benchmark, name, ranks, per_node)


def _alone(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    return _time(answers, benchmark, machine, {**params, "cpus": 1, "cpus_per_node": 1})


@quantity(RBOLTZ, "time")
def of_rboltz(answers: Answers, machine: str, params: Params) -> float | None:
    """Seconds on so many processors."""
    return _time(answers, RBOLTZ, machine, params)


@quantity(PRIMMOD, "time")
def of_primmod(answers: Answers, machine: str, params: Params) -> float | None:
    """The same of primmod."""
    return _time(answers, PRIMMOD, machine, params)


@quantity(PRIMMOD, "time_increase")
def increase(answers: Answers, machine: str, params: Params) -> float | None:
    """By how much longer it takes on a network than on Myrinet."""
    found, myrinet = (_time(answers, PRIMMOD, machine, each) for each in (params, {**params, "network": "myrinet"}))
    return None if found is None or myrinet is None else found / myrinet - 1


@quantity(RBOLTZ, "speedup")
def speedup(answers: Answers, machine: str, params: Params) -> float | None:
    """Over one processor of the same machine."""
    one, many = _alone(answers, RBOLTZ, machine, params), _time(answers, RBOLTZ, machine, params)
    return None if one is None or many is None else one / many


@quantity(RBOLTZ, "user_share")
def user_share(answers: Answers, machine: str, params: Params) -> float | None:
    """Of the elapsed time, in which ranks compute."""
    found = speedup(answers, machine, params)
    return None if found is None else found / int(params.get("cpus", MOST))


@quantity(RBOLTZ, "system_share")
def system_share(answers: Answers, machine: str, params: Params) -> float | None:
    """Of the elapsed time, in which they do not."""
    found = user_share(answers, machine, params)
    return None if found is None else 1 - found


@quantity(RBOLTZ, "speedup_user_time")
def speedup_user_time(answers: Answers, machine: str, params: Params) -> float | None:
    """The ranks, as all of the work is divided and blocks are equal; None where nothing is simulated."""
    return None if speedup(answers, machine, params) is None else float(params.get("cpus", MOST))
