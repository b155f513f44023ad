"""What disturbed a run, once: who took the processors, how much, when, which figures it touched, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.analysis.disturbance import Reason
from assay.report.judging import Judged
from assay.samples import case_text

ADVICE = {
    "others": "wait until the machine is quiet (`assay doctor --watch` shows who works), use fewer processors than "
    "there are, or a node of one's own (`--via`)",
    "taken": "wait until the machine is quiet (`assay doctor --watch` shows who works), or use fewer processors",
    "steal": "another guest, or a quota of the hypervisor: measure at another time, or elsewhere (`--via`)",
    "switches": "start fewer ranks or threads than there are processors, and wait until the machine is quiet",
    "starved": "start fewer ranks or threads than there are processors; a cgroup's quota can be the reason as well",
    "faults": "use less memory, or measure again now that the files are in memory",
    "frequency": "fix the processor's frequency (`cpupower frequency-set -g performance`), or measure longer",
    "reference": "the machine's own speed changes, as a hypervisor's or a thermal limit does: measure at another time",
    "step": "something changed for good while it was measured: measure again, `assay doctor --watch` shows what",
    "samples": "look into the launch's own file",
}


def causes(found: Sequence[tuple[dict[str, Any], Judged]]) -> list[dict[str, Any]]:
    """Return what touched blocks, by cause and host, with the figures that each can have moved; the worst first.

    `from` and `to` are Unix seconds, `amount` is in the rule's unit (processors, switches a second, relative change),
    a figure's `low` and `high` as in its `disturbance`, None where that is not known.
    """
    made: dict[tuple[str, str], dict[str, Any]] = {}
    worst: dict[tuple[str, str], Reason] = {}
    for section, result in found:
        for reason, cases in result.touched:
            key = reason.rule, reason.host
            if key not in worst or reason.amount > worst[key].amount:
                worst[key] = reason
            of = made.setdefault(key, {"from": reason.begin, "to": reason.end, "amount": reason.amount, "figures": []})
            of["from"], of["to"] = min(of["from"], reason.begin), max(of["to"], reason.end)
            of["amount"] = max(of["amount"], reason.amount)
            of["figures"] += _figures(section, set(cases))
    several = len({host for _, host in made}) > 1
    rows = []
    for key, of in made.items():
        rule, host = key
        text = worst[key].text
        of["figures"].sort(key=_most, reverse=True)
        rows.append(
            {"cause": rule, "text": f"{host}: {text}" if several and host else text, "host": host, **of}
            | {"advice": ADVICE.get(rule, "")}
        )
    return sorted(rows, key=lambda row: _most(row["figures"][0]) if row["figures"] else 0.0, reverse=True)


def _figures(section: dict[str, Any], cases: set[tuple[str, str]]) -> list[dict[str, Any]]:
    """The figures of a section that are made from these metrics and cases, by the estimator that stands."""
    return [
        {
            "benchmark": section["benchmark"],
            "figure": figure["name"],
            "params": figure["params"],
            "state": figure["state"],
            **(figure["disturbance"] or {"low": None, "high": None}),
        }
        for figure in section["figures"]
        if (figure["metric"], case_text(figure["params"])) in cases and figure["statistic"] in ("median", "best")
    ]


def _most(figure: dict[str, Any]) -> float:
    """By how much a figure can have been moved; what is not known comes first."""
    if figure["low"] is None:
        return float("inf")
    return float(max(abs(figure["low"]), abs(figure["high"])))
