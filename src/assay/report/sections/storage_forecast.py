"""Rates of files beside what a law fitted to half of them predicts: fitted and held-out cells apart."""

from __future__ import annotations

from math import isfinite

from assay.analysis.storage_errors import errors_across_in_words, judge_cells, missed_in_words
from assay.analysis.storage_law import across_in_words
from assay.document.grid import Grid, grid
from assay.document.section import Section
from assay.document.storage_cells import laws
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.units import human, params


def tables(section: Section) -> list[Grid]:
    """One table a direction and source; none where a run has too few cells for a law and its judgement."""
    made = []
    for (direction, source, engine, access), law in laws([section]).items():
        about: dict[str, object] = {"source": source, "engine": engine, "access": access}
        cells = judge_cells(law)
        rows = [
            (human(float(each.cell.bytes), "B"), str(each.cell.flight), human(each.cell.rate, "B/s", 3),
             human(each.predicted, "B/s", 3), f"{each.error:+.1%}",
             "–" if each.between is None else f"{each.between[0]:+.1%} to {each.between[1]:+.1%}",
             "fitted" if each.cell.fitted else "predicted: missed" if each.missed else "predicted")
            for each in cells
        ]  # fmt: skip
        between, halves = across_in_words(law.interval, law.launches, law.measured), ""
        if law.spread:
            low, high = (human(each, "s", 3) for each in law.startup_between)
            between += f": {low} to {high}"
            least, most = law.n_half_between
            halves = f" ({human(least, 'B', 3)} " + (f"to {human(most, 'B', 3)})" if isfinite(most) else "or more)")
        ends = " and ".join(f"{law.saturation(at):.3g} of {human(float(at), 'B')}" for at in law.ends)
        limit = "" if law.limited else ", as one process: no cell with several in flight was fitted"
        limit += f", each taking {human(law.each, 's', 3)} of what all share besides" if law.each else ""
        limit += ", and waiting that long for every other in flight" if law.contended else ""
        reached = f"; the limit is reached with {ends} in flight" if law.limited else ""
        if law.contended:
            reached = f"; {ends} in flight move half of it or more"
        if law.decline:
            reached += f"; beyond it each time as many take {law.decline:.2g} of the limit's time more"
        errors = [each for each in (*law.errors_in_words(), missed_in_words(cells)) if each]
        across = errors_across_in_words(law, cells)
        note = (
            f"Startup {human(law.startup, 's', 3)} ({between}), {human(law.per_byte, 's/B', 3)} of one "
            f"operation, {human(law.limit, 'B/s', 3)} of all together{limit}. r_max {human(law.r_max, 'B/s', 3)}, "
            f"n_half {human(law.n_half, 'B', 3)}{halves}{reached}. {'; '.join(errors)}. "
            "`assay fit RUN` writes these numbers as a description."
        )
        headings = ("block", "in flight", "measured", "by the law", "error", across, "cell is")
        made.append(grid(f"Predicted {direction} rates: {params(about)}", headings, rows, note, left=1))
    return made


SECTION = ReportSection(
    order=200,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: tables(section),
    ),
)
