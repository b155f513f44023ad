"""Roofs by level of memory and width of vector as a table: the best rate, and its share of what the core can do.

The share is of vectors per cycle, whose clock was measured beside, and stands where the record's `limit` is known. It
is of the median, which stands where half of the readings are undisturbed: the best of several quotients of two times is
the one whose clock was interrupted.
"""

from __future__ import annotations

from assay.benchmark.record import benchmark
from assay.document.grid import Grid, grid
from assay.document.params import Parameters
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive import memory_levels
from assay.report.judge.bounds import percent
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.units import human

NAMES = {"x86_64": {128: "SSE", 256: "AVX2", 512: "AVX-512"}, "aarch64": {128: "NEON"}}
PASSED = 1.01  # of a limit: more is an error of the cycles; after vectors of 512 bits the core is slower for a while
SECOND = " L2: as many bytes in a cycle as come from it, those of a stored line among them, which is read before."
SHARED = " L3 and memory: none is known, as cores share them, at clocks of their own."
Case = tuple[str, str, int]  # kernel, level, bits of a vector


def tables(document: Document, section: Section) -> list[Grid]:
    """The one table of a section whose figures say vectors per cycle by level; [] for any other."""
    best, usual = _values(section, "best"), _values(section, "median")
    cases: dict[Case, float] = best.get("rate", {}) | best.get("peak", {})
    if "per_cycle" not in usual or not cases:
        return []
    widths = sorted({bits for _, _, bits in cases})
    sizes = best.get("size", {})
    caches, moved = memory_levels.caches(document), _moved(section)
    rows = []
    parameters = benchmark(section.benchmark).parameters
    order = [(level, kernel) for level in parameters["level"].choices for kernel in parameters["kernel"].choices]
    measured = {(level, kernel) for kernel, level, _ in cases}
    for level, kernel in ((str(level), str(kernel)) for level, kernel in order if (level, kernel) in measured):
        sets = _sets(sizes, level, kernel)
        contradiction = memory_levels.contradicted(level, max(sets, default=None), caches)
        size = " to ".join(human(size, "B", 3) for size in sorted({min(sets), max(sets)})) if sets else ""
        about = ", ".join(text for text in (size, contradiction) if text)
        cells = [_cell((kernel, level, bits), cases, best.get("limit", {}), usual["per_cycle"]) for bits in widths]
        cells = [f"{cell} ~" if (kernel, level, bits) in moved and "%" in cell else cell
                 for cell, bits in zip(cells, widths, strict=True)]  # fmt: skip
        rows.append((f"{level} ({about})" if about else level, kernel.replace("_", "-"), *cells))
    note = "Best readings. In brackets: share of what the core can do in a cycle, median, by the clock measured with it"
    noted = next((each for each in section.notes if each.startswith("per cycle at most, as ")), None)
    known = "; limits: " + noted.removeprefix("per cycle at most, as ").removesuffix(" does") if noted else ""
    if "limit" not in best:
        note, known = "Best readings. What this core can do in a cycle is not known.", ""
    note += f"{known}." if not note.endswith(".") else ""
    if "limit" in best:
        note += SECOND if any(level == "L2" for _, level, _ in best["limit"]) else ""
        note += SHARED if any(level in ("L3", "memory") for _, level, _ in cases) else ""
    if any("(another clock)" in cell for row in rows for cell in row):
        note += " Another clock: more than the core can do, so that clock was not that of these vectors."
    if any(cell.endswith("~") for row in rows for cell in row):
        note += " ~: the share is of cycles that were disturbed, the rate a best reading: they are of different blocks."
    return [grid(section.title, ("level", "kernel", *(_width(document, bits) for bits in widths)), rows, note, left=2)]


def _sets(sizes: dict[Case, float], level: str, kernel: str) -> set[float]:
    """Bytes of the working sets that a kernel went through in a level; loads may have some of their own."""
    own = {size for (of, where, _), size in sizes.items() if where == level and (of == "load") == (kernel == "load")}
    return own or {size for (_, where, _), size in sizes.items() if where == level}


def _width(document: Document, bits: int) -> str:
    name = NAMES.get(document.facts.architecture or "", {}).get(bits)
    return "scalar" if bits == 64 else name or f"{bits} bits"


def _cell(case: Case, rates: dict[Case, float], limits: dict[Case, float], per_cycle: dict[Case, float]) -> str:
    if case not in rates:
        return "–"
    text = human(rates[case], "flop/s" if case[0] == "multiply_add" else "B/s", 3)
    each, limit = per_cycle.get(case), limits.get(case)
    if not each or not limit:
        return text
    return f"{text} ({percent(each / limit)})" if each <= PASSED * limit else f"{text} (another clock)"


def _moved(section: Section) -> set[Case]:
    """The cases whose vectors per cycle are no clean median."""
    return {
        (str(figure.params.get("kernel")), str(figure.params.get("level")), int(figure.params["vector"]))
        for figure in section.figures
        if (figure.name, figure.statistic) == ("per_cycle", "median") and figure.state != "clean"
    }


def _values(section: Section, statistic: str) -> dict[str, dict[Case, float]]:
    """Values of the valid figures, by name and case."""
    found: dict[str, dict[Case, float]] = {}
    for figure in section.figures:
        params: Parameters = figure.params
        if figure.statistic == statistic and figure.value and figure.state != "invalid" and "vector" in params:
            case = (str(params.get("kernel")), str(params.get("level")), int(params["vector"]))
            found.setdefault(figure.name, {})[case] = figure.value
    return found


SECTION = ReportSection(
    order=110,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=tables,
        replaces=lambda section: any(figure.name == "per_cycle" for figure in section.figures),
    ),
)
