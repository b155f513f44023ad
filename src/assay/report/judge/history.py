"""What earlier runs of the same machine reached: their main figures, as the reports of those runs left them.

Every report leaves `summary.json` in its run's folder: the verdict as data. Runs of the same machine and kind in this
store give the ticks beside a later run's bars. A folder that cannot be read is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from assay import versions
from assay.document.json_form import from_json
from assay.document.params import Params
from assay.document.reported_figure import Headline
from assay.document.run_verdict import EarlierValue
from assay.errors import InputError, warn
from assay.report.derive.software import differing
from assay.store import Run, known_runs

FILE = "summary.json"
MOST_RUNS = 20  # the newest ones


@dataclass(frozen=True)
class EarlierRun:
    """An earlier run of the same machine: its id and its main figures."""

    run: str
    lines: list[EarlierLine]


@dataclass(frozen=True, kw_only=True)
class EarlierLine:
    """Of a line of an earlier verdict what is needed to find the same main figure again, and its value (SI units).

    `figure`, by which it is found under another title, and `made_with`, the software that it depends on: None of
    versions that did not say. `chosen`: the parameters of whose values its case had the best one.
    """

    benchmark: str
    title: str
    unit: str
    params: Params
    value: float
    figure: str | None = None
    made_with: list[str] | None = None
    chosen: list[str] | None = None

    def of(self, benchmark: str, figure: Headline) -> bool:
        """Whether it is that main figure in that case: by the figure's name, or by the title where it has none.

        What the best was chosen of may differ: another length was the best one then.
        """
        chosen = set(figure.chosen or ())
        alike = self.chosen is None or set(self.chosen) == chosen  # None: a version that did not say
        left_out = chosen if alike else set[str]()
        same = (self.benchmark, self.unit) == (benchmark, figure.figure.unit)
        same &= self.params.without(left_out) == figure.figure.params.without(left_out)
        return same and (self.title == figure.title if self.figure is None else self.figure == figure.figure.name)


def earlier(run: Run) -> list[EarlierRun]:
    """Give the summaries of earlier runs of this machine, the newest first."""
    created, alike = run.about.get("created") or 0.0, ("machine", "described")
    found: list[EarlierRun] = []
    for other in reversed(_known()):
        same = all(other.about.get(key) == run.about.get(key) for key in alike)
        if len(found) >= MOST_RUNS or not same or (other.about.get("created") or 0.0) >= created:
            continue
        summary = _read(other)
        if summary is not None:
            found.append(EarlierRun(other.about["id"], summary))
    return found


def _known() -> list[Run]:
    try:
        return known_runs()
    except InputError as error:
        warn(f"{error}; earlier runs are not shown")
        return []


def _read(run: Run) -> list[EarlierLine] | None:
    path = run.folder / FILE
    try:
        read = dict(json.loads(path.read_text(encoding="utf-8")))
        lines = versions.current(versions.SUMMARY, read, versions.in_file(path))["lines"]
        return [from_json(EarlierLine, line) for line in lines if line["value"] is not None]
    except (OSError, ValueError, KeyError, TypeError):  # pydantic says a ValueError
        return None
    except InputError as error:
        warn(f"{error}; not shown")
        return None


def ticks(
    benchmark: str, figure: Headline, before: Sequence[EarlierRun], made_with: Sequence[str] = ()
) -> list[EarlierValue]:
    """Values of earlier runs for the same main figure and case; `made_with`: the software of this run's."""
    return [
        EarlierValue(run=of.run, value=other.value, made_with=differing(other.made_with or (), made_with) or None)
        for of in before
        for other in of.lines
        if other.of(benchmark, figure)
    ]
