"""Documents made for tests of the verdict: parts with headlines, earlier runs, and what is judged of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.document.json_form import from_json, to_json
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.judge.history import EarlierLine, EarlierRun
from assay.report.judge.verdict import verdict
from made_documents import section

Json = dict[str, Any]


def judge(run: Document, before: Sequence[EarlierRun] = ()) -> Json:
    """The verdict as `summary.json` has it."""
    found: Json = to_json(verdict(run, None, before))
    return found


def part(name: str, of: str, *headlines: Json, figures: list[Json] | None = None, **more: Any) -> Section:
    return section(name, figures or list(headlines), part=of, headlines=list(headlines), title=name.title(), **more)


def earlier(run: str, *lines: Json) -> EarlierRun:
    return EarlierRun(run, [from_json(EarlierLine, line) for line in lines])
