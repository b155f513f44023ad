"""Vector kernels in a report: by level with their share of the bound, and beside the paper's tables."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from assay.benchmark.record import benchmark
from assay.document.fits import LevelRatesFit
from assay.document.run_document import Document
from assay.document.section import Section
from assay.published.tables import euroben
from assay.report.derive.fit_states import with_states
from assay.report.render import terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import kernel_curves, level_rates
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


def roofs(*rates: tuple[str, str, float]) -> Section:
    made = [figure("rate", rate, "B/s", "best", level=at, kernel=kernel, vector=256) for at, kernel, rate in rates]
    return section("roofs", made)


def whole(*more: Section) -> Document:
    return document(vectors(), *more)


def test_a_kernel_has_its_row_and_its_levels() -> None:
    made = whole()
    (table,) = level_rates.tables(made, made.benchmarks[0])
    assert table.title.endswith(": r_max in Gflop/s")
    assert table.headings[:5] == ("kernel", "r_max L1", "n_half", "cycles per element", "start-up (cycles)")
    assert table.rows[0] == ("axpy", "20", "20", "0.5", "12", "10", "–", "–")
    assert [row[0] for row in table.rows] == ["axpy", "recursion1"]  # the record's order


def test_how_flops_are_counted_where_there_are_none_is_said_and_is_what_the_record_counts() -> None:
    made = document(section("vectors", [], fits=[level("copy", "L1", 2e10), level("zaxpy", "L1", 1e10)]))
    (table,) = level_rates.tables(made, made.benchmarks[0])
    assert "(broadcast, copy) an element counts one; zaxpy is z = x + a y in real numbers, two" in table.note
    counted = benchmark("vectors").choice_constants["kernel"]
    assert [counted[name]["flops"] for name in ("broadcast", "copy", "zaxpy")] == [1, 1, 2]
    assert "zaxpy" not in level_rates.tables(whole(), whole().benchmarks[0])[0].note


def first_table(*more: Section, own: Section | None = None) -> tuple[tuple[str, ...], ...]:
    made = document(own or vectors(), *more)
    return level_rates.tables(made, made.benchmarks[0])[0].rows


def test_the_share_is_that_of_what_loads_and_stores_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    """axpy loads 16 and stores 8 bytes for 2 flops: 50 ps of loads at 320 GB/s, 33 of stores at 240: 40 Gflop/s."""
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1e11, "made"))
    both = roofs(("L1", "load", 3.2e11), ("L1", "store", 2.4e11))
    assert first_table(both)[0][1] == "20 (50%)" and first_table(both)[0][5] == "10"  # L2 was not measured
    slow_stores = roofs(("L1", "load", 3.2e11), ("L1", "store", 1e11))  # 80 ps: 25 Gflop/s
    assert first_table(slow_stores)[0][1] == "20 (80%)"
    assert first_table(levels())[0][1] == "20"  # a triad's rate is no bound of a core that loads and stores at once
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (2.5e10, "made"))
    assert first_table(both)[0][1] == "20 (80%)"
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1.98e10, "made"))
    assert first_table(both)[0][1] == "20 (100%)"  # within what two best readings differ by
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1e10, "made"))
    assert first_table(both)[0][1] == "20 (above its bound)"


def test_the_advice_on_axpy_says_where_its_share_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table by level has shares where `roofs` ran beside: not in a run of the kernels alone."""
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1e11, "made"))
    both = roofs(("L1", "load", 3.2e11), ("L1", "store", 2.4e11))
    assert not any("%" in cell for cell in first_table()[0]) and "%" in first_table(both)[0][1]
    advice = benchmark("vectors").headlines["axpy"].advice or ""
    (parts,) = re.findall(r"`roofs` beside \(`assay evaluate --only ([\w,]+)`\)", advice)
    assert {benchmark("vectors").part, benchmark("roofs").part} == set(parts.split(","))


def test_beyond_the_first_level_a_stride_moves_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dot product loads 16 bytes for 2 flops, with a stride of 3 by lines of 48: 150 ps at 320 GB/s."""
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1e12, "made"))
    strided = {"params": {"kernel": "dot", "access": "stride3"}}
    own = section("vectors", [], fits=[level("dot", name, 1e10, **strided) for name in ("L1", "L2")])
    loads = roofs(("L1", "load", 3.2e11), ("L2", "load", 3.2e11))
    assert first_table(loads, own=own)[0][1] == "10 (25%)" and first_table(loads, own=own)[0][5] == "10 (75%)"


def test_memory_carries_loads_or_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 bytes at the best rate of any kind, 48 GB/s: 4 Gflop/s."""
    monkeypatch.setattr(level_rates, "peak_float64", lambda document: (1e12, "made"))
    own = section("vectors", [], fits=[level("axpy", "memory", 1e9)])
    rates = roofs(("memory", "load", 4.8e10), ("memory", "store", 2e10), ("memory", "copy", 3e10))
    assert first_table(rates, own=own)[0][7] == "1 (25%)"


def test_a_rate_without_a_line_is_marked_as_the_best_reading() -> None:
    """In the table by level, in the paper's and in what a mark of the roof says."""
    alone = {"basis": "best reading", "cycles_per_element": 7.7}
    made = document(section("vectors", [], fits=[level("axpy", "L1", 7.75e8, **alone), level("axpy", "L2", 1e9)]))
    (table,) = level_rates.tables(made, made.benchmarks[0])
    assert table.rows[0] == ("axpy", "0.775 *", "–", "7.7 *", "–", "1", "–", "–")
    assert "*: no fit, the best median reading; the reason is in Fits of the report." in table.note
    assert first_table()[0][1] == "20" and "*" not in level_rates.tables(whole(), whole().benchmarks[0])[0].note
    four, compaq, *_ = euroben.tables(made)
    assert four.rows[0][1] == "775 Mflop/s (best reading)"
    assert compaq.rows[0][1:4:2] == ("775 Mflop/s (best reading)", "7.7 (best reading)")
    (fit, _) = made.benchmarks[0].fits
    assert isinstance(fit, LevelRatesFit)
    assert replace(fit, state="disturbed").marked("axpy") == "axpy (best reading, disturbed)"


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

    found = " Caches by loads that were timed with the loops: L1 48 KiB, L2 1 MiB"
    assert note().endswith(f"{found}; the system may state more than a guest gets.")
    assert note(curve(49152.0, 1.15 * 2**20)).endswith("within 20% of those of the latency curve where it shows them.")
    assert note(curve(49152.0, 1.5 * 2**20)).endswith(f"{found}; by the latency curve L2 1.5 MiB.")


def test_the_papers_tables_stand_beside_this_machine() -> None:
    four, compaq, ibm, sgi = euroben.tables(whole())
    assert four.rows[0] == ("axpy", "20 Gflop/s", "513 Mflop/s", "273 Mflop/s", "196 Mflop/s", "313 Mflop/s")
    assert four.rows[1][:3] == ("recursion1", "1 Gflop/s", "110 Mflop/s")  # as the paper counts: half of ours
    assert all("half of ours for both recursions (1 and 2 an element)" in made.note for made in (four, compaq))
    row = ("axpy", "20 Gflop/s", "513 Mflop/s", "0.5", "2.55", "12", "17", "10 Gflop/s", "193 Mflop/s")
    assert compaq.rows[0] == row
    assert "Compaq XP1000" in compaq.title and "IBM" in ibm.title and "SGI" in sgi.title
    assert euroben.tables(document(levels())) == []


def test_terminal_and_markdown_show_them() -> None:
    text = io.StringIO()
    terminal.show(whole(), Console(file=text, width=160))
    assert "by level of memory, contiguous" in text.getvalue() and "Table 6.12" in text.getvalue()
    written = as_markdown(whole())
    assert "by level of memory, contiguous" in written and "| axpy | 20 Gflop/s | 513 Mflop/s | 0.5 | 2.55 |" in written


def test_each_point_of_a_curve_has_the_mark_of_the_level_that_holds_its_vectors() -> None:
    """Of the same 4,096 elements axpy's two vectors lie in L1 and rotation's five in L2; 5,000 of axpy in neither."""

    def rates(kernel: str, access: str) -> list[dict[str, Any]]:
        about = {"kernel": kernel, "access": access}
        return [figure("rate", 1e9 * n, "flop/s", length=n, **about) | {"headline": True} for n in (5000, 1024, 4096)]

    def lengths(kernel: str, access: str, name: str, *held: float) -> dict[str, Any]:
        return level(kernel, name, 1e9, lengths=list(held), params={"kernel": kernel, "access": access})

    fits = [
        lengths("axpy", "contiguous", "L1", 1024, 4096),
        lengths("rotation", "contiguous", "L1", 1024),
        lengths("rotation", "contiguous", "L2", 4096, 5000),
        lengths("axpy", "stride3", "L2", 1024, 4096, 5000),
    ]
    figures = [*rates("axpy", "contiguous"), *rates("rotation", "contiguous"), *rates("axpy", "stride3")]
    near, far = kernel_curves.plots(section("vectors", figures, fits=fits))
    assert [drawn["layout"]["title"]["text"] for drawn in (near, far)] == [
        "rate by length, contiguous",
        "rate by length, stride3",
    ]
    axpy, rotation, *key = near["data"]
    assert axpy["x"] == rotation["x"] == [1024, 4096, 5000] and axpy["y"] == [1.024e12, 4.096e12, 5e12]
    in_first, in_second, untold = (trace["marker"]["symbol"] for trace in key)
    assert [trace["name"] for trace in key] == ["in L1", "in L2", "level unknown"]
    assert axpy["marker"]["symbol"] == [in_first, in_first, untold]
    assert rotation["marker"]["symbol"] == [in_first, in_second, in_second]
    assert far["data"][0]["marker"]["symbol"] == [in_second] * 3
    assert kernel_curves.plots(section("vectors", figures)) == []  # no fit: nothing says where the levels are


def test_no_two_kernels_share_a_colour_or_the_key_s() -> None:
    """All fourteen in one picture; the marks of the levels alone are grey."""
    kernels = list(benchmark("vectors").parameters["kernel"].choices)
    cases = [
        {"kernel": str(kernel), "access": "contiguous", "length": n} for kernel in kernels for n in (64, 256, 1024)
    ]
    figures = [figure("rate", 1e9, "flop/s", **case) | {"headline": True} for case in cases]
    about = {"kernel": kernels[0], "access": "contiguous"}
    fits = [level(str(kernels[0]), "L1", 1e9, lengths=[64.0, 256.0, 1024.0], params=about)]
    (drawn,) = kernel_curves.plots(section("vectors", figures, fits=fits))
    curves = [trace for trace in drawn["data"] if trace["mode"] != "markers"]
    keys = {trace["marker"]["color"] for trace in drawn["data"] if trace["mode"] == "markers"}
    assert [trace["name"] for trace in curves] == kernels
    assert len({trace["line"]["color"] for trace in curves} | keys) == len(kernels) + len(keys) == 15


def test_a_fit_is_in_the_worst_state_of_the_figures_that_it_rests_on() -> None:
    """Of lengths 64 and 256 one is disturbed; 4,096, in another level, and another kernel are not asked."""
    at = {"kernel": "axpy", "access": "contiguous"}
    states = {64: "clean", 256: "disturbed", 4096: "bound"}
    of = [figure("rate", 1e9, "flop/s", length=n, **at) | {"state": state} for n, state in states.items()]
    other = figure("rate", 1e9, "flop/s", length=64, kernel="dot", access="contiguous") | {"state": "disturbed"}
    fits = [
        level("axpy", "L1", 2e10, lengths=[64.0, 256.0]),
        level("axpy", "L2", 1e10, lengths=[4096.0]),
        level("dot", "L1", 1e10, lengths=[128.0]),
    ]
    made = section("vectors", [*of, other], fits=fits)
    found = with_states(made.fits, made.figures)
    assert [fit.state for fit in found if isinstance(fit, LevelRatesFit)] == ["disturbed", "bound", "clean"]
    shown = document(replace(made, fits=found))
    (table,) = level_rates.tables(shown, shown.benchmarks[0])
    assert table.rows[1][1] == "20 ~" and table.rows[1][5] == "10 (bound)" and table.rows[0][1] == "10"
    assert euroben.tables(shown)[0].rows[0][1] == "10 Gflop/s"
    assert euroben.tables(shown)[0].rows[1][1] == "20 Gflop/s (disturbed)"
