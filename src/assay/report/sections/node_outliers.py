"""Nodes whose figures differ from those of the others, by name, at a stated rate of false names over all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from assay.analysis.nodes import FALSE_NAMES, MARGIN, named_of
from assay.document.fleet import DifferingNode
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.machine.drain import drain_line
from assay.report.judge.finding_lines import finding
from assay.report.registry import ReportSection, RunPlace, RunSource, RunView
from assay.report.units import human

TITLE = "Nodes that differ"
MOST_NAMED = 2  # in findings, of each benchmark
TAKEN_BY_OTHERS = ("others", "taken", "steal")  # causes by which a node is slow that has no fault
REPEATS = 16  # launches that a repetition of suspects is proposed with


def _complete(source: RunSource, document: Document) -> Document:
    """Name the nodes for which all benchmarks of the run together leave little doubt."""
    judged = [section for section in document.benchmarks if section.fleet is not None]
    odd = [node for section in judged for node in section.odd_nodes]
    named = iter(named_of([node.p for node in odd], sum(section.fleet.tests for section in judged if section.fleet)))
    made = {section.benchmark: _named(section, named) for section in judged}
    return replace(document, benchmarks=[made.get(each.benchmark, each) for each in document.benchmarks])


def _named(section: Section, named: Iterator[bool]) -> Section:
    assert section.fleet is not None  # as the caller has chosen
    odd = [replace(node, named=next(named)) for node in section.odd_nodes]
    return replace(section, odd_nodes=odd, fleet=replace(section.fleet, false_names=FALSE_NAMES))


def _tables(document: Document) -> list[Grid]:
    rows = [
        (section.benchmark, odd.host, odd.figure, human(odd.value, odd.unit), odd.text, _status(odd))
        for section in document.benchmarks
        for odd in section.odd_nodes
    ]
    headings = ("benchmark", "node", "figure", "value", "compared with the others", "status")
    return [grid(TITLE, headings, rows, _note(document), left=3)] if rows else []


def _status(odd: DifferingNode) -> str:
    return "named" if odd.named else "suspect"


def _note(document: Document) -> str:
    tests = sum(section.fleet.tests for section in document.benchmarks if section.fleet)
    return (
        f"Named: of runs on nodes that all are within {MARGIN:.0%} of their median, at most {FALSE_NAMES:.0%} name one "
        f"({tests} nodes and cases together). Suspect: {REPEATS} launches on it and on a few others would decide."
    )


def _lines(document: Document) -> list[str]:
    """Lines for `scontrol`, of nodes that are named, worse, and not shared with others' work; printed, never run."""
    shared = {cause.host for cause in document.causes if cause.cause in TAKEN_BY_OTHERS}
    worse: dict[str, list[str]] = defaultdict(list)
    for section in document.benchmarks:
        for odd in section.odd_nodes:
            if odd.named and odd.worse and odd.host not in shared:
                worse[odd.host].append(f"{section.benchmark} {odd.figure.replace('_', ' ')} {odd.text}")
    return [drain_line(node, f"{words[0]} (run {document.run})") for node, words in worse.items()]


def _findings(document: Document) -> Iterator[Finding]:
    for section in document.benchmarks:
        for odd in sorted(section.odd_nodes, key=lambda each: not each.named)[:MOST_NAMED]:
            disturbed = next((cause.text for cause in document.causes if cause.host == odd.host), None)
            why = f"; {disturbed}" if disturbed else ""
            if odd.named:
                text = f"node {odd.host} differs in {section.title}: {odd.text}{why}"
                yield finding(70, "odd", text, "look at that node, or leave it out of the allocation")
            else:
                text = f"node {odd.host} may differ in {section.title}: {odd.text}{why}"
                yield finding(64, "odd", text, _repetition(section, odd))


def _repetition(section: Section, odd: DifferingNode) -> str:
    """How to repeat a suspect with a few others that are none."""
    suspects = {each.host for each in section.odd_nodes}
    levels = section.fleet.levels if section.fleet else []
    usual = [host for of in levels[:1] for host in of.nodes if host not in suspects][:3]
    nodes = ",".join([odd.host, *usual])
    words = f"assay run {section.benchmark} --via 'slurm:--nodelist={nodes}' -N {1 + len(usual)} --launches {REPEATS}"
    return f"repeat there and on a few others: {words}"


SECTION = ReportSection(
    order=700,
    complete=_complete,
    findings=_findings,
    of_run=RunView(
        place=RunPlace.TOP,
        title=lambda document: TITLE,
        anchor="differing-nodes",
        tables=_tables,
        lines=_lines,
    ),
)
