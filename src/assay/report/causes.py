"""What disturbed a run, once: who took the processors, how much, when, which figures it touched, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from assay.report.judging import Judged
from assay.samples import case_text
from assay.store import Run

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
    "quota": "lift the cgroup's quota of processors' time (cpu.max), or start as many threads as it allows",
    "shared processors": "start fewer ranks per node, or bind each to a core of its own",
    "doubt": "see what the benchmark's notes say of it",
}
WORKING = ("others", "taken", "switches", "starved")  # causes that are processes, whose names may be known
NAMED = 3  # processes in a sentence


def beside(run: Run) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """Which processes worked beside each launch, by benchmark and launch, as the session saw them (`beside`)."""
    begun = {entry["task"]: entry["about"] for entry in run.entries() if entry.get("event") == "begun"}
    return {
        (begun[entry["task"]]["benchmark"], begun[entry["task"]]["launch"]): entry["beside"]
        for entry in run.entries()
        if entry.get("event") == "ended" and entry.get("beside") and entry["task"] in begun
    }


def causes(
    found: Sequence[tuple[dict[str, Any], Judged]],
    who: Mapping[tuple[str, int], Sequence[dict[str, Any]]] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Return what touched blocks, by cause and host, with the figures that each can have moved; the worst first.

    `from` and `to` are Unix seconds, `amount` is in the rule's unit (processors, switches a second, relative change;
    None where nobody measured it), a figure's `low` and `high` as in its `disturbance`, None where that is not known.
    `processes`: who worked beside the launches that were touched (`beside`), with the most that one launch saw.
    """
    made: dict[tuple[str, str], dict[str, Any]] = {}
    for section, result in found:
        for reason, cases in result.touched:
            of = made.setdefault((reason.rule, reason.host), _new(reason.text, reason.begin, reason.end))
            if of["amount"] is None or reason.amount > of["amount"]:
                of["amount"], of["text"] = reason.amount, reason.text
            of["from"], of["to"] = min(of["from"], reason.begin), max(of["to"], reason.end)
            of["figures"] += _figures(section, set(cases))
            if reason.rule in WORKING:
                for launch in reason.launches:
                    _name(of["processes"], who.get((section["benchmark"], launch), ()))
        for cause, text in result.doubts:
            begin, end = result.lasted
            of = made.setdefault((cause, ""), _new(text, begin, end))
            of["from"], of["to"] = min(of["from"], begin), max(of["to"], end)
            of["figures"] += [figure for figure in _figures(section, None) if figure not in of["figures"]]
    several = len({host for _, host in made if host}) > 1
    rows = []
    for (rule, host), of in made.items():
        of["figures"].sort(key=_most, reverse=True)
        of["processes"] = sorted(of["processes"].values(), key=lambda each: -each["share"])
        named = ", ".join(f"{each['name']} ({each['share']:.2g})" for each in of["processes"][:NAMED])
        text = (f"{host}: " if several and host else "") + of["text"] + (f"; seen beside it: {named}" if named else "")
        rows.append({"cause": rule, "host": host, **of, "text": text, "advice": ADVICE.get(rule, "")})
    return sorted(rows, key=lambda row: _most(row["figures"][0]) if row["figures"] else 0.0, reverse=True)


def _new(text: str, begin: float, end: float) -> dict[str, Any]:
    return {"text": text, "from": begin, "to": end, "amount": None, "figures": [], "processes": {}}


def _name(known: dict[str, dict[str, Any]], processes: Sequence[dict[str, Any]]) -> None:
    for each in processes:
        if each["name"] not in known or each["share"] > known[each["name"]]["share"]:
            known[each["name"]] = dict(each)


def _figures(section: dict[str, Any], cases: set[tuple[str, str]] | None) -> list[dict[str, Any]]:
    """The figures of a section, by the estimator that stands: of these metrics and cases, None: of all."""
    return [
        {
            "benchmark": section["benchmark"],
            "figure": figure["name"],
            "params": figure["params"],
            "state": figure["state"],
            **(figure["disturbance"] or {"low": None, "high": None}),
        }
        for figure in section["figures"]
        if figure["statistic"] in ("median", "best")
        and (cases is None or (figure["metric"], case_text(figure["params"])) in cases)
    ]


def _most(figure: dict[str, Any]) -> float:
    """By how much a figure can have been moved; what is not known comes first."""
    if figure["low"] is None:
        return float("inf")
    return float(max(abs(figure["low"]), abs(figure["high"])))
