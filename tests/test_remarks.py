"""Events that decide something: one form in programs and in Python; older notes mean the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay import remarks
from assay.remarks import Remark

OUTPUT = Path(__file__).resolve().parent.parent / "programs" / "timing" / "output.cpp"


def test_programs_and_python_have_the_same_kinds() -> None:
    """`placed` is said by Python alone, of a described machine."""
    (named,) = re.findall(r"names\[\] = \{(.*?)\}", OUTPUT.read_text())
    assert {*re.findall(r'"(\w+)"', named), "placed"} == {"note", *remarks.KINDS}


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("doubt", "doubted: a thread was moved"),
        ("skip", "left out: no BLAS"),
        ("cut", "cut short, as measuring takes at most 10 s in a launch: 4 of 12 blocks were measured"),
        ("placed", "placed on nodes 8, 9 (scatter)"),
    ],
)
def test_a_note_of_an_older_program_is_the_event_and_reads_as_before(kind: str, note: str) -> None:
    found = remarks.from_note(note)
    assert found is not None and found.kind == kind and str(found) == note
    assert remarks.of_event({"event": kind, "text": found.text}) == found


def test_other_notes_decide_nothing() -> None:
    assert remarks.from_note("host: left out: this machine has no host") == Remark("skip", "this machine has no host")
    assert {remarks.from_note(text) for text in ("library: OpenBLAS", "it was cut short", "22 of 385 windows")} == {
        None
    }
    assert remarks.of_event({"event": "note", "text": "left out: of people"}) is None


def test_a_column_holds_each_once_and_gives_them_back() -> None:
    said = [Remark("skip", "a", '{"n":1}'), Remark("doubt", "b"), Remark("skip", "a", '{"n":1}')]
    assert remarks.read(remarks.written(said)) == said[:2] and remarks.written([]) is None and remarks.read(None) == []


@pytest.mark.parametrize("event", [{"event": "skip"}, {"event": "doubt", "text": "x", "case": [1]}])
def test_a_line_without_a_reason_is_refused(event: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        remarks.of_event(event)
