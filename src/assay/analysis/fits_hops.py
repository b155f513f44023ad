"""The per-hop model fitted to an echo's cells: one plane over all lengths as the papers did, and one by stretch.

Named as the lines of `fits` are (method.md, rule 12): robust, and least squares. A plane of least squares over all
lengths and hops is the DELTA report's (Table 3.1); the gammas by length are those of the hypercube report's text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from assay.analysis import breakpoints, hops
from assay.analysis.figures import CaseSamples, Family
from assay.benchmark.record import Figure

Place = tuple[float, float]  # length (B), hops
Floats = npt.NDArray[np.float64]
Times = Callable[[Figure, Mapping[Place, CaseSamples]], tuple[Floats, Floats]]
MISSES = 0.25  # a plane that is off by more at hops it was not fitted on is reported as unsuitable


def per_hop(
    benchmark: str, figure: Figure, found: Sequence[CaseSamples], times_by_launch: Times, over: tuple[float, float]
) -> list[dict[str, object]]:
    """Planes for every family of cells that differ in length and hops; [] where there are fewer than two of either.

    `over`: the papers' lengths (B), for the plane by least squares.
    """
    made: list[dict[str, object]] = []
    for rest, cells in _families(found, figure.metric).items():
        places = np.array(list(cells))
        sizes, counts = places[:, 0], places[:, 1]
        if len(np.unique(sizes)) < 3 or len(np.unique(counts)) < 2:
            continue
        _, times = times_by_launch(figure, cells)
        if not len(times) or not (times > 0).all():
            continue
        about = {
            "benchmark": benchmark,
            "figure": figure.name,
            "params": {**dict(rest), "hops": "all"},
            "law": "per_hop",
        }
        near = counts == counts.min()
        cuts = tuple(b.below for b in breakpoints.find_breakpoints(sizes[near], times[:, near]))
        planes = [*hops.by_length(sizes, counts, times, cuts)]
        if len(np.unique(sizes[(sizes >= over[0]) & (sizes <= over[1])])) >= 2:
            planes += [hops.fit(sizes, counts, times, "ordinary", over=over)]
            planes += hops.by_length(sizes, counts, times, cuts, "ordinary") if cuts else ()
        made += [about | plane.to_dict() | {"text": text_of(plane)} for plane in planes]
    return made


def text_of(plane: hops.PerHop) -> str:
    """The plane as a person reads it."""
    how = "least squares, as the papers" if plane.estimator == "ordinary" else "robust"
    reach = f"{plane.over[0]:g} to {plane.over[1]:g} B and {plane.hops[0]:g} to {plane.hops[-1]:g} hops"
    off = plane.holdout[1] if plane.holdout else plane.worst
    caveat = f"; off by up to {off:.0%}: a hop's delay is not the same at all lengths" if off > MISSES else ""
    terms = f"{plane.alpha * 1e6:.4g} µs + {plane.beta * 1e9:.4g} ns/B x N + {plane.gamma * 1e6:.4g} µs x h"
    return f"T = {terms} over {reach} ({how}{caveat})"


def _families(found: Sequence[CaseSamples], metric: str) -> dict[Family, dict[Place, CaseSamples]]:
    grouped: dict[Family, dict[Place, CaseSamples]] = defaultdict(dict)
    for cell in found:
        if cell.metric == metric and cell.case.get("hops") and cell.case.get("bytes") is not None:
            rest = tuple(sorted((k, v) for k, v in cell.case.items() if k not in ("bytes", "hops")))
            grouped[rest][float(cell.case["bytes"]), float(cell.case["hops"])] = cell
    return {rest: dict(sorted(cells.items())) for rest, cells in grouped.items()}
