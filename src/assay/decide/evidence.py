"""A run's evidence for a requirement: of each node one figure of the case, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.benchmark.record import Benchmark
from assay.decide.contract import Requirement
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive import document
from assay.store import Run

TOGETHER = "all ranks"  # in the place of a node's name: what several ranks give together

STATES = {"bound": "only a bound is known"}


@dataclass(frozen=True)
class NodeEvidence:
    """What was measured on one node, or by all ranks together.

    `figure`: None where there is none; `note` gives the reason. A figure with a `note` is not accepted.
    `exact`: launches give no other value, as of a described machine.
    """

    node: str
    figure: ReportedFigure | None
    note: str | None = None
    exact: bool = False


@dataclass(frozen=True)
class SectionsByNode:
    """What a run has of one benchmark: its figures by node, nodes that are missing, and notes about all of it."""

    sections: Mapping[str, Section]
    missing: tuple[str, ...]
    note: str | None
    described: bool


def sections_by_node(run: Run, record: Benchmark) -> SectionsByNode:
    """Derive a benchmark's figures, of a node program by node.

    A planned node that gave nothing is `missing`: by its number, as its name is not known.
    """
    notes = list(run.damage().texts)
    failed = sum(entry["benchmark"] == record.name for entry in document.failures(run))
    if failed:
        notes.append(f"{failed} launch{'es' * (failed > 1)} failed")
    described = bool(run.about.get("described"))
    if record.kind != "node":
        one = document.section(run, record.name, figures_only=True)
        found = {} if one is None else {TOGETHER: one}
        return SectionsByNode(found, (), "; ".join(notes) or None, described)
    files = [file for about, file in run.tasks() if about.benchmark == record.name]
    hosts = sorted({host for file in files for host in document.hosts_of(file, complete=True)})
    made = {host: document.section(run, record.name, figures_only=True, host=host) for host in hosts}
    wanted = (run.about.get("wishes") or {}).get("nodes")
    count = wanted if isinstance(wanted, int) and not described else len(hosts)
    missing = tuple(f"node {number} of {count}, without a result" for number in range(len(hosts) + 1, count + 1))
    sections = {host: each for host, each in made.items() if each is not None}
    return SectionsByNode(sections, missing, "; ".join(notes) or None, described)


def evidence(requirement: Requirement, found: SectionsByNode) -> list[NodeEvidence]:
    """Pick a requirement's figure on each node."""
    made = [_of_section(requirement, node, section, found) for node, section in found.sections.items()]
    made += [NodeEvidence(node, None, "was not measured") for node in found.missing]
    return made or [NodeEvidence(TOGETHER, None, f"{requirement.record.name} was not measured")]


def _of_section(requirement: Requirement, node: str, section: Section, found: SectionsByNode) -> NodeEvidence:
    named = [each for each in section.figures if each.name == requirement.figure.name and each.main]
    fitting = [each for each in named if _fits(requirement.case, each.params)]
    if len(fitting) != 1:
        return NodeEvidence(node, None, _ambiguous(fitting) if fitting else _absent(requirement, named, section))
    figure = fitting[0]
    notes = [] if found.note is None else [found.note]
    if figure.state != "clean":
        reasons = ", ".join(figure.reasons) or "; ".join(section.warnings[:1])
        notes.append(f"{STATES.get(figure.state, figure.state)}{f' ({reasons})' if reasons else ''}")
    values = {value for _, value in figure.by_launch}
    exact = len(values) == 1 and (found.described or figure.metric in requirement.record.exact)
    return NodeEvidence(node, figure, "; ".join(notes) or None, exact)


def _fits(case: Mapping[str, object], params: Mapping[str, object]) -> bool:
    return all(
        key in params and (params[key] == value or str(params[key]) == str(value)) for key, value in case.items()
    )


def _ambiguous(fitting: Sequence[ReportedFigure]) -> str:
    keys = dict.fromkeys(key for each in fitting for key in each.params)
    differing = [key for key in keys if len({str(each.params.get(key)) for each in fitting}) > 1]
    return f"{len(fitting)} cases fit: the case must also give {', '.join(differing)}"


def _absent(requirement: Requirement, named: Sequence[ReportedFigure], section: Section) -> str:
    if not named:
        reason = "; ".join(section.warnings[:1]) or "no launch gave it"
        return f"{requirement.figure.name} has no value: {reason}"
    for key, value in requirement.case.items():
        values = sorted(
            {str(each.params[key]) for each in named if key in each.params}, key=lambda text: (len(text), text)
        )
        if str(value) not in values:
            accepted = ", ".join(values[:8]) or f"no such parameter: {', '.join(named[0].params)}"
            return f"no case has {key} = {value} (there is: {accepted})"
    return "no case has all of these parameters together"
