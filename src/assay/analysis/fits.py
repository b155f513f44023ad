"""The law that a record names, fitted to its cells: `model = "alpha_beta"` fits time against length (bytes).

The robust estimator is given with the papers' own least squares, each named (method.md, rule 12).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from assay.analysis import alpha_beta, breakpoints, cache_levels, fits_hops, fits_levels, fits_speedup, half_performance
from assay.analysis.figures import CaseSamples, Family
from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark, Figure
from assay.case import ParameterValue

Place = TypeVar("Place")  # of a cell in its family: a length, or a length and hops
PAPER_SIZES = (8.0, 8192.0)  # Dunigan 1991, Appendix A: the papers fitted these lengths
PAPER_SHORT = (8.0, 100.0)  # Table 6: "up to 100 bytes", what Intel's protocols call short


def fits(record: Benchmark, found: Sequence[CaseSamples]) -> list[dict[str, object]]:
    """Fit the record's law to every family of cells that differ in length only; [] where it names none.

    The line is fitted to the record's first figure that is a time.
    """
    law = LAWS.get(record.model or ("speedup" if record.part == "applications" else ""))
    return [] if law is None else law(record, found)


def _lines(record: Benchmark, found: Sequence[CaseSamples]) -> list[dict[str, object]]:
    figure = next(figure for figure in record.figures.values() if figure.unit == "s")
    made = []
    for rest, by_length in sorted(families(found, figure.metric, "bytes").items(), key=_in_order):
        made += _family(record, figure, dict(rest), by_length)
    return fits_hops.per_hop(record.name, figure, found, times_by_launch, PAPER_SIZES) + made


def _in_order(family: tuple[Family, object]) -> list[tuple[str, float, str]]:
    return [(key, value if isinstance(value, int | float) else 0.0, str(value)) for key, value in family[0]]


def _family(
    record: Benchmark, figure: Figure, rest: dict[str, ParameterValue], cells: dict[float, CaseSamples]
) -> list[dict[str, object]]:
    sizes, times = times_by_launch(figure, cells)
    about = {"benchmark": record.name, "figure": figure.name, "params": rest}
    if len(sizes) < 3 or not len(times) or not (times > 0).all():  # what costs nothing on a described machine: no line
        return []
    made: list[dict[str, object]] = []
    middle = np.median(times, axis=0)
    for estimator, over in (
        ("relative", (0.0, float("inf"))),
        ("ordinary", PAPER_SIZES),
        ("ordinary", PAPER_SHORT),
    ):
        inside = (sizes >= over[0]) & (sizes <= over[1])
        if len(np.unique(sizes[inside])) < (3 if over == PAPER_SHORT else 2):
            continue
        line = alpha_beta.fit(sizes, times, estimator, over=over)
        half = half_performance.from_fit(line)
        reach = f"{_length(line.sizes[0])} to {_length(line.sizes[-1])}"
        made.append(
            {
                **about,
                "law": "alpha_beta",
                "over": [line.sizes[0], line.sizes[-1]],
                **line.to_dict(),
                "half_performance": half.to_dict(),
                "text": f"T = {line.alpha * 1e6:.4g} µs + {line.beta * 1e9:.4g} ns/B x N over {reach}"
                f" ({'least squares, as the papers' if estimator == 'ordinary' else 'robust'}{_not_positive(line)})",
            }
        )
    rates = sizes[sizes > 0] / middle[sizes > 0]
    curve = half_performance.from_rates(sizes[sizes > 0], rates)
    if curve.r_infinity is not None:
        half_text = curve.reason if curve.n_half is None else f"n_half {_amount(curve.n_half)}"
        medians = f"{_length(min(sizes[sizes > 0]))} to {_length(max(sizes))}"
        text = f"greatest rate {_rate(curve.r_infinity)}, {half_text} (read off the curve of medians, {medians})"
        made.append(about | {"law": "half_performance", **curve.to_dict(), "text": text})
    found_breaks = breakpoints.find_breakpoints(sizes, times)
    if found_breaks:
        where = ", ".join(
            f"{_length(b.below)} and {_length(b.above)} ({b.kind} of {100 * b.effect:.0f}%)" for b in found_breaks
        )
        made.append(
            {
                **about,
                "law": "breakpoints",
                "breakpoints": [b.to_dict() for b in found_breaks],
                "text": f"the line breaks between {where}",
            }
        )
        for part in alpha_beta.piecewise(sizes, times, [b.below for b in found_breaks]):
            line = part.line
            made.append(
                about
                | {"law": "alpha_beta", "over": [part.least, part.greatest], **line.to_dict()}
                | {
                    "estimator": "relative, piecewise",
                    "text": f"T = {line.alpha * 1e6:.4g} µs + {line.beta * 1e9:.4g} ns/B x N over {_length(part.least)}"
                    f" to {_length(part.greatest)} (robust, between breaks{_not_positive(line)})",
                }
            )
    return made


def _length(count: float) -> str:
    """Write a length: whole KiB and MiB as such, else bytes."""
    for factor, unit in ((2.0**20, "MiB"), (2.0**10, "KiB")):
        if count >= factor and count % factor == 0:
            return f"{count / factor:g} {unit}"
    return f"{count:,.0f} B"


def _amount(count: float) -> str:
    """Write any number of bytes, as a half-performance length is: four digits, in KiB or MiB where it has as many."""
    factor, unit = next((each for each in ((2.0**20, "MiB"), (2.0**10, "KiB")) if count >= each[0]), (1.0, "B"))
    return f"{count / factor:.4g} {unit}"


def _not_positive(line: alpha_beta.AlphaBeta) -> str:
    """A remark on a line with a negative time for a message of length zero."""
    return "; a start-up below zero is none: the line holds for these lengths only" if line.alpha < 0 else ""


def _rate(value: float) -> str:
    factor, unit = next(
        (each for each in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")) if value >= each[0]), (1, "B/s")
    )
    return f"{value / factor:.4g} {unit}"


def times_by_launch(
    figure: Figure, cells: Mapping[Place, CaseSamples]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Medians of each launch: sizes (n,) in B and times (launches, n) in s, over the launches that have every size."""
    common = set.intersection(*(set(cell.launches) for cell in cells.values()))
    times = np.array(
        [
            [evaluate(figure.formula, {**c.case, "value": float(np.median(c.launches[key]))}) for c in cells.values()]
            for key in sorted(common)
        ],
        dtype=float,
    ).reshape(len(common), len(cells))
    return np.array(list(cells)), times


def _cache_levels(record: Benchmark, found: Sequence[CaseSamples]) -> list[dict[str, object]]:
    """Levels of a latency curve over `size`, from the least readings, with the range of each size over launches."""
    figure = next(figure for figure in record.figures.values() if figure.unit == "s")
    made = []
    for rest, cells in families(found, figure.metric, "size").items():
        if len(cells) < 3:
            continue
        sizes = np.array(list(cells))
        least = [min(float(v.min()) for v in cell.launches.values()) for cell in cells.values()]
        levels = cache_levels.find_levels(sizes, least)
        common = sorted(set.intersection(*(set(cell.launches) for cell in cells.values())))
        by_launch = [cache_levels.find_levels(sizes, [c.launches[k].min() for c in cells.values()]) for k in common]
        agree = sum([level.size for level in one] == [level.size for level in levels] for one in by_launch)
        made.append(
            {"benchmark": record.name, "figure": figure.name, "params": dict(rest), "law": "cache_levels"}
            | {"levels": [level.to_dict() for level in levels], "launches_agree": [agree, len(by_launch)]}
            | {"text": f"{cache_levels.levels_text(levels)} ({agree} of {len(by_launch)} launches alone agree)"}
        )
    return made


def families(found: Sequence[CaseSamples], metric: str, key: str) -> dict[Family, dict[float, CaseSamples]]:
    """Group the cells of `metric` that differ only in the number `key`; each family in rising order of it.

    Cells whose `key` is no number, as in a damaged line, are in none.
    """
    grouped: dict[Family, dict[float, CaseSamples]] = defaultdict(dict)
    for cell in found:
        if cell.metric == metric and type(cell.case.get(key)) in (int, float):
            rest = tuple(sorted((k, v) for k, v in cell.case.items() if k != key))
            grouped[rest][float(cell.case[key])] = cell
    return {rest: dict(sorted(cells.items())) for rest, cells in grouped.items()}


def _speedup(record: Benchmark, found: Sequence[CaseSamples]) -> list[dict[str, object]]:
    return fits_speedup.laws(record, found, families, times_by_launch)


def _rates_by_level(record: Benchmark, found: Sequence[CaseSamples]) -> list[dict[str, object]]:
    return fits_levels.fit_families(record, found, families)


LAWS: dict[str, Callable[[Benchmark, Sequence[CaseSamples]], list[dict[str, object]]]] = {
    "alpha_beta": _lines,
    "cache_levels": _cache_levels,
    "speedup": _speedup,
    "rates_by_level": _rates_by_level,
}
