"""Speedups over threads or ranks as a run's cells give them, with the laws that as many counts allow.

Strong scaling: the same case on several counts. Weak scaling: cases whose work for each rank is the same, give or take
GROWN, and that differ in one parameter more: NAS EP of class S on one rank, W on two. Work is what the rate of the
record has over the time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from assay.analysis import speedup
from assay.analysis.figures import CaseSamples, Family
from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark, Figure

GROWN = 0.1  # of the work for each rank
OVER_TIME = " / value"  # how the formula of a rate ends
Work = Callable[[CaseSamples], float]
SHARES = {"sigma": "serial share or contention", "kappa": "coherence"}

Floats = npt.NDArray[np.float64]
Cells = dict[float, CaseSamples]
Families = Callable[[Sequence[CaseSamples], str, str], Mapping[Family, Cells]]
Times = Callable[[Figure, Mapping[float, CaseSamples]], tuple[Floats, Floats]]


def laws(record: Benchmark, found: Sequence[CaseSamples], families: Families, times: Times) -> list[dict[str, object]]:
    """Speedup over the program on its fewest threads, or ranks of an application; weak scaling behind strong."""
    figure = next(figure for figure in record.figures.values() if figure.unit == "s")
    key = "ranks" if record.part == "applications" else "threads"
    made: list[dict[str, object]] = []
    for rest, cells in families(found, figure.metric, key).items():
        about = {"benchmark": record.name, "figure": figure.name, "params": dict(rest)}
        made += _family(about, key, *times(figure, cells))
    formula = next((each.formula for each in record.figures.values() if (each.formula or "").endswith(OVER_TIME)), None)
    if key != "ranks" or formula is None:
        return made
    counted = re.findall(r"[a-z_]\w*", formula.removesuffix(OVER_TIME))
    derived = [name for name in counted if name not in record.parameters]  # what a program itself counts
    of = [cell for cell in found if all(_number(cell, name) for name in ("ranks", *counted))]

    def work_of(cell: CaseSamples) -> float:
        return evaluate(formula, {**cell.case, "value": 1}) or 0.0

    for params, cells in _grown([cell for cell in of if cell.metric == figure.metric], work_of, derived):
        counts, measured = times(figure, cells)
        work = np.array([work_of(cell) for cell in cells.values()])
        made += _family(
            {"benchmark": record.name, "figure": figure.name, "params": params}, key, counts, measured, work
        )
    return made


def _family(
    about: Mapping[str, object], key: str, counts: Floats, times: Floats, work: Floats | None = None
) -> list[dict[str, object]]:
    """Its speedups and laws; Amdahl's and Gustafson's need two counts, the universal law three."""
    if len(counts) < 2 or not len(times):
        return []
    base = f"the same program on {counts[0]:g} {key if counts[0] > 1 else key.removesuffix('s')}"
    same = times if work is None else speedup.scale_times(work, times)
    ratio = speedup.speedups(counts, same, base=base)
    ratios = "; ".join(
        f"{e.value:.3g} on {p} ({e.range[0]:.3g} to {e.range[1]:.3g}), efficiency {share:.2f}"
        for p, e, share in zip(ratio.processors[1:], ratio.speedup[1:], ratio.efficiency[1:], strict=True)
    )
    what = "speedup" if work is None else "scaled speedup, of work that grows with the ranks,"
    made = [{**about, "law": "speedup", **ratio.to_dict(), "text": f"{what} over {base}: {ratios}"}]
    fitted = [speedup.amdahl(counts, times, base=base)] if work is None else []
    fitted += [] if work is None else [speedup.gustafson(counts, work, times, base=base)]
    fitted += [speedup.universal(counts, same, base=base)] if len(counts) >= 3 else []
    return [*made, *({**about, "law": law.name, **_plain(law), "text": _words(law, key)} for law in fitted)]


def _plain(law: speedup.Law) -> dict[str, object]:
    return {key: value for key, value in law.to_dict().items() if key != "residuals"}


def _words(law: speedup.Law, key: str) -> str:
    words = ", ".join(f"{SHARES[name]} {value:.3g}{_interval(law, name)}" for name, value in law.coefficients.items())
    spare = "" if law.lack_of_fit else " (no count to spare for a lack of fit)"
    if law.coefficients["sigma"] > 1:  # slower than on one: a share of time cannot pass 1
        spare += f"; no share of time: more {key} were slower than one"
    left = f"; residual {100 * law.residual:.2g}%, of perfect scaling {100 * law.perfect_residual:.2g}%"
    return f"{law.name} law: {words}{left}{spare}"


def _interval(law: speedup.Law, name: str) -> str:
    return "" if law.ci95 is None else f" ({law.ci95[name][0]:.3g} to {law.ci95[name][1]:.3g})"


def _grown(of: Sequence[CaseSamples], work: Work, derived: Sequence[str]) -> list[tuple[dict[str, object], Cells]]:
    """Families of weak scaling: one for each least number of ranks and the work that each does there.

    `derived`: what of a case follows from its parameters.
    """
    apart = ("ranks", *derived)
    made: list[tuple[dict[str, object], Cells]] = []
    for size in dict.fromkeys(key for cell in of for key in cell.case if key not in apart):
        grouped: dict[Family, list[CaseSamples]] = defaultdict(list)
        for cell in of:
            rest = tuple(sorted((k, v) for k, v in cell.case.items() if k not in (*apart, size)))
            grouped[rest].append(cell)
        for rest, cells in grouped.items():
            least = min(float(cell.case["ranks"]) for cell in cells)
            for first in (cell for cell in cells if float(cell.case["ranks"]) == least):
                each = work(first) / least
                alike = [cell for cell in cells if abs(work(cell) / float(cell.case["ranks"]) / each - 1) <= GROWN]
                family = {float(cell.case["ranks"]): cell for cell in alike}
                if len(family) > 1 and len(family) == len(alike):
                    made.append(({**dict(rest), "scaling": "weak"}, dict(sorted(family.items()))))
    return made


def _number(cell: CaseSamples, key: str) -> bool:
    value = cell.case.get(key)
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
