"""What disturbed a run, once: what took the processors, how much, when, which figures it touched, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from assay.case import Case
from assay.document.cause import Bystander, DisturbanceCause, MovedFigure
from assay.document.json_form import from_json
from assay.document.section import Section
from assay.report.derive.case_verdicts import Judged
from assay.store import Run

ADVICE = {
    "others": "wait until the machine is quiet (`assay doctor --watch` shows who works), use fewer processors than "
    "there are, or an exclusive node (`--via`)",
    "taken": "wait until the machine is quiet (`assay doctor --watch` shows who works), or use fewer processors",
    "steal": "another guest, or a quota of the hypervisor: measure at another time, or elsewhere (`--via`)",
    **dict.fromkeys(
        ("switches", "waited"),
        "start fewer ranks or threads than there are processors, and wait until the machine is quiet",
    ),
    "starved": "start fewer ranks or threads than there are processors; a cgroup's quota can be the reason as well",
    "faults": "use less memory, or measure again now that the files are in memory",
    "frequency": "fix the processor's frequency (`cpupower frequency-set -g performance`), or measure longer",
    "reference": "the machine's own speed changes, as a hypervisor's or a thermal limit does: measure at another time",
    "throttled": "look at the device's power limit and cooling (`nvidia-smi -q -d PERFORMANCE`, `amd-smi metric`)",
    "shared device": "stop the other processes on the device (`nvidia-smi` or `amd-smi process` lists them), or take "
    "another (`--device`)",
    "step": "something changed for good while it was measured: measure again, `assay doctor --watch` shows what",
    "samples": "look into the launch's own file",
    "quota": "lift the cgroup's quota of CPU time (cpu.max), or start as many threads as it allows",
    "shared processors": "start fewer ranks per node, or bind each to a core of its own",
    "stopped": "find out who stops processes here (a debugger, a batch system that suspends jobs), and measure again",
    "doubt": "see what the benchmark's notes say of it",
}
WORKING = ("others", "taken", "switches", "waited", "starved")  # causes that are processes, whose names may be known
NAMED = 3  # processes in a sentence


def beside(run: Run) -> dict[tuple[str, int], list[Bystander]]:
    """Which processes worked beside each launch, by benchmark and launch, as the session saw them (`beside`)."""
    begun = {entry["task"]: entry["about"] for entry in run.entries() if entry["event"] == "begun"}
    return {
        (begun[entry["task"]]["benchmark"], begun[entry["task"]]["launch"]): [
            from_json(Bystander, each) for each in entry.get("beside") or ()
        ]
        for entry in run.entries()
        if entry["event"] == "ended" and entry.get("beside") and entry["task"] in begun
    }


def causes(
    found: Sequence[tuple[Section, Judged]],
    who: Mapping[tuple[str, int], Sequence[Bystander]] = MappingProxyType({}),
) -> list[DisturbanceCause]:
    """Return what touched blocks, by cause and host, with the figures that each can have moved; the worst first.

    `who` worked beside the launches (`beside`); of each name the most that one launch saw is kept.
    """
    made: dict[tuple[str, str], _Gathered] = {}
    for section, result in found:
        for reason, cases in result.touched:
            of = made.setdefault((reason.rule, reason.host), _Gathered(reason.text, reason.begin, reason.end))
            if reason.amount and (of.amount is None or reason.amount > of.amount):  # nothing: it is not known
                of.amount, of.text = reason.amount, reason.text
            of.begin, of.end = min(of.begin, reason.begin), max(of.end, reason.end)
            of.figures += _figures(section, set(cases))
            if reason.rule in WORKING:
                for launch in reason.launches:
                    of.name(who.get((section.benchmark, launch), ()))
        for cause, text in result.unmeasured:
            begin, end = result.lasted
            of = made.setdefault((cause, ""), _Gathered(text, begin, end))
            of.begin, of.end = min(of.begin, begin), max(of.end, end)
            of.figures += [figure for figure in _figures(section, None) if figure not in of.figures]
    several = len({host for _, host in made if host}) > 1
    rows = []
    for (rule, host), of in made.items():
        of.figures.sort(key=_most, reverse=True)
        processes = sorted(of.processes.values(), key=lambda each: -each.share)
        named = ", ".join(f"{each.name} {each.share:.2g}" for each in processes[:NAMED])
        rows.append(
            DisturbanceCause(
                cause=rule,
                host=host,
                text=(f"{host}: " if several and host else "")
                + of.text
                + (f"; running at the same time, hardware threads busy (mean over a launch): {named}" if named else ""),
                begin=of.begin,
                end=of.end,
                amount=of.amount,
                figures=of.figures,
                processes=processes,
                advice=ADVICE.get(rule, ""),
            )
        )
    return sorted(rows, key=lambda row: _most(row.figures[0]) if row.figures else 0.0, reverse=True)


@dataclass
class _Gathered:
    """A cause while its figures are gathered."""

    text: str
    begin: float
    end: float
    amount: float | None = None
    figures: list[MovedFigure] = field(default_factory=list)
    processes: dict[str, Bystander] = field(default_factory=dict)

    def name(self, processes: Sequence[Bystander]) -> None:
        """Add the processes beside a launch: of each name the most."""
        for each in processes:
            if each.name not in self.processes or each.share > self.processes[each.name].share:
                self.processes[each.name] = each


def _figures(section: Section, cases: set[tuple[str, Case]] | None) -> list[MovedFigure]:
    """The figures of a section, by the estimator that stands: of these metrics and cases, None: of all.

    A best reading beside an estimate is not one: nothing says how far it was moved.
    """
    estimated = {(each.name, each.params, each.host) for each in section.figures if each.main}
    return [
        MovedFigure(
            benchmark=section.benchmark,
            figure=figure.name,
            params=figure.params,
            state=figure.state,
            low=figure.disturbance.low if figure.disturbance else None,
            high=figure.disturbance.high if figure.disturbance else None,
        )
        for figure in section.figures
        if (figure.main or (figure.statistic == "best" and (figure.name, figure.params, figure.host) not in estimated))
        and (cases is None or (figure.metric, figure.params) in cases)
    ]


def _most(figure: MovedFigure) -> float:
    """By how much a figure can have been moved; what is not known comes first."""
    return float("inf") if figure.most is None else figure.most
