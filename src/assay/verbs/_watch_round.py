"""One round of `assay watch`: a run with the label `watch`, its metrics, and the history that it now belongs to."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from assay.decide.history import status
from assay.decide.watch_metrics import write_metrics
from assay.document.history import WatchRound
from assay.document.run_document import Document
from assay.errors import MeasurementError
from assay.report.derive.empty_run import nothing_measured
from assay.report.judge.verdict import judged
from assay.report.render.one_line import one_line, why_not
from assay.report.render.page import write
from assay.store import Run
from assay.verbs._compared_document import whole
from assay.verbs._history import history_of
from assay.verbs._history_shown import change, last, worse
from assay.verbs._interrupts import report_can_be_made_again
from assay.verbs._measuring import measure
from assay.verbs._run_request import EvaluationOptions, evaluation

LABEL = "watch"


class RoundOptions(TypedDict):
    """Options of `assay watch` that a round has."""

    only: str | None
    profile: str
    budget: str | None
    metrics: Path | None
    regression: str | None


def round_of(options: RoundOptions, *, limit: float | None, quiet: bool, json: bool) -> tuple[WatchRound, int]:
    """Make the round and report its results; its document, and the exit status."""
    run, made, failures = measure_round(options, quiet or json)
    metrics = options["metrics"]
    if metrics is not None:
        write_metrics(run, made, metrics)
    found = history_of(None, str(run.about.get("machine")), limit=limit, quiet=True)
    new = [each for each in found.changes if each.found_by == run.about["id"]]
    if not json:
        if (reason := why_not(made)) and quiet:
            print(reason, file=sys.stderr)
        lines = [one_line(made), *(change(each, found) for each in new), *worse(found), last(found)]
        print("\n".join(lines[-1:] if quiet else lines))
    failed = failures or (not made.valid and not nothing_measured(made))
    answer = WatchRound(
        run=str(run.about["id"]),
        folder=str(run.folder),
        state=made.state,
        failures=failures,
        metrics=None if metrics is None else str(metrics),
        new=new,
        history=found,
    )
    return answer, 1 if failed else status(found)


def measure_round(options: RoundOptions, quiet: bool) -> tuple[Run, Document, int]:
    """Make the run, its document and its page; how many launches failed."""
    given = EvaluationOptions(
        on=None, via=None, nodes=None, ppn=None, placement=None, profile=options["profile"], only=options["only"],
        launches=None, within=None, budget=options["budget"], timeout=None, seed=1, compilers=None, flags=None,
        isas=None, mpis=None, transports=None,
    )  # fmt: skip
    found = evaluation(given, lambda text: print(text, file=sys.stderr))
    if found.request is None:
        raise MeasurementError("nothing of this can be measured here")
    run, failures = measure(found.request, None, label=LABEL, left_out=found.skipped, quiet=quiet)
    with report_can_be_made_again(run):
        made = judged(run, whole(run))
        return run, replace(made, report=str(write(run, made))), len(failures)
