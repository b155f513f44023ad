"""Computational intensity beside a kernel: the numbers that van der Steen 2000 prints of it."""

from __future__ import annotations

import pytest

from assay.report.render import page_parts
from assay.report.sections import intensities
from made_documents import document
from test_like_work import loops

# f by sections 6.1.2.1, 6.2.2.1 and 6.3.2.1; a rotation's ideal is 800 Mflop/s on a peak of 1334 (section 6.1.2.1)
PRINTED = {"add": 1 / 3, "subtract": 1 / 3, "multiply": 1 / 3, "dot": 1.0, "rotation": 3 / 5, "polynomial9": 9.0}
PEAK = 1334e6


def test_f_and_the_ideal_are_the_printed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intensities, "peak_float64", lambda document: (PEAK, "printed"))
    made = document(loops())
    (table,) = intensities.tables(made, made.benchmarks[0])
    rows = {row[0]: row for row in table.rows}
    for kernel, f in PRINTED.items():
        assert float(rows[kernel][3]) == pytest.approx(f, abs=0.001), kernel
    assert rows["rotation"][4] == "800 Mflop/s" and rows["polynomial9"][4] == "1.33 Gflop/s"
    assert "broadcast" not in rows and "copy" not in rows
    assert table in page_parts.parts(made)[0][0].blocks[0].tables


def test_without_a_known_peak_there_is_no_ideal() -> None:
    made = document(loops())
    (table,) = intensities.tables(made, made.benchmarks[0])
    assert {(row[4], row[6]) for row in table.rows} == {("–", "–")}
