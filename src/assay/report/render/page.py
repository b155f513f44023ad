"""One self-contained HTML file: the verdict first, then a block for each part, the published machines, and provenance.

What a block draws when it is opened, plots and tables of cases, is carried packed (gzip, base64), and so is the
plotting library: the page shows its first screen before any of it is unpacked. The samples stay in the run's folder.
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
import os
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay import sanitised, trusted, versions
from assay.document.grid import Grid
from assay.document.json_form import to_json
from assay.document.run_document import Document
from assay.errors import InputError
from assay.published.contrasts import computing
from assay.published.contrasts.table import table as contrasts
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
    paragon,
    quoted,
)
from assay.report import own_tables
from assay.report.derive.variants import reference
from assay.report.judge import verdict
from assay.report.judge.bounds import peak_float64
from assay.report.render import page_parts, summary, tables
from assay.report.render.summary import other_software
from assay.report.sections import (
    accuracy,
    applications,
    choices,
    energy,
    fastest_ways,
    file_rates,
    guidelines,
    launch_counts,
    message_lengths,
    node_use,
    processor_time,
    shares,
)
from assay.report.sections.matrices import tables as squares
from assay.report.sections.pairs import pair_tables
from assay.report.sections.time_series import stalls
from assay.report.sections.variants.variant_tables import lines as varied_lines
from assay.report.sections.variants.variant_tables import tables as varied_tables
from assay.report.sections.variants.variant_tables import title as variants_title
from assay.store import Run, storage_failed
from assay.stored.lines import write_whole


def write(run: Run, document: Document, path: Path | None = None) -> Path:
    """Write report.html (default: into the run's folder) and report.md beside it; returns the page's path.

    The run's folder gets the verdict as summary.md and summary.json, wherever the page goes.
    """
    target = path or run.folder / "report.html"
    anothers = trusted.fault(run.folder, above=run.folder.parent) is not None
    if target.parent == run.folder:
        refuse_anothers(run.folder)
    document = verdict.judged(run, document)
    texts = {
        target: html(document, target.parent),
        target.with_suffix(".md"): markdown(document),
        run.folder / "summary.md": summary.markdown(document),
        run.folder / "summary.json": json.dumps(
            versions.marked(versions.SUMMARY, to_json(verdict.of(document))), indent=1, default=str
        )
        + "\n",
    }
    for place, text in texts.items():
        if anothers and place.parent == run.folder:
            continue
        try:
            write_whole(place, text, errors="backslashreplace")  # names of files are bytes
        except OSError as error:
            if place.parent != target.parent:
                continue  # another's run, or one on a medium that cannot be written: the page is what was asked for
            storage_failed(error, place)
    return target


def refuse_anothers(folder: Path) -> None:
    """InputError for a run's folder that others may write: a link there might lead to a file of this user."""
    found = trusted.fault(folder, above=folder.parent)
    if found is not None:
        problem, accepted = f"nothing is written into this run's folder: {found}", "another file (-o FILE)"
        raise InputError(problem, file=folder, accepted=accepted)


def html(document: Document, folder: Path | None = None) -> str:
    """Lay out the page; links to the run's files are relative to `folder`, where the page will lie."""
    from jinja2 import Environment, PackageLoader, select_autoescape

    pages = Environment(
        loader=PackageLoader("assay.report.render", "pages"),
        autoescape=select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found = verdict.of(document)
    blocks, drawn = page_parts.parts(document)
    by_node = {f"nodes-{i}": plot for i, plot in enumerate(node_use.plots(document))}
    drawn.plots |= by_node
    return pages.get_template("page.html").render(
        document=document,
        summary=found,
        other_software=other_software(found),
        made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(document.created or 0)),
        nodes=tables.nodes(document),
        causes=tables.causes(document),
        use=node_use.table(document),
        use_plots=list(by_node),
        spent=launch_counts.lines(document.spent),
        processor_time=processor_time.table(document),
        varied=varied_lines(document.variants) if document.variants else [],
        varied_title=variants_title(document.variants) if document.variants else "",
        variants=varied_tables(document),
        parts=blocks,
        published=_published(document),
        host=_host(document),
        files=_files(document, folder),
        pack=_packed(json.dumps(vars(drawn) | {"document": to_json(document)}, default=str).encode()),
        plotly=_library(),
    )


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode()


@functools.cache
def _library() -> str:
    """The whole of Plotly: its wheel ships no partial bundle, and no Python package has npm's (basic, cartesian).

    Compressed it is 2 MB of a page that stays below 3; it is unpacked when a block with plots is first opened, and
    never before the first screen (`./x bench report` measures both).
    """
    from plotly.offline import get_plotlyjs

    return _packed(get_plotlyjs().encode())


def _published(document: Document) -> list[Grid]:
    """Lay out published machines beside this one, and what was published of this one."""
    beside = document.beside or []
    document = reference(document)
    own = [quoted.table(document.quoted)] if document.quoted else []
    past = [*hypercubes.tables(document), *dot_products.tables(document), *paragon.tables(document)]
    past += [*euroben.tables(document), *euroben_patterns.tables(document), *euroben_pingpong.tables(document)]
    past += [*euroben_algorithms.tables(document), *euroben_solvers.tables(document), *euroben_files.tables(document)]
    past += [*hand_over.tables(document), *in_text.tables(document), *known_errors.tables(document)]
    peak = peak_float64(document)
    between = contrasts(document, None if peak is None else peak[0])
    return [*beside, *past, *((between,) if between else ()), *computing.tables(document), *own]


def _files(document: Document, folder: Path | None) -> list[dict[str, str]]:
    """The run's own files that there are, as links relative to the page: {name, href, path}."""
    if not document.folder:
        return []
    run = Path(document.folder)
    found = []
    for name in ("samples.parquet", "blocks.parquet", "launches", "log", "summary.md"):
        if (run / name).exists():
            href = quote(os.fsencode(os.path.relpath(run / name, folder))) if folder else (run / name).as_uri()
            found.append({"name": name, "href": href, "path": str(run / name)})
    return found


def markdown(document: Document) -> str:
    """Write the same tables as Markdown."""
    main = tables.headlines(document)
    written = [summary.markdown(document), *([main.markdown()] if main.rows else [])]
    written += [made.markdown() for made in (tables.nodes(document), applications.table(reference(document))) if made]
    of_first = reference(document)
    first = {section.benchmark: section for section in of_first.benchmarks}
    for section in document.benchmarks:
        written += [f"## {section.title}\n", f"{section.summary} ({section.source})\n"]
        written += [made.markdown() for made in (*message_lengths.tables(section), *file_rates.tables(section))]
        written.append(tables.figures(section).markdown())
        written += [made.markdown() for made in own_tables.tables(of_first, first[section.benchmark])]
        fitted = tables.fits(section)
        if fitted:
            written.append(fitted.markdown())
        spread = tables.levels(section)
        beside = (
            *(shares.table(section), accuracy.table(first[section.benchmark])),
            *(choices.table(section), fastest_ways.table(section), guidelines.table(section)),
            *pair_tables.tables(section),
        )
        written += [made.markdown() for made in (spread, *beside, energy.table(section), *squares(section)) if made]
        written += [f"- {text}" for text in stalls.lines(section)]
        written += [f"- {section.state}: {text}" for text in section.warnings]
    used = node_use.table(document)
    written += [used.markdown()] if used else []
    written += [f"- {line.strip()}" for line in launch_counts.lines(document.spent)]
    times = processor_time.table(document)
    written += [times.markdown()] if times else []
    written += [f"- skipped: {each.title}: {each.reason}" for each in document.left_out]
    varied = varied_tables(document)
    if document.variants and varied:
        written += [
            f"## {variants_title(document.variants)}\n",
            *(f"- {line}" for line in varied_lines(document.variants)),
            "",
        ]
        written += [made.markdown() for made in varied]
    past = _published(document)
    if past:
        written.append("## Beside the machines that were published\n")
        written += [made.markdown() for made in past]
    return sanitised.markdown("\n".join(written) + "\n")


def _host(document: Document) -> list[tuple[str, str]]:
    return [
        (key.replace("_", " "), _person(key, value))
        for key, value in document.facts.stated.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]


def _person(key: str, value: Any) -> str:
    """Write a circumstance in people's units."""
    from assay.report.units import human

    unit = {"memory": "B", "memory_limit": "B", "frequency": "Hz"}.get(key)
    return human(float(value), unit, 4) if unit else f"{value:g}" if isinstance(value, float) else str(value)
