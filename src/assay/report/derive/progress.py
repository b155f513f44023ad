"""How far a run came that was interrupted or still measures: its plan beside its journal."""

from __future__ import annotations

from assay.document.run_verdict import Finding
from assay.document.unfinished import Unfinished
from assay.report.units import few
from assay.store import Run

MOST_NAMED = 6  # benchmarks that were never begun


def unfinished(run: Run) -> Unfinished | None:
    """Count what ended and name what was never begun; None where the run has ended, or holds no plan."""
    state = run.state
    plan = run.about.get("plan") or {}
    tasks = plan.get("tasks")
    if state not in ("interrupted", "running") or not isinstance(tasks, list):
        return None
    planned = [task for task in tasks if isinstance(task, dict) and isinstance(task.get("benchmark"), str)]
    entries = run.entries()
    begun = {entry["about"]["benchmark"] for entry in entries if entry["event"] == "begun"}
    begun |= {entry["benchmark"] for entry in entries if entry["event"] == "left out"}
    never = dict.fromkeys(task["benchmark"] for task in planned if task["benchmark"] not in begun)
    return Unfinished(
        state=state,
        launches=len({entry["task"] for entry in entries if entry["event"] == "ended"}),
        planned=len(planned),
        most=bool(plan.get("spending")),
        never_begun=list(never),
    )


def finding(found: Unfinished, folder: str) -> Finding:
    """One line for the first screen, with how to go on; it stands first, as all below rests on a part of the run."""
    state = "was interrupted" if found.state == "interrupted" else "is still being measured"
    text = f"this run {state}: {found.launches} of {'at most ' if found.most else ''}{found.planned} launches ended"
    if found.never_begun:
        text += f"; never begun: {few(found.never_begun, MOST_NAMED)}"
    advice = f"`assay evaluate --resume {folder}` goes on" if found.state == "interrupted" else "wait for its end"
    return Finding(weight=100, kind="missing", text=text, advice=advice)
