"""A run on a laboratory as a description: the laboratory's twin, with the hosts' times fitted to half of its echo.

Topology, rate and frames are as the laboratory was built. What its hosts take is not known beforehand: of a frame at
each vertex, and of a message at both ends. Both enter an echo's time in proportion: it is what the twin takes without
either, and so much for each. The twin is simulated without and with one microsecond of each; least squares of relative
errors give both, with launches resampled. What they leave unexplained is entered as an interval of the time per byte,
whose value is the laboratory's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import versions
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.errors import InputError
from assay.fitting import families, launch_spread
from assay.fitting.estimates import Estimates
from assay.fitting.halves import RULE
from assay.fitting.measured_cells import MeasuredCells, times
from assay.fitting.resampled import DRAWS, resampled, sigma, unexplained
from assay.laboratory.specification import Specification
from assay.laboratory.twin import EAGER, ORIGIN, TICK, HostTimes, described, machine_tree, title
from assay.published.cells.answers import play
from assay.toml.writing import write_toml

Floats = NDArray[np.float64]
UNIT = 1e-6  # s, of a host's time by which the twin is simulated
LEAST_CELLS = 4  # of an echo
_NOT_DETERMINED = (
    "how a message's host time divides between both ends: half of it is entered for each",
    "messages of a rank to itself, which are as in every twin",
)


@dataclass(frozen=True)
class Subject:
    """The laboratory that a run was made on; `asks`: whether the MPI's long messages ask first, as Open MPI's do."""

    made: Specification
    asks: bool

    @property
    def ends(self) -> list[str]:
        """The keys of a message's host time."""
        entries = (0, 1) if self.asks else (0,)
        return [f"protocol.{entry}.{key}" for entry in entries for key in ("startup", "receive")]


def laboratory_of(document: Document) -> Subject | None:
    """The laboratory that a run was made on, by its provenance; None where it was none."""
    for host in document.provenance.values():
        for launcher in (host.stated.get("launchers") or {}).values():
            about = launcher.get("laboratory") if isinstance(launcher, Mapping) else None
            if about is not None:
                made = {key: about[key] for key in ("topology", "rate", "delay", "slow", "queue")}
                return Subject(Specification("lab", **made), launcher.get("implementation") != "MPICH")
    return None


def laboratory_description(document: Document, subject: Subject) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and what was fitted. InputError where the run has too few cells of an echo."""
    echoes, near = families.echoes(document.benchmarks)
    cells = times(families.largest([*echoes, *near]))
    cells = cells.chosen(~cells.bound)
    if len(cells) < LEAST_CELLS:
        accepted = f"an echo with {LEAST_CELLS} such cells: --set bytes=1024,4096,16384 or more"
        problem = "has too few undisturbed cells of an echo on the laboratory"
        raise InputError(problem, key="RUN", value=len(cells), accepted=accepted)
    base, slopes = _design(subject, cells)
    known = Estimates()
    found, draws, missed = _fitted(cells, base, slopes)
    hosts = HostTimes(hop=float(found[0]) * UNIT, end=max(float(found[1]) * UNIT, TICK))
    tree = machine_tree(subject.made, hosts=hosts, asks=subject.asks)
    _enter(tree, subject, hosts, draws * UNIT, missed, known)
    known.launches = launch_spread.spreads(document.benchmarks, [float(EAGER)])
    known.not_determined += _NOT_DETERMINED
    source = f"run {document.run}"
    origin = dict(ORIGIN) | {
        "network.head_ticks": f"fitted: echo (of {source})",
        **{key: f"fitted: echo (of {source})" for key in subject.ends},
    }
    head = {"name": tree.pop("name"), "title": tree.pop("title"), "source": source}
    tables = {**head, **tree, "origin": origin, "uncertainty": known.table(RULE)}
    first = f"The twin of a {title(subject.made)}, its hosts' times fitted to {source}, half of the echo's cells: `assay fit`."
    about = {
        "machine": document.machine, "run": document.run, "stretches": [], "per_hop": hosts.hop, "planes": [],
        "papers": [], "uncertainty": known.listed(RULE),
    }  # fmt: skip
    return write_toml(versions.marked(versions.MACHINE, tables), [first]), about


def _design(subject: Subject, cells: MeasuredCells) -> tuple[Floats, Floats]:
    """By simulation the cells' times (s) without hosts' times, (cells,), and what UNIT of each adds, (cells, 2)."""
    without = _simulated(subject, cells, HostTimes(0.0, 0.0))
    hop = _simulated(subject, cells, HostTimes(UNIT, 0.0))
    end = _simulated(subject, cells, HostTimes(0.0, UNIT))
    return without, np.column_stack([hop - without, end - without])


def _simulated(subject: Subject, cells: MeasuredCells, hosts: HostTimes) -> Floats:
    settings: dict[str, Any] = {
        "bytes": tuple(dict.fromkeys(int(each) for each in cells.length)),
        "hops": tuple(dict.fromkeys(int(each) for each in cells.hops)),
    }
    found: dict[tuple[float, float], ReportedFigure] = {
        (float(each.params["bytes"]), float(each.params.get("hops") or 0)): each
        for each in play(described(subject.made, hosts=hosts, asks=subject.asks), "echo", settings).figures
        if each.name == "half_round_trip" and each.statistic == "median"
    }
    return np.array([found[key].value for key in zip(cells.length, cells.hops, strict=True)], float)


def _fitted(cells: MeasuredCells, base: Floats, slopes: Floats) -> tuple[Floats, Floats, float]:
    """A frame's and a message's host times in units, (2,); draws of them, (draws, 2); the relative lack of fit."""
    from scipy.optimize import least_squares

    def residuals(numbers: Floats, values: Floats) -> Floats:
        return np.asarray((base + slopes @ numbers - values) / (values * sigma(cells)))

    def solved(values: Floats) -> Floats:
        start = np.full(2, 1.0)
        return np.asarray(least_squares(residuals, start, bounds=(0, np.inf), loss="soft_l1", args=(values,)).x)

    found = solved(cells.value)
    draws = np.array([solved(values) for values in resampled(cells, 0, DRAWS)])
    return found, draws, unexplained(cells, base + slopes @ found)


def _enter(
    tree: dict[str, Any], subject: Subject, hosts: HostTimes, draws: Floats, missed: float, known: Estimates
) -> None:
    """Write the fitted numbers into the twin's tables, with their draws (s)."""
    made = subject.made
    per_byte, network = 1 / made.rate, tree["network"]
    random = np.random.default_rng(1)
    factors = np.exp(missed * random.standard_normal(len(draws)))
    network["flit_ticks"] = known.add(["network.flit_ticks"], round(per_byte / TICK) * TICK, "ns", per_byte * factors)
    rest = per_byte + made.delay
    network["head_ticks"] = known.add(["network.head_ticks"], rest + hosts.hop, "ns", rest + draws[:, 0])
    ends = known.add(subject.ends, hosts.end, "us", np.maximum(draws[:, 1], TICK))
    for entry in tree["protocol"]:
        entry |= {"startup": ends, "receive": ends}
