"""A run beside what was published: what the report's tables show `compare` shows, and no ratio of unlike work."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmark.record import benchmarks
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.catalogue import cells
from assay.published.tables import hypercubes, in_text
from assay.published.tables.ratios import against_machine
from assay.report.render.comparison_tables import table_of_machine
from made_documents import document, figure, section

CLUSTERS = ("compaq-xp1000-cluster", "ibm-netfinity-cluster", "sgi-l1200-cluster")
L1, L2 = 32768.0, 262144.0  # B, of the made machine's caches


def run_of(name: str, figures: list[dict[str, Any]], **more: Any) -> Section:
    return section(name, figures, published=list(benchmarks()[name].published), **more)


def loops() -> Section:
    """Every kernel's fits in two levels, contiguous and by a stride of 4, each with numbers of its own."""
    fits = [
        {
            **{"law": "rates_by_level", "params": {"kernel": str(kernel), "access": access}, "level": level},
            **{"size": size, "r_max": 2e9, "r_max_paper": 1e9 + i, "intensity": 1.0, "n_half": 10.0 + i},
            **{"cycles_per_element": 1.0 + i, "start_up_cycles": 20.0 + i, "basis": "line", "state": "clean"},
        }
        for i, kernel in enumerate(benchmarks()["vectors"].parameters["kernel"].choices)
        for access in ("contiguous", "stride4")
        for level, size in (("L1", L1), ("L2", L2))
    ]
    return run_of("vectors", [], fits=fits)


def rates(name: str, sizes: tuple[int, ...], rate: str = "rate", **params: Any) -> Section:
    """Our code's rates, the greater the smaller the problem, and a library's above all of them."""
    made = [figure(rate, 1e9 / size, "flop/s", size=size, code="ours", **params) for size in sizes]
    return run_of(name, [*made, *(figure(rate, 9e9, "flop/s", size=s, code="library", **params) for s in sizes)])


def module2() -> Document:
    products = [
        figure("rate", value, "flop/s", form=form, size=50, code="ours")
        for form, value in (("dot", 3e9), ("axpy", 2e9), ("gemv", 5e9))
    ]
    return document(
        loops(),
        run_of("matrix-vector", products),
        rates("linpack", (100, 1000), threads=1),
        rates("eigenvalues", (30, 200)),
        rates("fft", (256, 2048, 8192, 65536)),
        rates("wavelet", (32, 128, 256), "rate_paper"),
    )


def values(machine: str, made: Document) -> dict[float, float]:
    """The run's value by the printed one, of the rows beside a machine."""
    rows, _ = against_machine(made, machine)
    return {row.b.value: row.a.value for row in rows}


@pytest.mark.parametrize("machine", CLUSTERS)
def test_what_the_tables_of_modules_1_and_2_print_of_a_machine_has_a_row(machine: str) -> None:
    """The report's Tables 6.1, 6.4, 6.7, 6.12 and 6.13: every cell of a program that the run has."""
    rows, _ = against_machine(module2(), machine)
    shown = sorted((row.b.source, row.b.value) for row in rows)
    tables = ("table6.1", "table6.4", "table6.7", "table6.12", "table6.13")
    printed = [cell for table in tables for cell in cells(machine=machine, table=table)]
    assert len(printed) > 70
    for cell in printed:
        assert (cell.source, cell.value) in shown, cell
    assert all(row.ratio == pytest.approx(row.b.value / row.a.value) for row in rows if row.unlike is None)


def test_the_greatest_of_our_own_code_stands_beside_a_greatest_rate_and_a_form_beside_its_form() -> None:
    found = values("compaq-xp1000-cluster", module2())
    assert found[406.5e6] == 3e9 and found[186e6] == 2e9  # inner products, multiples of columns (section 6.1.2.1)
    assert found[373.9e6] == 1e9 / 100  # Table 6.13: mod2b; no library's 9e9
    assert found[570e6] == 1e9 / 256 and found[428e6] == 1e9 / 2048  # by size


def test_levels_are_those_of_the_caches_that_the_run_found() -> None:
    """mod2f from L2 200 and from memory 65 Mflop/s, mod2g from L1 208: section 6.1.2.1."""
    found = values("compaq-xp1000-cluster", module2())
    assert found[200e6] == 1e9 / 2048  # 64 KiB in and out: beyond 32 KiB, the greatest rate within 256
    assert found[65e6] == 1e9 / 65536  # 2 MiB; 8192 numbers take just 256 KiB
    assert found[208e6] == 1e9 / 32  # 16 KiB


def test_operands_in_another_level_are_unlike() -> None:
    """A 512 x 256 wavelet from memory (20.5 Mflop/s, section 6.4.1) is no ratio for one from a cache."""
    of_256 = document(loops(), rates("wavelet", (128, 256), "rate_paper"))
    rows, _ = against_machine(of_256, "sgi-l1200-cluster")
    (row,) = [row for row in rows if row.b.value == 20.5e6]
    assert row.params["size"] == 256 and row.unlike is None  # 1 MiB
    large = loops()
    for fit in large.fits:
        object.__setattr__(fit, "size", 64 * L1 if fit.level == "L1" else 64 * L2)  # type: ignore[union-attr]
    rows, _ = against_machine(document(large, rates("wavelet", (256,), "rate_paper")), "sgi-l1200-cluster")
    (row,) = [row for row in rows if row.b.value == 20.5e6]
    assert row.ratio is None and row.unlike == "operands in memory there, in L1 here"


def test_a_stride_stands_beside_the_printed_stride_alone() -> None:
    """SGI, inner products from L2: 140 at strides 1 and 3 by the table, 108 at 4 by the text (section 6.3.2.1)."""
    rows, _ = against_machine(module2(), "sgi-l1200-cluster")
    own = {
        row.b.value: row.params["access"] for row in rows if row.figure == "r_max_L2" and row.params["kernel"] == "dot"
    }
    assert own[108e6] == "stride4" and set(own) - {108e6} and {own[v] for v in own if v != 108e6} == {"contiguous"}
    halves = {row.b.value: row.params["kernel"] for row in rows if row.figure == "n_half"}
    assert halves == {18.0: "multiply", 28.0: "copy"}


def test_the_reports_table_has_the_texts_numbers_beside_the_runs_own() -> None:
    dots = [figure("rate", 1e9 * ranks, "flop/s", implementation=word, ranks=ranks, length=4194304)
            for ranks in (1, 2, 8) for word in ("naive", "tree")]  # fmt: skip
    lost = [figure("digits_lost", 0.5, "1", function=f, type="float64", variant="scalar", range=r)
            for f in ("exp", "sin", "cos", "log") for r in ("usual", "near")]  # fmt: skip
    whole = module2()
    made = document(*whole.benchmarks, run_of("distributed-dot", dots), run_of("intrinsics", lost))
    (table,) = in_text.tables(made)
    quoted = {(row[0], row[4]) for row in table.rows}
    for text in ("59 Mflop/s", "74 Mflop/s", "290 Mflop/s"):
        assert ("mod1i rate", text) in quoted
    for text in ("570 Mflop/s", "428 Mflop/s", "200 Mflop/s", "65 Mflop/s", "211 Mflop/s"):
        assert ("mod2f r max", text) in quoted
    for text in ("406.5 Mflop/s", "186 Mflop/s", "156 Mflop/s", "180 Mflop/s", "202 Mflop/s", "283 Mflop/s"):
        assert ("mod2a r max", text) in quoted
    assert ("mod1ac.dotproduct r max L2", "108 Mflop/s") in quoted
    digits = [(row[4], row[5].split(" ")[0]) for row in table.rows if row[0] == "intrinsics digits lost"]
    of_intel = [(digits_lost, name) for digits_lost in ("3", "4", "5") for name in ("IBM", "SGI")]
    assert sorted(digits) == sorted([*of_intel, ("8", "SGI"), ("3", "SGI"), ("1", "Compaq")])


def test_one_sweep_beside_a_whole_program_has_no_ratio_and_says_so() -> None:
    sweep = run_of("block-gauss-seidel", [figure("time", 1.6e-4, "s", size=257)])
    rows, _ = against_machine(document(sweep), "compaq-xp1000-cluster")
    (row,) = rows
    assert row.ratio is None and row.unlike == "a whole program there, one sweep here"
    text = " ".join(table_of_machine(rows, "mine", "compaq").markdown().split())
    assert "a whole program there, one sweep here" in text and "No ratio is formed of unlike work." in text


SOLVERS = ("linear-optimisation", "nonlinear-optimisation", "boundary-value", "elliptic", "multigrid")


@given(st.sampled_from(SOLVERS), st.integers(2, 10**6), st.sampled_from(CLUSTERS))
def test_a_size_that_is_not_printed_makes_work_unlike(name: str, size: int, machine: str) -> None:
    """Table 6.14 prints no size but mod3h's: whatever the run's is, no ratio is formed."""
    rows, _ = against_machine(document(run_of(name, [figure("time", 1.0, "s", size=size)])), machine)
    assert rows and all(row.ratio is None and str(size) in (row.unlike or "") for row in rows)


@given(st.sampled_from(["float32", "float64"]), st.sampled_from(["scalar", "vector", "fast"]), st.floats(0.1, 20))
def test_a_function_in_single_precision_stands_beside_no_published_one(kind: str, variant: str, lost: float) -> None:
    """The paper's programs are in 64 bits, and call the compiler's functions."""
    made = [figure("digits_lost", lost, "1", function="sin", type=kind, variant=variant, range="usual")]
    rows, _ = against_machine(document(run_of("intrinsics", made)), "sgi-l1200-cluster")
    like = [row for row in rows if row.unlike is None and row.b.value == 4.0]
    assert bool(like) == (kind == "float64" and variant == "scalar")
    assert all(math.isclose(row.ratio or 0.0, 4.0 / lost) for row in like)


@pytest.mark.parametrize(
    ("name", "machine", "made", "printed"),
    [
        ("sieve", "ipsc860", figure("time", 0.03, "s", size=8190), 0.06),  # Table 4: 100 sieves to 8190
        ("stream", "paragon-mp", figure("rate", 502e6, "B/s", kernel="read", vector=0, size=0, threads=1), 251e6),
        ("linpack", "ksr", figure("rate", 30e6, "flop/s", size=100, code="ours", threads=1), 15e6),  # Appendix B
    ],
)
def test_a_size_that_a_benchmark_has_by_definition_is_alike(
    name: str, machine: str, made: dict[str, Any], printed: float
) -> None:
    rows, _ = against_machine(document(run_of(name, [made])), machine)
    (row,) = [row for row in rows if row.b.value == pytest.approx(printed)]
    assert row.unlike is None and row.ratio == pytest.approx(printed / made["value"])


def test_another_program_of_the_same_subject_has_no_row_and_is_named() -> None:
    """45.8 Mflop/s of the iPSC/860 are a distributed program's; ours is the Paragon report's, on threads."""
    own = run_of("cholesky", [figure("rate", 1e9, "flop/s", by="threads", threads=1, size=1024)])
    rows, lacking = against_machine(document(own), "ipsc860")
    assert rows == [] and any("another program than cholesky" in text for text in lacking)


def echoed(**more: Any) -> Document:
    """An echo of one hop, with the line that the papers fit."""
    law = {"law": "alpha_beta", "figure": "half_round_trip", "params": {"hops": 1}, "estimator": "ordinary"}
    fits = [
        law | {"alpha": 1e-4, "beta": 1e-7, "over": [8, 8192]},
        law | {"alpha": 5e-5, "beta": 1e-7, "over": [8, 64]},
    ]
    figures = [figure("half_round_trip", 6e-5, "s", bytes=8, hops=1), figure("rate", 1e7, "B/s", bytes=8192, hops=1)]
    return document(run_of("echo", figures, fits=fits), **more)


def test_an_echo_stands_beside_the_deltas_tables() -> None:
    found = {made.title: made for made in hypercubes.tables(echoed())}
    fitted, merit = found["DELTA, Table 3.1: least-squares communication coefficients"], None
    assert "Intel Touchstone DELTA" in fitted.headings and ("alpha", "100 µs", "72 µs") in {r[:3] for r in fitted.rows}
    merit = found["DELTA, Table 5.1: figures of merit"]
    rows = {row[0]: row for row in merit.rows}
    assert rows["rate 8192 B"][1:3] == ("10 MB/s", "11.9 MB/s") and rows["time 8 B"][1:3] == ("60 µs", "62 µs")
    beside, _ = against_machine(echoed(), "delta")
    assert {row.figure: row.b.value for row in beside} == {
        **{"alpha": pytest.approx(72e-6), "beta": pytest.approx(8e-8)},
        **{"rate_8192_B": pytest.approx(11.9e6), "time_8_B": pytest.approx(62e-6)},
    }


def test_a_described_machine_has_its_ratio_by_the_multiply_that_was_printed() -> None:
    """Table 7: 80 ns of the iPSC/860; 60 us are 750 of them. What is quoted is no number of the run."""
    made = echoed(described=True, machine="ipsc860", kind="simulated")
    (table,) = [each for each in hypercubes.tables(made) if each.title.startswith("Table 7")]
    rows = {row[0]: row[1] for row in table.rows}
    assert rows["comm comp ratio"] == "750" and rows["time 8 B multiply"] == "80 ns (quoted)"
    beside, _ = against_machine(made, "ipsc860")
    assert "time_8_B_multiply" not in {row.figure for row in beside}
    assert [row.a.value for row in beside if row.figure == "comm_comp_ratio"] == [pytest.approx(750)] * 2
