"""What a finished run reached, stored in its folder when it is first needed: a history reads hundreds of runs.

To read and judge a quick run takes a second of processor time; a year of `assay watch --every 6h` has 1,460 of them.
RUN/figures.json serves while run.json and Assay itself are those that it was made from, and else is made again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import assay
from assay.benchmark.record import programs_root
from assay.document.json_form import from_json, to_json
from assay.document.reported_figure import ReportedFigure
from assay.installed import version
from assay.report.derive.document import document
from assay.report.judge import gate
from assay.report.judge.comparison import Key, compared, identity, outcomes_of
from assay.report.judge.run_differences import matched
from assay.samples import Measured
from assay.store import Run
from assay.stored.lines import write_whole

FILE = "figures.json"
OVER = ("done", "failed")  # states of a run that no later command continues


@dataclass(frozen=True)
class RunFigures:
    """The figures of a run that a comparison can be about, and which of them are its main ones.

    `others`: how many processors other processes used on average during the run's blocks; None where that is not known.
    """

    figures: dict[Key, ReportedFigure]
    headlines: set[Key]
    others: float | None


def run_figures(run: Run) -> RunFigures:
    """Give a run's figures, from its folder or by reading and judging it. AssayError where that is not possible."""
    path, made_from = run.folder / FILE, _made_from(run)
    stored = _stored(path, made_from)
    if stored is not None:
        return stored
    (whole,) = matched([document(run)])
    found = RunFigures(compared(whole), gate.headlines(whole), _others(run))
    if run.state in OVER:
        entries = [[key[0], to_json(figure), key in found.headlines] for key, figure in found.figures.items()]
        text = json.dumps({"others": found.others, "figures": entries})
        with contextlib.suppress(OSError):  # somebody else's run: then it is judged anew each time
            write_whole(path, json.dumps({"made_from": made_from, "sha256": _digest(text.encode())}) + "\n" + text)
    return found


def _stored(path: Path, made_from: str) -> RunFigures | None:
    """What the file has; None where there is none, it was made from something else, or it is damaged."""
    try:
        head, _, text = path.read_text(encoding="utf-8").partition("\n")
        if json.loads(head) != {"made_from": made_from, "sha256": _digest(text.encode())}:
            return None
        stored = json.loads(text)
    except (OSError, ValueError):
        return None
    figures: dict[Key, ReportedFigure] = {}
    headlines: set[Key] = set()
    for benchmark, data, main in stored["figures"]:
        figure = from_json(ReportedFigure, data)
        key = (benchmark, figure.name, identity(figure.params, outcomes_of(benchmark)))
        figures[key] = figure
        if main:
            headlines.add(key)
    return RunFigures(figures, headlines, stored["others"])


def _others(run: Run) -> float | None:
    seconds = wall = 0.0
    for _, file in run.tasks():
        for row in file.rows:
            if isinstance(row, Measured) and row.block.others is not None and row.block.wall:
                seconds += row.block.others
                wall += row.block.wall
    return seconds / wall if wall > 0 else None


def _made_from(run: Run) -> str:
    return _digest((run.folder / "run.json").read_bytes() + _assay().encode())


@functools.cache
def _assay() -> str:
    """Which Assay judges: the version, and of a checkout the latest change of a source or a record."""
    changed = max(
        path.stat().st_mtime_ns
        for folder in (Path(assay.__file__).parent, programs_root())
        for path in folder.rglob("*.*")
        if path.suffix in (".py", ".toml", ".cpp", ".hpp")
    )
    return f"{version()} {changed}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
