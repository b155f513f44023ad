"""A contract's verdicts as JUnit XML: a suite for each requirement, a case for each node."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from assay.document.acceptance import Acceptance, NodeVerdict, RequirementVerdict
from assay.exporters.junit import count_cases, text_of
from assay.report.units import human
from assay.sanitised import visible

OUTCOMES = {"rejected": "failure", "not shown": "skipped"}


def junit(of: Acceptance) -> str:
    """Write the document: rejected is a failure, not shown is skipped with its reason.

    A requirement that its share of the nodes meets has passed, whatever the others do: they are skipped, and text.
    """
    root = Xml.Element("testsuites", name=visible(f"assay accept {of.contract.name}"))
    for requirement in of.requirements:
        suite = Xml.SubElement(root, "testsuite", name=visible(requirement.name))
        count_cases(suite, [_case(suite, requirement, node) for node in requirement.nodes])
    return text_of(root)


def _case(suite: Xml.Element, requirement: RequirementVerdict, node: NodeVerdict) -> Xml.Element:
    where = f"{requirement.benchmark}.{requirement.figure}"
    name = f"{requirement.name} on {node.node}"
    case = Xml.SubElement(suite, "testcase", name=visible(name), classname=visible(f"assay.{where}"), time="0")
    unit, sign = requirement.unit, ">=" if requirement.better == "higher" else "<="
    text = f"{human(node.value, unit)}, limit {sign} {human(requirement.limit, unit)}"
    tag = OUTCOMES.get(node.verdict)
    if tag is not None:
        if requirement.verdict != "rejected":
            tag = "skipped"
        Xml.SubElement(case, tag, message=visible(f"{node.verdict}: {text}" + (f"; {node.reason}" * bool(node.reason))))
    else:
        Xml.SubElement(case, "system-out").text = visible(f"accepted: {text}, launches: {node.launches}")
    return case
