"""Versions of the files that Assay keeps: what each is, which version is written, what is read.

Every file that is written for later says the version of its form, a whole number under `version`: JSON documents and
each line of JSON at their top, descriptions in TOML likewise, Parquet tables in their schema's metadata, the index of
runs in its first line. In files that people write (machines, networks, studies) the key may be left out.

* A newer version than this Assay knows is refused in one line, and so is what is no version.
* A file without a version is of version 0: it was written before versions were. What later versions added is said
  beside each form.
* Whoever changes a form raises its version here, and adds the step that makes the version before into it; every reader
  gets documents of the newest version, without the key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InputError

KEY = "version"
MOST_DIGITS = 9
Document = dict[str, Any]
Refusal = Callable[[str, object, str], InputError]  # from problem, value seen, what is accepted


def _unchanged(document: Document) -> Document:
    return document


def _kinds_of_skipped(run: Document) -> Document:
    """Tell by the reason of each skipped benchmark which kind it is, as it was before runs said so."""
    skipped = run.get("left_out")
    if not isinstance(skipped, list):
        return run

    def kind(reason: object) -> str:
        return "ranks" if re.match(r"needs \d+ ranks, each on ", str(reason)) else "software"

    return run | {
        "left_out": [{"kind": kind(each.get("reason"))} | each if isinstance(each, dict) else each for each in skipped]
    }


def _kinds_of_evidence(document: Document) -> Document:
    """Say simulated of figures that were called predicted: which of them are evidence was not computed."""
    return {
        key: _renamed(value) if key != "kind" else ("simulated" if value == "predicted" else value)
        for key, value in document.items()
    }


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return _kinds_of_evidence(value)
    return [_renamed(each) for each in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Form:
    """One kind of file: the version that is written, and the steps from each version to the next, from 0."""

    what: str
    version: int = 1
    steps: tuple[Callable[[Document], Document], ...] = (_unchanged,)


# 2: build variants, which a reader of 1 would not measure by; 3: the kind of reason of what was skipped; 4: its
# checksum, and those of the files of a run that has ended.
RUN = Form("run.json", 4, (_unchanged, _unchanged, _kinds_of_skipped, _unchanged))
# 2 of lines, here and below: each has its place in the file and a checksum (stored/seal.py).
# 3 of a launch: doubts, skips and cuts are events of their own; older notes are read by remarks.from_note().
JOURNAL = Form("a line of a run's journal", 2, (_unchanged, _unchanged))
LAUNCH = Form("a launch's lines", 3, (_unchanged,) * 3)  # written by the programs: programs/timing/launch.hpp
TABLES = Form("a run's Parquet tables")
CIRCUMSTANCES = Form("circumstances of launches")
SUMMARY = Form("summary.json")
INDEX = Form("the index of runs")
# 2: the kinds of described machines' figures and of published cells are those of `assay.kinds`, no longer "predicted".
# 3: `ratio` of a row of `compare` may be null, where the work of both is unlike.
# 4: verdicts and outcomes "inconclusive", which had another word; documents of throughput tests, which alone are
# read again, have none.
DOCUMENT = Form("a JSON document of a verb", 4, (_unchanged, _kinds_of_evidence, _unchanged, _unchanged))
MACHINE = Form("a machine's description")
NETWORK = Form("a network's description")
STUDY = Form("a study")
CONTRACT = Form("a contract")
POINT = Form("a line of a sweep", 2, (_unchanged, _unchanged))
JOBS = Form("a table of jobs")
# Written by programs/jobs/job_record.cpp; 2: the check that failed, beside a status that need not be 0; 3: when
# its starter began, in the kernel's ticks, and checksums.
JOB_RECORD = Form("a job's record", 3, (_unchanged, _unchanged, _unchanged))
SUBMISSIONS = Form("a line of a submission log", 2, (_unchanged, _unchanged))
# 2: its checksum, and those of the files of a test that has ended.
EXPERIMENT = Form("the plan of a throughput test", 2, (_unchanged, _unchanged))
BATCH = Form("a machine of a batch system")
OWN_PROGRAMS = Form("the list of own programs")
LEDGER = Form("the ledger of folders")

FORMS = tuple(form for form in list(globals().values()) if isinstance(form, Form))


def in_file(file: Path, line: int | None = None) -> Refusal:
    """Refusals that name a file, and a line of it."""

    def refusal(problem: str, value: object, accepted: str) -> InputError:
        return InputError(problem, file=file, line=line, key=KEY, value=value, accepted=accepted)

    return refusal


def written(text: str) -> object:
    """Return the version that a text says; the text itself where it says none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else text


def checked(form: Form, stated: object, refusal: Refusal) -> int:
    """Return a version that is stated and known. InputError where it is newer, or is none."""
    accepted = f"{form.version} or less, which this Assay reads" if form.version else "0"
    if type(stated) is not int or stated < 0:
        raise refusal("is no version", stated, f"a whole number, {accepted}")
    if stated > form.version:
        raise refusal(f"{form.what} was written by a newer Assay", stated, accepted)
    return stated


def current(form: Form, document: Mapping[str, Any], refusal: Refusal) -> Document:
    """Return a document as the newest version has it, without its version. InputError where it cannot be read."""
    version = checked(form, document[KEY], refusal) if KEY in document else 0
    made = {key: value for key, value in document.items() if key != KEY}
    for step in form.steps[version:]:
        made = step(made)
    return made


def marked(form: Form, document: Mapping[str, Any]) -> Document:
    """Return a document with the version that is written now, first; one that states its own keeps that."""
    return {KEY: form.version, **document}
