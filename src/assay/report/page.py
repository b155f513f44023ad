"""One self-contained HTML file: the verdict first, then every benchmark, the published machines, and provenance."""

from __future__ import annotations

import base64
import gzip
import io
import json
import time
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

from assay.report import (
    launches_spent,
    matrices,
    paragon,
    plots,
    published,
    quoted,
    roof,
    shares,
    spectra,
    speedups,
    tables,
)
from assay.report.grid import Grid
from assay.report.verdict import doubt, verdict
from assay.store import Run, storage_failed

Document = dict[str, Any]
MOST_EMBEDDED = 8_000_000  # bytes of packed samples that a page carries; more stay beside it in the run's folder


def write(run: Run, document: Document, path: Path | None = None) -> Path:
    """Write report.html (default: into the run's folder) and report.md beside it; returns the page's path."""
    target = path or run.folder / "report.html"
    try:
        target.write_text(html(document, packed_samples(run)), encoding="utf-8")
        target.with_suffix(".md").write_text(markdown(document), encoding="utf-8")
    except OSError as error:
        storage_failed(error, target)
    return target


def html(document: Document, samples: bytes | None = None) -> str:
    """Lay out the page; `samples` is gzipped CSV that the page offers for download."""
    from plotly.offline import get_plotlyjs

    page = Environment(
        loader=PackageLoader("assay.report", "."),
        autoescape=select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template("page.html")
    document = {**document, "benchmarks": sorted(document["benchmarks"], key=lambda s: bool(s["historical"]))}
    return page.render(
        document=document,
        verdict=verdict(document),
        doubt=doubt(document),
        doubted=[f"{s['benchmark']}: {s['warnings'][0]}" for s in document["benchmarks"] if s["warnings"]],
        made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(document["created"] or 0)),
        headlines=tables.headlines(document),
        nodes=tables.nodes(document),
        roof=[_json(plot) for plot in roof.plots(document)],
        sections=[_drawn(section) for section in document["benchmarks"]],
        published=_published(document),
        provenance=json.dumps(document["provenance"], indent=1, default=str),
        host=_host(document),
        plotly=get_plotlyjs(),
        samples=None if samples is None else base64.b64encode(samples).decode(),
    )


def _published(document: Document) -> list[Grid]:
    """Lay out the published machines beside this one, and what was published of a described machine itself."""
    beside = [Grid(**{**made, "rows": tuple(map(tuple, made["rows"]))}) for made in document.get("beside", [])]
    own = [quoted.table(document["quoted"])] if document.get("quoted") else []
    return [*beside, *published.tables(document), *paragon.tables(document), *own]


def _drawn(section: Document) -> Document:
    drawn = [*matrices.plots(section), *shares.plots(section), *speedups.plots(section), *spectra.plots(section)]
    drawn += plots.curves(section, published.curves(section)) if not section["matrix"] else []
    dots = None if drawn else plots.points(section)
    left = plots.residuals(section)
    return {
        "section": section,
        "figures": tables.figures(section),
        "fits": tables.fits(section),
        "levels": tables.levels(section),
        "plots": [_json(plot) for plot in (*drawn, *((dots,) if dots else ()), *((left,) if left else ()))],
    }


# what would end or change a script element that holds JSON, or a line of JavaScript
_ESCAPED = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def _json(plot: Document) -> str:
    """JSON for a script element: whatever a name or a unit holds, the page's markup stays as it is."""
    return json.dumps(plot).translate(_ESCAPED)


def markdown(document: Document) -> str:
    """Write the same tables as Markdown."""
    parts = [f"# {document['machine']}\n", verdict(document), tables.headlines(document).markdown()]
    odd = tables.nodes(document)
    if odd:
        parts.append(odd.markdown())
    for section in document["benchmarks"]:
        parts += [f"## {section['title']}\n", f"{section['summary']} ({section['source']})\n"]
        parts.append(tables.figures(section).markdown())
        fitted = tables.fits(section)
        if fitted:
            parts.append(fitted.markdown())
        spread = tables.levels(section)
        together = shares.table(section)
        parts += [made.markdown() for made in (spread, together, *matrices.tables(section)) if made]
        parts += [f"- doubt: {text}" for text in section["warnings"]]
    parts += [f"- {line.strip()}" for line in launches_spent.lines(document.get("spent"))]
    parts += [f"- left out: {each['title']}: {each['reason']}" for each in document.get("left_out", ())]
    past = _published(document)
    if past:
        parts.append("## Beside the machines that were published\n")
        parts += [made.markdown() for made in past]
    return "\n".join(parts) + "\n"


def packed_samples(run: Run) -> bytes | None:
    """All samples as gzipped CSV; None where they are too many to carry along."""
    from pyarrow import csv

    text = io.BytesIO()
    csv.write_csv(run.connect().sql("SELECT * FROM samples").to_arrow_table(), text)
    packed = gzip.compress(text.getbuffer(), compresslevel=6, mtime=0)
    return packed if len(packed) <= MOST_EMBEDDED else None


def _host(document: Document) -> list[tuple[str, str]]:
    host = document.get("host") or {}
    return [
        (key.replace("_", " "), str(value))
        for key, value in host.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]
