"""Versions of the files that Assay keeps: what each is, which version is written, what is read.

Every stored file has the version of its format, a whole number under `version`: JSON documents and
each line of JSON at their top, descriptions in TOML likewise, Parquet tables in their schema's metadata, the index of
runs in its first line. In files that people write (machines, networks, studies) the key may be left out.

* A newer version than this Assay knows is refused in one line, and so is what is no version.
* A version that no release wrote is refused, too: release 0.2.0 was the first, and wrote the oldest that is read.
* A file without a version is read as the oldest.
* A change of a form raises its version here, and adds the step that makes the version before into it; every reader
  gets documents of the newest version, without the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from assay.errors import InputError

KEY = "version"
MOST_DIGITS = 9
Document = dict[str, object]
Value = TypeVar("Value")
Refusal = Callable[[str, object, str], InputError]  # from problem, value seen, what is accepted


def _unchanged(document: Document) -> Document:
    return document


@dataclass(frozen=True)
class Form:
    """One kind of file: the version that is written, and the last steps to it, each from one version to the next."""

    what: str
    version: int = 1
    steps: tuple[Callable[[Document], Document], ...] = ()

    @property
    def oldest(self) -> int:
        """The oldest version that is read."""
        return self.version - len(self.steps)


RUN = Form("run.json", 4)
JOURNAL = Form("a line of a run's journal", 2)
# 3: doubts, skips and cuts are events of their own; older notes are read by remarks.from_note().
LAUNCH = Form("a launch's lines", 3, (_unchanged,))  # written by the programs: programs/timing/launch.hpp
TABLES = Form("a run's Parquet tables")
CIRCUMSTANCES = Form("circumstances of launches")
SUMMARY = Form("summary.json")
INDEX = Form("the index of runs")
# 4: verdicts and outcomes "inconclusive", which had another word; documents of throughput tests, which alone are
# read again, have none.
DOCUMENT = Form("a JSON document of a verb", 4, (_unchanged,))
MACHINE = Form("a machine's description")
NETWORK = Form("a network's description")
STUDY = Form("a study")
CONTRACT = Form("a contract")
POINT = Form("a line of a sweep", 2)
JOBS = Form("a table of jobs")
JOB_RECORD = Form("a job's record", 3)  # written by programs/jobs/job_record.cpp
SUBMISSIONS = Form("a line of a submission log", 2)
EXPERIMENT = Form("the plan of a throughput test", 2)
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
    """Return the version in a text; the text itself where it has none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else text


def checked(form: Form, stated: object, refusal: Refusal) -> int:
    """Return a version that is stated and known. InputError where it is newer, too old, or no version."""
    accepted = f"{form.version} or less, which this Assay reads"
    if type(stated) is not int or stated < 0:
        raise refusal("is no version", stated, f"a whole number, {accepted}")
    if stated > form.version:
        raise refusal(f"{form.what} was written by a newer Assay", stated, accepted)
    if stated < form.oldest:
        readable = str(form.version) if form.oldest == form.version else f"{form.oldest} to {form.version}"
        raise refusal(f"{form.what} was written before the first release", stated, readable)
    return stated


def current(form: Form, document: Mapping[str, Value], refusal: Refusal) -> dict[str, Value]:
    """Return a document as the newest version has it, without its version. InputError where it cannot be read."""
    version = checked(form, document[KEY], refusal) if KEY in document else form.oldest
    made = {key: value for key, value in document.items() if key != KEY}
    for step in form.steps[version - form.oldest :]:
        made = cast("dict[str, Value]", step(cast(Document, made)))
    return made


def marked(form: Form, document: Mapping[str, object]) -> Document:
    """Return a document with the version that is written now, first; one that states its own keeps that."""
    return {KEY: form.version, **document}
