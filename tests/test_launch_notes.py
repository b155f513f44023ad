"""What launches noted is listed once, with what they counted summed up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.derive.document import document
from assay.report.derive.launch_notes import launch_notes
from assay.store import Run
from described_echo import described_echo

MISSED = "windows were missed by some rank"
CLOCKS = "the ranks' clocks agree within"


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0.001, 9999)), min_size=1))
def test_counts_are_summed_and_the_worst_clock_stands(launches: list[tuple[int, int, float]]) -> None:
    noted = [
        (f"{missed} of {missed + more} {MISSED}", f"{CLOCKS} {error:.6f} us", "all on one host")
        for missed, more, error in launches
    ]
    counts, clocks, same = launch_notes(noted)
    assert counts == f"{sum(at[0] for at in launches)} of {sum(at[0] + at[1] for at in launches)} {MISSED}"
    assert float(clocks.removeprefix(CLOCKS).removesuffix(" us")) == pytest.approx(
        max(at[2] for at in launches), rel=0.01
    )
    assert same == "all on one host"


def test_what_differs_otherwise_stands_as_each_launch_wrote_it() -> None:
    assert launch_notes([["the file is a"], ["the file is b"], [], ["the file is a"]]) == [
        "the file is a",
        "the file is b",
    ]


def test_a_document_has_each_note_of_its_launches_once(tmp_path: Path) -> None:
    run = described_echo(tmp_path, launches=3)
    for at, path in enumerate(sorted((run / "launches").glob("*.jsonl"))):
        first, *others = path.read_text().splitlines(keepends=True)
        notes = (f"{at + 1} of 100 {MISSED}", f"{CLOCKS} {at}.500000 us", "the same each time")
        written = "".join(json.dumps({"event": "note", "text": text}) + "\n" for text in notes)
        path.write_text(first + written + "".join(others))
    (section,) = document(Run.open(run)).benchmarks
    assert section.notes[:3] == [f"6 of 300 {MISSED}", f"{CLOCKS} 2.5 us", "the same each time"]
