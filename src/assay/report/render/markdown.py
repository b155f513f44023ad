"""A run as Markdown: the verdict, then the same tables as the page's."""

from __future__ import annotations

from assay import sanitised
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.variants import reference
from assay.report.registry import Place, RunPlace, RunView, benchmark_views, run_views
from assay.report.render import summary, tables


def markdown(document: Document) -> str:
    """Write the verdict and the tables."""
    main = tables.headlines(document)
    written = [summary.markdown(document), *([main.markdown()] if main.rows else [])]
    written += [text for view in run_views(RunPlace.TOP) for text in _run(view, document)]
    of_first = reference(document)
    first = {section.benchmark: section for section in of_first.benchmarks}
    for section in document.benchmarks:
        written += _benchmark(document, section, of_first, first[section.benchmark])
    written += [text for view in run_views(RunPlace.END) for text in _run(view, document)]
    written += [text for view in run_views(RunPlace.PART) for text in _part(view, document)]
    return sanitised.markdown("\n".join(written) + "\n")


def _benchmark(document: Document, section: Section, of_first: Document, first: Section) -> list[str]:
    """Write one benchmark; what is set beside other benchmarks is of the first variant alone."""
    views = benchmark_views()

    def placed(*places: Place) -> list[str]:
        of = (of_first, first) if Place.ANALYSIS in places else (document, section)
        return [table.markdown() for view in views if view.place in places for table in view.tables(*of)]

    made = [f"## {section.title}\n", f"{section.summary} ({section.source})\n", *placed(Place.LEAD)]
    made += [tables.figures(section).markdown(), *placed(Place.ANALYSIS)]
    made += [each.markdown() for each in (tables.fits(section), tables.levels(section)) if each]
    made += placed(Place.JUDGEMENT, Place.DETAIL)
    made += [f"- {line}" for view in views for line in view.lines(section)]
    return [*made, *(f"- {section.state}: {text}" for text in section.warnings)]


def _run(view: RunView, document: Document) -> list[str]:
    if not view.in_markdown:
        return []
    lines = (view.markdown_lines or view.lines)(document)
    return [*(table.markdown() for table in view.tables(document)), *(f"- {line.strip()}" for line in lines)]


def _part(view: RunView, document: Document) -> list[str]:
    """Write a part under its own heading, where it has a table."""
    found = view.tables(document) if view.in_markdown and view.present(document) else []
    if not found:
        return []
    lines = [f"- {line}" for line in (view.markdown_lines or view.lines)(document)]
    heading = f"## {view.markdown_title or view.title(document)}\n"
    return [heading, *([*lines, ""] if lines else []), *(table.markdown() for table in found)]
