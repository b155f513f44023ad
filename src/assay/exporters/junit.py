"""JUnit XML, as continuous integration reads it: a suite for each benchmark, a case for each figure.

A figure whose check failed is a failure; one that was not measured, or has only a bound, is skipped with
its reason: it has not passed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TextIO
from xml.etree import ElementTree as Xml

from assay.document.reported_figure import ReportedFigure
from assay.exporters import Exporter, ExportSource
from assay.sanitised import visible


def write(source: ExportSource, out: TextIO) -> int:
    """Write the document; how many cases there are."""
    document = source.document
    root = Xml.Element("testsuites", name=f"assay {document.run}")
    count = 0
    for section in document.benchmarks:
        suite = Xml.SubElement(root, "testsuite", name=section.benchmark)
        if (created := source.run.about.get("created")) is not None:
            suite.set("timestamp", time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(created)))
        cases = [_case(suite, figure) for figure in section.figures]
        if not cases:
            one = Xml.SubElement(suite, "testcase", name=section.benchmark, classname=section.benchmark, time="0")
            Xml.SubElement(one, "skipped", message=visible("; ".join(section.warnings) or "nothing was measured"))
            cases = [one]
        count_cases(suite, cases)
        count += len(cases)
    out.write(text_of(root))
    return count


def count_cases(suite: Xml.Element, cases: Sequence[Xml.Element]) -> None:
    """Record in a suite how many cases it has, and how many of them failed or were skipped."""
    suite.set("tests", str(len(cases)))
    for key, tag in (("failures", "failure"), ("skipped", "skipped")):
        suite.set(key, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("errors", "0")


def text_of(root: Xml.Element) -> str:
    """Give the whole document as text."""
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _case(suite: Xml.Element, figure: ReportedFigure) -> Xml.Element:
    params = ", ".join(f"{key}={value}" for key, value in figure.given.items())
    name = " ".join(part for part in (figure.name, figure.statistic, params and f"({params})") if part)
    case = Xml.SubElement(suite, "testcase", name=visible(name), classname=f"assay.{figure.benchmark}", time="0")
    reason = visible("; ".join(figure.reasons) or figure.state)
    if figure.state == "invalid":
        Xml.SubElement(case, "failure", message=reason)
    elif figure.state == "bound":
        Xml.SubElement(case, "skipped", message=f"only a bound is known: {reason}")
    else:
        Xml.SubElement(case, "system-out").text = f"{figure.value!r} {figure.unit} ({figure.state})"
    return case


EXPORTER = Exporter("junit", "JUnit XML", (".xml",), write, of_figures=True)
