"""Several runs side by side as one page: which runs, their main figures, all figures; nothing is fetched."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

from assay.report import side_by_side
from assay.store import storage_failed


def write(beside: dict[str, Any], path: Path) -> Path:
    """Write the page; InputError or MeasurementError where that is impossible."""
    pages = Environment(
        loader=PackageLoader("assay.report", "pages"), autoescape=select_autoescape(["html"]), trim_blocks=True
    )
    folders = [(run["run"], Path(run["folder"]) / "report.html") for run in beside["runs"] if run["folder"]]
    text = pages.get_template("beside.html").render(
        machines=" and ".join(dict.fromkeys(str(run["machine"]) for run in beside["runs"])),
        runs=side_by_side.runs_table(beside),
        headlines=side_by_side.table(beside, headlines=True),
        every=side_by_side.table(beside),
        links=[{"run": run, "href": os.path.relpath(file, path.parent)} for run, file in folders if file.exists()],
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        storage_failed(error, path)
    return path
