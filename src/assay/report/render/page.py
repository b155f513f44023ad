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
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay import trusted, versions
from assay.document.grid import Grid
from assay.document.json_form import to_json
from assay.document.run_document import Document
from assay.errors import InputError
from assay.report.judge import verdict
from assay.report.registry import RunPlace, RunView, run_views
from assay.report.render import page_parts, summary
from assay.report.render.markdown import markdown
from assay.report.render.page_parts import Drawn
from assay.report.render.summary import other_software
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
    return pages.get_template("page.html").render(
        document=document,
        summary=found,
        other_software=other_software(found),
        made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(document.created or 0)),
        top=_shown(RunPlace.TOP, document, drawn),
        parts=blocks,
        run_parts=_shown(RunPlace.PART, document, drawn),
        end=_shown(RunPlace.END, document, drawn),
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


@dataclass(frozen=True)
class RunShown:
    """What the page shows of a whole run: a view's content, with the keys of its plots."""

    view: RunView
    title: str
    tables: list[Grid]
    lines: list[str]
    plots: list[str]


def _shown(place: RunPlace, document: Document, drawn: Drawn) -> list[RunShown]:
    """Give the views of one place; of those that are no parts only what has any content."""
    found = []
    for view in (view for view in run_views(place) if view.on_page):
        plots = {f"{view.anchor}-{i}": plot for i, plot in enumerate(view.plots(document))}
        shown = RunShown(view, view.title(document), view.tables(document), view.lines(document), list(plots))
        if view.present(document) if place is RunPlace.PART else shown.tables or shown.lines or plots:
            drawn.plots |= plots
            found.append(shown)
    return found


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
