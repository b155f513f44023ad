"""What earlier runs of the same machine reached: their main figures, as the reports of those runs left them.

Every report leaves `summary.json` in its run's folder: the verdict as data. Runs of the same machine and kind in this
store give the ticks beside a later run's bars. A folder that cannot be read is passed over.
"""

from __future__ import annotations

import json
from typing import Any

from assay.store import Run, known_runs

Document = dict[str, Any]
FILE = "summary.json"
MOST_RUNS = 20  # the newest ones


def earlier(run: Run) -> list[Document]:
    """Give the summaries of earlier runs of this machine, the newest first: {run, created, lines}."""
    created, alike = run.about.get("created") or 0.0, ("machine", "described")
    found: list[Document] = []
    for other in reversed(known_runs()):
        same = all(other.about.get(key) == run.about.get(key) for key in alike)
        if len(found) >= MOST_RUNS or not same or (other.about.get("created") or 0.0) >= created:
            continue
        summary = _read(other)
        if summary is not None:
            found.append({"run": other.about["id"], "created": other.about.get("created"), "lines": summary})
    return found


def _read(run: Run) -> list[Document] | None:
    try:
        lines = json.loads((run.folder / FILE).read_text(encoding="utf-8"))["lines"]
        return [line for line in lines if isinstance(line["value"], float | int) and line["benchmark"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ticks(line: Document, before: list[Document]) -> list[Document]:
    """Values of earlier runs for the same main figure and case: {run, value}."""
    return [
        {"run": of["run"], "value": other["value"]}
        for of in before
        for other in of["lines"]
        if all(other.get(key) == line[key] for key in ("benchmark", "title", "unit"))
        and other.get("params") == line["params"]
    ]
