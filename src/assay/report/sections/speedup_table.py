"""Speedups of applications in a table: strong and weak, by CPUs per node, and by network where runs differ in it."""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.fits import SpeedupFit, SpeedupLawFit
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.case_order import case_key, record_of
from assay.report.registry import BenchmarkView, Place, ReportSection, only
from assay.report.render.case_words import case_words

PART = "applications"
NOTE = (
    "Speedup over the same program on the fewest ranks; of weak scaling, where the work grows with the ranks, the "
    "ratio of rates. Amdahl (strong) and Gustafson (weak): serial share; universal law: contention, coherence, ranks "
    "of the greatest speedup. Residual: root mean square, of the better law, of perfect scaling."
)
HEADINGS = ("case", "per node", "scaling", "speedup by ranks", "efficiency", "serial share", "universal", "residual")


def table(section: Section) -> Grid | None:
    """A row for each family of cases; None where no speedup was found, or of threads."""
    rows = _rows(section) if section.part == PART else []
    return grid(f"Speedups: {section.title}", HEADINGS, rows, NOTE, left=4) if rows else None


def beside(documents: Sequence[Document]) -> Grid | None:
    """The same of several runs, each by its machine, which says the network; None where fewer than two have any."""
    found = [
        (document, section, rows)
        for document in documents
        for section in document.benchmarks
        if section.part == PART and (rows := _rows(section))
    ]
    if len({document.run for document, _, _ in found}) < 2:
        return None
    rows = [(str(document.machine), section.title, *row) for document, section, of in found for row in of]
    return grid("Speedups by machine and network", ("machine", "application", *HEADINGS), rows, NOTE, left=6)


def _rows(section: Section) -> list[tuple[str, ...]]:
    record = record_of(section)
    rows: list[tuple[str, ...]] = []
    found = [fit for fit in section.fits if isinstance(fit, SpeedupFit)]
    for fit in sorted(found, key=lambda fit: (str(fit.params.get("scaling", "")), case_key(record, fit.params))):
        laws = [law for law in section.fits if isinstance(law, SpeedupLawFit) and law.params == fit.params]
        case = {key: value for key, value in fit.params.items() if key not in ("scaling", "ppn")}
        pairs = list(zip(fit.processors, fit.speedup, strict=True))
        rows.append(
            (
                case_words(case, record) or "–",
                str(fit.params.get("ppn") or "–"),
                str(fit.params.get("scaling", "strong")),
                ", ".join(f"{count}: {one.value:.3g}" for count, one in pairs),
                f"{fit.efficiency[-1]:.2f}",
                next((_shares(law) for law in laws if law.law != "universal"), "–"),
                next((_shares(law) for law in laws if law.law == "universal"), "–"),
                _residuals(laws),
            )
        )
    return rows


def _shares(law: SpeedupLawFit) -> str:
    """`0.12 (0.10 to 0.15)`; of the universal law both shares and the best number."""
    texts = []
    for name, value in law.coefficients.items():
        ends = None if law.ci95 is None else law.ci95[name]
        texts.append(f"{value:.2g}" + ("" if ends is None else f" ({ends[0]:.2g} to {ends[1]:.2g})"))
    best = "" if law.best_processors is None else f", best on {law.best_processors:.0f}"
    return ", ".join(texts) + best


def _residuals(laws: Sequence[SpeedupLawFit]) -> str:
    known = [law for law in laws if law.residual is not None and law.perfect_residual is not None]
    if not known:
        return "–"
    least = min(known, key=lambda law: law.residual or 0.0)
    return f"{100 * (least.residual or 0.0):.2g}%, perfect {100 * (least.perfect_residual or 0.0):.2g}%"


SECTION = ReportSection(
    order=170,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: only(table(section)),
    ),
)
