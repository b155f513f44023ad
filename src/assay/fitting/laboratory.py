"""A run on a laboratory as a description: the laboratory's twin, with the hosts' times fitted to half of its echo.

Topology, rate and frames are as the laboratory was built. What its hosts take is not known beforehand: of a frame at
each vertex, and of a message at both ends. Robust least squares of relative errors give both, by Gauss and Newton's
steps through the simulated twin, since what hosts take is hidden where an acknowledgement is waited for; launches are
resampled at the last step. What is left unexplained is entered as an interval of the time per byte, whose value is the
laboratory's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay import versions
from assay.document.fitted_run import RunFitted
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.errors import InputError
from assay.fitting import families, launch_spread
from assay.fitting.estimates import Estimates
from assay.fitting.halves import RULE
from assay.fitting.measured_cells import MeasuredCells, times
from assay.fitting.resampled import DRAWS, resampled, sigma, unexplained
from assay.laboratory.specification import Specification
from assay.laboratory.twin import (
    ASSUMED,
    EAGER,
    ORIGIN,
    TICK,
    HostTimes,
    MachineTree,
    described,
    machine_tree,
    title,
)
from assay.published.cells.answers import Setting, play
from assay.toml.writing import write_toml

Floats = NDArray[np.float64]
UNIT = 1e-6  # s, of hosts' times, and the step of their differences
ROUNDS = 5
LEAST_CELLS = 4  # of an echo
_NOT_DETERMINED = (
    "how a message's host time divides between both ends: half of it is entered for each",
    "messages of a rank to itself, which are as in every twin",
)


@dataclass(frozen=True)
class FittedLaboratory:
    """The laboratory that a run was made on; `requests`: whether long messages ask first, as Open MPI's do."""

    made: Specification
    requests: bool

    @property
    def ends(self) -> list[str]:
        """The keys of a message's host time."""
        entries = (0, 1) if self.requests else (0,)
        return [f"protocol.{entry}.{key}" for entry in entries for key in ("startup", "receive")]


def laboratory_of(document: Document) -> FittedLaboratory | None:
    """The laboratory that a run was made on, by its provenance; None where it was none."""
    for host in document.provenance.values():
        for launcher in (host.stated.get("launchers") or {}).values():
            about = launcher.get("laboratory") if isinstance(launcher, Mapping) else None
            if about is not None:
                made = {key: about[key] for key in ("topology", "rate", "delay", "slow", "queue")}
                return FittedLaboratory(Specification("lab", **made), launcher.get("implementation") != "MPICH")
    return None


def laboratory_description(document: Document, subject: FittedLaboratory) -> tuple[str, RunFitted]:
    """The text of a TOML file, and what was fitted. InputError where the run has too few cells of an echo."""
    echoes, near = families.echoes(document.benchmarks)
    cells = times(families.largest([*echoes, *near]))
    cells = cells.chosen(~cells.bound)
    if len(cells) < LEAST_CELLS:
        accepted = f"an echo with {LEAST_CELLS} such cells: --set bytes=1024,4096,16384 or more"
        problem = "has too few undisturbed cells of an echo on the laboratory"
        raise InputError(problem, key="RUN", value=len(cells), accepted=accepted)
    known = Estimates()
    hosts, draws, missed = host_times(subject, cells)
    tree = machine_tree(subject.made, hosts=hosts, requests=subject.requests)
    _enter(tree, subject, hosts, draws, missed, known)
    known.launches = launch_spread.spreads(document.benchmarks, [float(EAGER)])
    known.not_determined += _NOT_DETERMINED
    source = f"run {document.run}"
    origin = dict(ORIGIN) | {
        "network.head_ticks": f"fitted: echo (of {source})",
        **dict.fromkeys(subject.ends, f"fitted: echo (of {source})"),
    }
    head = {"name": tree["name"], "title": tree["title"], "source": source}
    rest = {key: value for key, value in tree.items() if key not in head}
    tables = {**head, **rest, "origin": origin, "uncertainty": known.table(RULE)}
    first = f"The twin of a {title(subject.made)}; hosts' times fitted to {source}, half of its echo: `assay fit`."
    about: RunFitted = {
        "machine": document.machine, "run": document.run, "stretches": [], "per_hop": hosts.hop, "planes": [],
        "papers": [], "uncertainty": known.listed(RULE),
    }  # fmt: skip
    return write_toml(versions.marked(versions.MACHINE, tables), [first]), about


def simulated_times(subject: FittedLaboratory, cells: MeasuredCells, hosts: HostTimes) -> Floats:
    """The cells' times (s), (cells,), on the twin whose hosts take so long."""
    settings: dict[str, Setting] = {
        "bytes": tuple(dict.fromkeys(int(each) for each in cells.length)),
        "hops": tuple(dict.fromkeys(int(each) for each in cells.hops)),
    }
    found: dict[tuple[float, float], ReportedFigure] = {
        (float(each.params["bytes"]), float(each.params.get("hops") or 0)): each
        for each in play(described(subject.made, hosts=hosts, requests=subject.requests), "echo", settings).figures
        if each.name == "half_round_trip" and each.statistic == "median"
    }
    return np.array([found[key].value for key in zip(cells.length, cells.hops, strict=True)], float)


def host_times(subject: FittedLaboratory, cells: MeasuredCells) -> tuple[HostTimes, Floats, float]:
    """The hosts' times, draws of a frame's and a message's (s), (draws, 2), and the relative lack of fit."""
    from scipy.optimize import least_squares

    expected = cells.value * sigma(cells)

    def solved(base: Floats, slopes: Floats, values: Floats) -> Floats:
        def residuals(numbers: Floats) -> Floats:
            return np.asarray((base + slopes @ numbers - values) / expected)

        return np.asarray(least_squares(residuals, np.ones(2), bounds=(0, np.inf), loss="soft_l1").x)

    found = np.array([ASSUMED.hop, ASSUMED.end]) / UNIT
    for _ in range(ROUNDS):
        base, slopes = _linearised(subject, cells, found)
        found, before = solved(base, slopes, cells.value), found
        if np.all(np.abs(found - before) < 0.1):
            break
    draws = np.array([solved(base, slopes, values) for values in resampled(cells, 0, DRAWS)])
    hop, end = np.maximum(found * UNIT, TICK).tolist()
    variance, _ = unexplained(cells, base + slopes @ found)
    return HostTimes(hop, end), np.maximum(draws * UNIT, TICK), math.sqrt(variance)


def _linearised(subject: FittedLaboratory, cells: MeasuredCells, at: Floats) -> tuple[Floats, Floats]:
    """The simulated times of the cells as base (cells,) + slopes (cells, 2) @ hosts' times, in UNITs, near `at`."""
    here = simulated_times(subject, cells, HostTimes(*(at * UNIT)))
    steps = [simulated_times(subject, cells, HostTimes(*((at + step) * UNIT))) for step in np.eye(2)]
    slopes = np.column_stack(steps) - here[:, None]
    return here - slopes @ at, slopes


def _enter(
    tree: MachineTree, subject: FittedLaboratory, hosts: HostTimes, draws: Floats, missed: float, known: Estimates
) -> None:
    """Write the fitted numbers into the twin's tables, with their draws (s)."""
    made = subject.made
    per_byte, network = 1 / made.rate, tree["network"]
    random = np.random.default_rng(1)
    factors = np.exp(missed * random.standard_normal(len(draws)))
    network["flit_ticks"] = known.add(["network.flit_ticks"], round(per_byte / TICK) * TICK, "ns", per_byte * factors)
    rest = per_byte + made.delay
    network["head_ticks"] = known.add(["network.head_ticks"], rest + hosts.hop, "ns", rest + draws[:, 0])
    ends = known.add(subject.ends, hosts.end, "us", draws[:, 1])
    for entry in tree["protocol"]:
        entry["startup"] = entry["receive"] = ends
