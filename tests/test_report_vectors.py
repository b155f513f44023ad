"""Vector kernels in a report: by level with their share of the bound, and beside the paper's tables."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from assay.document.run_document import Document
from assay.document.section import Section
from assay.papers.tables import euroben
from assay.report import level_rates, page, terminal
from made_documents import document, figure, section


def level(kernel: str, name: str, r_max: float, **more: Any) -> dict[str, Any]:
    params = {"kernel": kernel, "access": "contiguous"}
    about = {"law": "rates_by_level", "level": name, "params": params, "r_max": r_max, "r_max_paper": r_max}
    return about | {"intensity": 2 / 24, "n_half": None, "start_up_cycles": None, "cycles_per_element": None} | more


def vectors() -> Section:
    axpy = {"n_half": 20.0, "start_up_cycles": 12.0, "cycles_per_element": 0.5}
    fits = [
        level("axpy", "L1", 2e10, **axpy),
        level("axpy", "L2", 1e10),
        level("recursion1", "L1", 2e9, r_max_paper=1e9),
    ]
    return section("vectors", [], fits=fits)


def levels() -> Section:
    at = {"threads": 1, "kernel": "triad"}
    return section("levels", [figure("rate", 4.8e11, "B/s", "best", level="L1", **at)])


def whole(*more: Section) -> Document:
    return document(vectors(), *more)


def test_a_kernel_has_its_row_and_its_levels() -> None:
    made = whole()
    (table,) = level_rates.tables(made, made.benchmarks[0])
    assert table.headings[:5] == ("kernel", "r_max L1", "n_half", "cycles per element", "start-up (cycles)")
    assert table.rows[0] == ("axpy", "20 Gflop/s", "20", "0.5", "12", "10 Gflop/s", "–", "–")
    assert [row[0] for row in table.rows] == ["axpy", "recursion1"]  # the record's order


def test_the_share_of_the_bound_is_that_of_intensity_times_the_levels_bandwidth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """480 GB/s times 2 flops in 24 bytes is 40 Gflop/s; a peak below it is the bound instead."""
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1e11, "made"))
    made = whole(levels())
    (table,) = level_rates.tables(made, made.benchmarks[0])
    assert table.rows[0][1] == "20 Gflop/s (50%)" and table.rows[0][5] == "10 Gflop/s"  # L2 was not measured
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (2.5e10, "made"))
    (table,) = level_rates.tables(made, made.benchmarks[0])
    assert table.rows[0][1] == "20 Gflop/s (80%)"
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1e10, "made"))
    (table,) = level_rates.tables(made, made.benchmarks[0])
    assert table.rows[0][1] == "20 Gflop/s (above its bound)"


def curve(*sizes: float) -> Section:
    levels = [{"size": size, "below": 2 * size, "latency": 1e-9} for size in sizes]
    beyond = {"size": 2.0**28, "below": None, "latency": 1e-7}
    fit = {"law": "cache_levels", "figure": "latency", "params": {"pages": "huge"}, "levels": [*levels, beyond]}
    return section("latency", [], fits=[fit | {"launches_agree": [3, 3]}])


def test_the_caches_in_use_stand_beside_the_latency_curves() -> None:
    own = section(
        "vectors", [], fits=[level("axpy", "L1", 2e10, size=49152.0), level("axpy", "L2", 1e10, size=2.0**20)]
    )

    def note(*more: Section) -> str:
        return level_rates.tables(document(own, *more), own)[0].note

    assert note().endswith(" Caches: L1 48 KiB, L2 1 MiB.")
    assert note(curve(49152.0, 1.15 * 2**20)).endswith("within 20% of those of the latency curve where it shows them.")
    assert note(curve(49152.0, 1.5 * 2**20)).endswith(" Caches: L1 48 KiB, L2 1 MiB; by the latency curve L2 1.5 MiB.")


def test_the_papers_tables_stand_beside_this_machine() -> None:
    four, compaq, ibm, sgi = euroben.tables(whole())
    assert four.rows[0] == ("axpy", "20 Gflop/s", "513 Mflop/s", "273 Mflop/s", "196 Mflop/s", "313 Mflop/s")
    assert four.rows[1][:3] == ("recursion1", "1 Gflop/s", "110 Mflop/s")  # as the paper counts: half of ours
    row = ("axpy", "20 Gflop/s", "513 Mflop/s", "0.5", "2.55", "12", "17", "10 Gflop/s", "193 Mflop/s")
    assert compaq.rows[0] == row
    assert "Compaq XP1000" in compaq.title and "IBM" in ibm.title and "SGI" in sgi.title
    assert euroben.tables(document(levels())) == []


def test_terminal_and_markdown_show_them() -> None:
    text = io.StringIO()
    terminal.show(whole(), Console(file=text, width=160))
    assert "by level of memory, contiguous" in text.getvalue() and "Table 6.12" in text.getvalue()
    written = page.markdown(whole())
    assert "by level of memory, contiguous" in written and "| axpy | 20 Gflop/s | 513 Mflop/s | 0.5 | 2.55 |" in written
