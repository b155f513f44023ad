"""What van der Steen says of vasp and adf, judged on our programs of their kind: quantities for the kinds of claims."""

from __future__ import annotations

from typing import Any

from assay.papers.cells.answers import Answers
from assay.papers.cells.electron_twins import ADF, VASP, time
from assay.papers.claims.quantities import Params, quantity

PROGRAMS = (VASP, ADF)  # whose claims these quantities answer
MOST = 8  # ranks, where a claim names none
SGI = "sgi-l1200-cluster"


def _time(answers: Answers, benchmark: str, machine: str, params: Params, **other: Any) -> float | None:
    given = {**params, **other}
    ranks = int(given.get("cpus", MOST))
    variant = ":ethernet" if machine == SGI and given.get("network") == "fast-ethernet" else ""
    per_node = int(given.get("cpus_per_node", 1 if ranks <= MOST else 2))
    return time(answers, benchmark, machine + variant, ranks, per_node)


def _increase(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    """By how much longer than on Myrinet; else than with one CPU per node; else than on the SGI cluster."""
    found = _time(answers, benchmark, machine, params)
    if params.get("network") == "fast-ethernet":
        base = _time(answers, benchmark, machine, params, network="myrinet")
    elif "cpus_per_node" in params:
        base = _time(answers, benchmark, machine, params, cpus_per_node=1)
    else:
        base = _time(answers, benchmark, SGI, params)
    return None if found is None or base is None else found / base - 1


def _speedup(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    one = _time(answers, benchmark, machine, params, cpus=1, cpus_per_node=1)
    many = _time(answers, benchmark, machine, params)
    return None if one is None or many is None else one / many


@quantity(VASP, "time", "time_increase", "speedup", "system_time_share")
def of_vasp(answers: Answers, machine: str, params: Params) -> float | None:
    """Seconds, an increase of them, the speedup over one processor, or the share of time beyond a share of the work."""
    return _of(answers, VASP, machine, params)


@quantity(ADF, "time", "time_increase", "speedup")
def of_adf(answers: Answers, machine: str, params: Params) -> float | None:
    """The same of adf."""
    return _of(answers, ADF, machine, params)


def _of(answers: Answers, benchmark: str, machine: str, params: Params) -> float | None:
    if params["metric"] == "time":
        return _time(answers, benchmark, machine, params)
    if params["metric"] == "time_increase":
        return _increase(answers, benchmark, machine, params)
    found = _speedup(answers, benchmark, machine, params)
    if found is None or params["metric"] == "speedup":
        return found
    return 1 - found / int(params.get("cpus", MOST))
