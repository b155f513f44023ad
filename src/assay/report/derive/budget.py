"""What a budget left out of a run: what was cut beforehand, and what no longer fitted while it ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.benchmark.record import among
from assay.document.json_form import from_json
from assay.document.run_document import Skipped
from assay.document.spent import BudgetSpent
from assay.machine.units import waiting_time
from assay.store import Run


def budget_spent(run: Run) -> BudgetSpent | None:
    """Give it, from the run's run.json and journal; None of a run without a budget."""
    stated = run.about.get("budget")
    if not isinstance(stated, Mapping):
        return None
    entries = run.entries()
    ended = {entry["task"] for entry in entries if entry["event"] == "ended" and not entry.get("cut")}
    of = {entry["task"]: entry["about"]["benchmark"] for entry in entries if entry["event"] == "begun"}
    cut = {str(task): None for entry in entries if entry["event"] == "cut" for task in entry.get("tasks") or ()}
    cut |= {entry["task"]: None for entry in entries if entry["event"] == "ended" and entry.get("cut")}
    left = [task for task in cut if task not in ended]  # others were made when the run was resumed
    measured = {of[task] for task in ended}
    tasks = (run.about.get("plan") or {}).get("tasks") or []
    planned = dict.fromkeys(str(task["benchmark"]) for task in tasks if isinstance(task, dict))
    never = [name for name in planned if name not in measured] if left else []
    try:
        about = {**stated, "left_out": [*stated["left_out"], *never], "cut": len(left)}
        return from_json(BudgetSpent, about | {"text": words(about)})
    except (KeyError, TypeError, ValueError):  # damaged
        return None


def skipped(budget: BudgetSpent | None) -> list[Skipped]:
    """The benchmarks without a launch, as entries of a document's `left_out`."""
    names = [] if budget is None else budget.left_out
    known = among(names)
    reason = "" if budget is None else f"the budget of {budget.seconds:g} s has no time for it"
    titles = {name: known[name].title if name in known else name for name in names}
    return [Skipped(benchmark=name, title=titles[name], reason=reason, kind="budget") for name in names]


def words(of: Mapping[str, Any]) -> str:
    """What a budget leaves out, in one line; "" where everything fits.

    `of`: keys as of BudgetSpent without `text`, and without `cut` before anything was measured.
    """
    found = []
    if of["left_out"]:
        found.append(f"leaves out {', '.join(of['left_out'])}")
    if of["launches"] < of["planned"]:
        found.append(f"makes {of['launches']} of {of['planned']} launches")
    if of.get("cut"):
        found.append(f"ended before {of['cut']} planned launch{'es' * (of['cut'] > 1)}")
    if not found:
        return ""
    whole = f"all would take about {waiting_time(of['needed'])}"
    return "; ".join([f"the budget of {waiting_time(of['seconds'])} {found[0]}", *found[1:], whole])
