"""A run in the terminal: the verdict, as on the page; a run of one benchmark shows that one's tables as well."""

from __future__ import annotations

import textwrap
from typing import Any

from rich.console import Console
from rich.text import Text

from assay.document.fits import LevelRatesFit
from assay.document.run_document import Document
from assay.document.section import Section
from assay.published.tables import (
    dot_products,
    euroben,
    euroben_algorithms,
    euroben_files,
    euroben_patterns,
    euroben_pingpong,
    euroben_solvers,
    hand_over,
    hypercubes,
    in_text,
    known_errors,
    quoted,
)
from assay.report import (
    accuracy,
    applications,
    by_length,
    choices,
    convergence,
    energy,
    fastest_ways,
    file_rates,
    guidelines,
    launches_spent,
    matrices,
    nodes_over_time,
    over_time,
    own_tables,
    pairs_shown,
    processor_time,
    summary,
    tables,
    variant_tables,
)
from assay.report.listing import WIDTH, listing
from assay.report.one_line import in_the_report
from assay.report.variant_tables import tables as varied_tables
from assay.report.variant_tables import title as variants_title
from assay.report.variant_tables import wrapped
from assay.report.variants import reference

MOST_ROWS = 24  # a longer table is for the page, unless it is the only one
MOST_FAMILIES = 2  # cases whose fits are printed
MOST_LEFT_OUT = 4  # notes of what was not measured
MOST_BESIDE = 3  # of what stands beside the published figures: errors, claims, where the time goes
MOST_VARIED = 16  # rows of each table of build variants
MOST_FASTEST = 36  # cases whose fastest algorithm is printed: all that a described machine's quick profile has
MOST_JOULES = 8  # cases whose energy is printed
MOST_OVER_TIME = 4  # cases that stalled, or whose processes ended apart
MOST_COLUMNS = 6  # and a wider matrix


def show(document: Document, console: Console | None = None) -> None:
    """Print a run so that it fits a terminal."""
    out = console or listing()
    alone = len(document.benchmarks) == 1
    _lines(out, ["", *(summary.brief(document) if alone else summary.terminal(document)), ""])
    odd = tables.nodes(document)
    if odd:
        out.print(odd.rich())
    used = nodes_over_time.brief(document)
    if used and (not alone or len(used.rows) > 1):
        out.print(used.rich())
    first = reference(document)
    several = applications.table(first)
    if several and not alone and len(several.rows) <= MOST_ROWS:
        out.print(several.rich())
    varied = document.variants is not None and len(document.variants.builds) > 1
    if alone and document.variants is not None and varied:
        first_one = variant_tables.first(document.variants)
        title = f"Tables of {first_one}, the first variant; how the others differ stands below them."
        _lines(out, [*textwrap.wrap(title, WIDTH, subsequent_indent="  "), ""])
    for section in first.benchmarks if alone else ():
        _benchmark(out, section, in_the_report(document))
        for table in own_tables.tables(first, section) if document.variants else ():
            out.print(table.rich())
    _lines(out, [*launches_spent.lines(document.spent), *(processor_time.lines(document) if alone else ())])
    for each in (each for each in document.left_out if alone and each.kind != "budget"):
        _lines(out, [f"skipped: {each.benchmark}: {each.reason}"])
    own = [quoted.table(document.quoted)] if document.quoted and not alone else []  # of nodes, which were not run
    beside = document.beside or []
    past = hypercubes.tables(first) if alone else []  # of a whole evaluation they stand on the page
    past += euroben.tables(first)[:1] if alone else []  # and the paper's other tables, too
    past += [*euroben_algorithms.tables(first), *euroben_solvers.tables(first)] if alone else []
    past += [*euroben_files.tables(first), *hand_over.tables(first), *known_errors.tables(first)] if alone else []
    past += [*dot_products.tables(first), *euroben_patterns.tables(first)] if alone else []
    past += [*euroben_pingpong.tables(first), *in_text.tables(first)] if alone else []
    for section in first.benchmarks if alone else ():
        past = [*own_tables.tables(first, section), *past]
    if document.variants:  # what was asked for is how they differ: of the first one the page has the tables
        _lines(out, [variants_title(document.variants), *wrapped(document.variants, WIDTH)])
        past = varied_tables(document, MOST_VARIED)
    if document.validation:
        beside, own = [], []  # the verdict has their gist, the page has all of them
    for table in (*beside[:MOST_BESIDE], *own, *past):
        out.print(table.rich())
    if document.report:
        out.print(f"report: {document.report}", highlight=False, soft_wrap=True)


def _lines(out: Console, lines: list[str]) -> None:
    for line in lines:
        out.print(Text(line), highlight=False)


def _benchmark(out: Console, section: Section, elsewhere: str) -> None:
    """One benchmark: its figures, its matrices, what its program noted, and its fits, under its own title.

    `elsewhere`: in words, where the rest stands.
    """
    lengths = by_length.tables(section)
    for each in lengths:
        out.print(each.rich())
    of_files = file_rates.tables(section, file_rates.MOST_COLUMNS)
    for each in of_files:
        out.print(each.rich())
    left = [figure for figure in by_length.remaining(section) if not convergence.has(section, figure)]
    made = tables.figures(section, narrow=True, only=left)
    by_level = any(isinstance(fit, LevelRatesFit) for fit in section.fits)
    by_level |= any(figure.name in ("per_cycle", "written") for figure in section.figures)  # with tables below
    by_level |= bool(section.peak_shares)
    beside = accuracy.table(section)
    if beside:
        out.print(beside.rich())
    judged = choices.table(section)
    if judged:
        out.print(judged.rich())
    fastest = fastest_ways.table(section, MOST_FASTEST)
    if fastest:
        out.print(fastest.rich())
    held_to = guidelines.table(section)
    if held_to:
        out.print(held_to.rich())
    for slow in pairs_shown.tables(section):
        out.print(slow.rich())
    unseen = [found for found in pairs_shown.judged(section) if not found.slow]
    _lines(out, [f"  {text}" for found in unseen for text in found.text])
    instead = bool(beside) or bool(judged) or bool(fastest) or by_level or bool(of_files)
    if (left or not lengths) and not (instead and len(made.rows) > MOST_ROWS):
        out.print(made.rich() if made.rows else Text(section.title, style="bold"))
    joules = energy.table(section, MOST_JOULES)
    if joules:
        out.print(joules.rich())
    for square in matrices.tables(section):
        if len(square.rows) <= MOST_COLUMNS:
            out.print(square.rich())
    _lines(out, [f"  {remark}" for remark in (section.remarks or ())[:MOST_LEFT_OUT]])
    _lines(out, [f"  {node.host}: {text}" for node in section.noise or () for text in node.text])
    _lines(out, [f"  {line}" for line in over_time.lines(section)[:MOST_OVER_TIME]])
    fitted = _fits(section, elsewhere)
    if fitted:
        out.print(Text(f"Fits of {section.title}{tables.fitted_figure(section)}", style="bold"))
    _lines(out, [f"  {line}" for line in fitted])
    reasons = section.warnings
    if reasons:
        more = f" (and {len(reasons) - 1} more, {elsewhere})" if len(reasons) > 1 else ""
        state = "beside it" if section.state == "clean" else section.state  # as most of its cases are
        out.print(Text(f"{state}: {section.benchmark}: {reasons[0]}{more}", style="yellow"))


def _fits(section: Section, elsewhere: str = "in the report") -> list[str]:
    """What was fitted, a family of cases after the other under what distinguishes it from the others."""
    families: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    for fit in section.fits:
        if isinstance(fit, LevelRatesFit):  # they have a table
            continue
        families.setdefault(tuple(sorted(fit.params.items())), []).append(fit.text)
    if len(families) < 2:
        return [text for texts in families.values() for text in texts]
    alike = set.intersection(*(set(family) for family in families))
    lines = []
    for family, texts in list(families.items())[:MOST_FAMILIES]:
        apart = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in family if (key, value) not in alike)
        lines += [f"{apart}:", *(f"  {text}" for text in texts)]
    more = len(families) - MOST_FAMILIES
    return [*lines, f"(fits of {more} more cases {elsewhere})"] if more > 0 else lines
