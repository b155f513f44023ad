"""The contrasts between kernels: the paper's sentences against its own tables, and this machine's numbers beside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.case import Case
from assay.document.build_variants import BuildVariants, VariantBuild
from assay.document.comparison import FigureRow, FigureSide
from assay.document.section import Section
from assay.published.contrasts import computing
from assay.published.contrasts import table as contrasts
from assay.published.contrasts.rates import PublishedRates, RunRates
from assay.published.tables import euroben_algorithms
from assay.report.render.markdown import markdown as as_markdown
from made_documents import document, figure, section

# Divided by hand from Tables 6.1, 6.4, 6.7, 6.13 and section 6: (contrast, machine, value).
BY_HAND = [
    ("flops per cycle", "compaq-xp1000-cluster", 246 / 667),
    ("polynomial", "compaq-xp1000-cluster", 701 / 1330),
    ("polynomial", "ibm-netfinity-cluster", 227 / 600),
    ("second difference", "ibm-netfinity-cluster", 321 / 600),
    ("dot product, second cache: stride 4", "sgi-l1200-cluster", 108 / 140),
    ("z = x + y, x - y, x y, first cache: more", "compaq-xp1000-cluster", 275 / 246),
    ("dot product, first cache: more", "compaq-xp1000-cluster", 331 / 620),
    ("loops scaled by clock", "ibm-netfinity-cluster", (326 / 600) / (388 / 700)),
    ("matrix-vector by inner", "ibm-netfinity-cluster", 156 / 243),
    ("matrix-vector by columns", "sgi-l1200-cluster", 283 / 313),
    ("dense solver", "compaq-xp1000-cluster", 373.9 / 513),
    ("Fourier", "compaq-xp1000-cluster", 65 / 570.5),
    ("wavelet", "sgi-l1200-cluster", 95.1 / 20.5),
]


@pytest.mark.parametrize(("name", "machine", "value"), BY_HAND)
def test_published_contrasts_are_the_tables_quotients(name: str, machine: str, value: float) -> None:
    (contrast,) = (each for each in contrasts.CONTRASTS if each.name.startswith(name))
    assert contrast.of(PublishedRates(machine))[0] == pytest.approx(value, rel=1e-3)


def test_three_sentences_do_not_fit_the_papers_own_tables() -> None:
    """36% where the text says almost 30 on the SGI; 101.1 of 273 is 37%, not less than 30, on the IBM.

    Scaled by clock, the two agree within 2.5% in all loops but one: 2.7% in the copy, whose row is misprinted.
    """
    found = {
        stated.claim: contrasts.verdict(contrast, stated)
        for contrast in contrasts.CONTRASTS
        for stated in contrast.stated
        if stated.claim != "vds.ibm-mxv-slower"
    }
    assert {claim for claim, outcome in found.items() if outcome == "differs"} == {
        "vds.sgi-mod2b-axpy",
        "vds.ibm-mod2b-axpy",
        "vds.ibm-sgi-scale-with-clock",
    }
    # No stride of 3 is printed, and no wavelet from the second cache.
    assert {claim for claim, outcome in found.items() if outcome == "inconclusive"} == {
        "vds.xp1000-wavelet-levels",
        "vds.sgi-l2-stride4",
    }
    assert len(found) == 14


def test_the_sentence_on_stride_4_holds_by_the_printed_rates() -> None:
    (contrast,) = (each for each in contrasts.CONTRASTS if "stride 4" in each.name)
    assert contrasts.verdict(contrast, contrast.stated[0]) == "holds"


def fit(
    kernel: str, level: str, r_max: float, paper: float, cycles: float, access: str = "contiguous"
) -> dict[str, Any]:
    params = {"kernel": kernel, "access": access}
    about = {"law": "rates_by_level", "level": level, "params": params, "r_max": r_max, "r_max_paper": paper}
    about |= {"lengths": [100.0, 1000.0]}
    return about | {"intensity": 0.1, "n_half": None, "start_up_cycles": None, "cycles_per_element": cycles}


def vectors() -> Section:
    fits = [
        fit("dot", "L1", 4e9, 4e9, 0.5),
        fit("dot", "L2", 2e9, 2e9, 1.0),
        fit("dot", "L2", 1e9, 1e9, 2.0, "stride4"),
        fit("recursion1", "L1", 2e9, 1e9, 4.0),
        fit("axpy", "L1", 8e9, 8e9, 0.5),
    ]
    return section("vectors", [], fits=fits)


def solver() -> Section:
    rates = [
        figure("rate", value, "flop/s", code="ours", size=size, threads=1) for size, value in ((100, 4e9), (1000, 2e9))
    ]
    library = [figure("rate", 6e10, "flop/s", code="library", size=1000, threads=1)]
    many = [figure("rate", 9e10, "flop/s", code="ours", size=1000, threads=2)]
    return section("linpack", [*rates, *library, *many])


def test_this_machines_contrasts_are_of_its_own_plain_code_on_one_thread() -> None:
    here = RunRates(document(vectors(), solver()), 8e9)
    assert here.program("mod2b") == 4e9
    assert here.per_cycle("recursion1") == 1 / 4.0  # the paper counts one flop, we two
    assert here.loop("dot", "L2", "stride4") == 1e9 and here.loop("dot", "L2", "stride3") is None


@pytest.mark.parametrize(("state", "said"), [("clean", "size 1000"), ("bound", "size 1000, best reading")])
def test_a_programs_contrast_is_of_the_same_size_as_its_rate_in_table_6_13(state: str, said: str) -> None:
    """Where the best size had only a best reading, the contrast was of another one, 31% beside 42%."""
    at: dict[str, Any] = {"code": "ours", "threads": 1}
    best = figure("rate", 6e9, "flop/s", "best" if state == "bound" else "median", size=1000, **at) | {"state": state}
    rates = [best, figure("rate", 4e9, "flop/s", size=100, **at), figure("rate", 9e9, "flop/s", "best", size=100, **at)]
    made = document(vectors(), section("linpack", rates, published=["euroben.mod2b"]))
    table = contrasts.table(made, None)
    assert table is not None
    (cell,) = (row[1] for row in table.rows if row[0].startswith("dense solver"))
    assert cell == f"75% ({said})"
    ((_, ours, *_),) = (row for grid in euroben_algorithms.tables(made) for row in grid.rows)
    assert ours == f"6 Gflop/s ({said.removeprefix('size ')})"


def test_a_share_of_the_peak_says_whether_it_was_measured() -> None:
    """94.5% by the line's r_max stood on one page with 87%, the highest rate measured."""
    line = fit("polynomial9", "L1", 9.5e9, 9.5e9, 2.0) | {"best_measured": 8.7e9}
    for given, cell in (
        (line, "95% (r_max by its line; 87% measured)"),
        (line | {"basis": "best reading", "r_max_paper": 8.7e9}, "87% (best reading)"),
    ):
        table = contrasts.table(document(section("vectors", [], fits=[given])), 1e10)
        assert table is not None
        assert [row[1] for row in table.rows if row[0].startswith("polynomial")] == [cell]


def test_the_largest_transform_stands_for_memory_only_beyond_the_last_cache() -> None:
    """2^20 complex numbers, in and out, are 32 MiB: they fit this cache; four times as many do not."""

    def transforms(*sizes: int) -> Section:
        return section("fft", [figure("rate", 1e15 / size, "flop/s", code="ours", size=size) for size in sizes])

    largest = fit("axpy", "L3", 1e9, 1e9, 4.0) | {"size": 32 * 2.0**20}
    loops = section("vectors", [], fits=[fit("axpy", "L1", 8e9, 8e9, 0.5) | {"size": 49152.0}, largest])
    for sizes, rate in (((4096,), None), ((4096, 2**20), None), ((4096, 2**22), 1e15 / 2**22)):
        here = RunRates(document(loops, transforms(*sizes)), None)
        assert here.program("mod2f") == 1e15 / 4096 and here.program("mod2f", level="memory") == rate
    assert RunRates(document(transforms(4096, 2**22)), None).program("mod2f", level="memory") is None


def test_the_page_shows_what_this_run_can_tell() -> None:
    made = document(vectors(), solver())
    table = contrasts.table(made, None)
    assert table is not None
    rows = {row[0]: row for row in table.rows}
    assert rows["dot product, second cache: stride 4 against 1"][1:5] == ("50%", "–", "–", "77.1%")
    assert rows["dense solver against the axpy loop"][1:5] == ("50% (size 100)", "72.9%", "37%", "63.9%")
    assert "differs: “The dense solver is almost 30% slower" in rows["dense solver against the axpy loop"][5]
    assert rows["dot product, second cache: stride 4 against 1"][6] == "differs"  # half is lost, a quarter was expected
    assert rows["dense solver against the axpy loop"][6] == "differs, differs, differs"
    assert "--flags" in (table.note)  # what would answer the contrasts of optimisation
    assert not any(name.startswith(("Fourier", "wavelet", "matrix")) for name in rows)
    assert "Contrasts between kernels" in as_markdown(made)
    assert contrasts.table(document(section("echo", [])), None) is None


def side(label: str, value: float, state: str = "clean") -> FigureSide:
    about: dict[str, Any] = {"kind": "measured", "estimator": "median", "disturbance": None, "launches": 3}
    return FigureSide(run=label, median=value, value=value, params=Case(), state=state, **about)


def build(label: str) -> VariantBuild:
    return VariantBuild(label=label, compiler="g++", flags=label, isa="default", by=None, version=None, commands=[])


def faster(kernel: str, length: int, a: float, b: float, label: str = "-O5", state: str = "clean") -> FigureRow:
    """A row of `vectors`' rate: with -O3, and with `label`."""
    params = Case({"kernel": kernel, "access": "contiguous", "length": length})
    sides: dict[str, Any] = {"a": side("-O3", a), "b": side(label, b, state), "ratio": b / a}
    about: dict[str, Any] = {"unit": "flop/s", "better": "higher", "margin": 0.03, "verdict": "differs", "reason": None}
    return FigureRow(benchmark="vectors", metric="time", figure="rate", params=params, **sides, **about)


def test_what_optimisation_does_to_this_machines_loops_is_that_of_its_last_variant() -> None:
    """331 of 620 on the XP1000; here 2 of 4 Gflop/s by the best length in the first cache."""
    rows = [
        faster("dot", 100, 3e9, 1e9),
        faster("dot", 1000, 4e9, 2e9),
        faster("dot", 10**6, 9e9, 8e9),  # in no first cache
        faster("dot", 1000, 4e9, 4e9, "-O4"),  # not the last
        faster("axpy", 1000, 4e9, 8e9, state="invalid"),
    ]
    varied = BuildVariants(builds=[build("-O3"), build("-O4"), build("-O5")], rows=rows, wrong=[], vectorised=None)
    made = replace(document(vectors()), variants=varied)
    here = RunRates(made, None)
    assert (here.optimised("dot"), here.optimised("axpy"), here.optimised("add")) == (0.5, None, None)
    table = contrasts.table(made, None)
    assert table is not None
    (row,) = (each for each in table.rows if each[0].startswith("dot product, first cache"))
    assert row[1:5] == ("0.5", "0.534", "–", "–") and row[5].startswith("holds: “At -O5 the XP1000")
    assert row[6] == "holds" and "--flags" not in (table.note)


# Times of Table 6.14 as printed (s): XP1000, Netfinity, L1200; of mod3h the L1200's is not printed.
MODULE3 = {
    "mod3c": (0.594560, 2.56111, 2.26631),
    "mod3d": (0.001163, 0.004528, 0.002752),
    "mod3e": (0.005076, 0.017084, 0.012645),
    "mod3f": (2.6440, 5.6093, 4.8015),
    "mod3g": (0.018427, 0.042914, 0.040983),
    "mod3h": (2.0139, 9.4809, None),
}


def test_risc_against_intel_is_judged_by_the_quotients_of_printed_times() -> None:
    """From 1.82 to 4.71, inside of 2 to 4 with a fifth either way; vasp on one processor: Table 6.16, by hand."""
    module3, everything = (found for _, found in computing.verdicts())
    by_hand = [t / own for own, *others in MODULE3.values() if own for t in others if t]
    found = [float(part.numbers.rpartition(" ")[2]) for part in module3.parts]
    assert found == pytest.approx(by_hand, abs=0.005) and (min(found), max(found)) == (1.82, 4.71)
    assert module3.outcome == "holds" and module3.mark == "restated"
    vasp = {part.numbers for part in everything.parts if "vasp" in part.numbers}
    quotients = (13485 / 3573, 11834 / 3573, 13485 / 4085, 11834 / 4085)
    assert sorted(text.rpartition(" ")[2] for text in vasp) == sorted(f"{each:.2f}" for each in quotients)
    assert everything.outcome == "holds" and len(everything.parts) == len(by_hand) + 4


def test_a_sentence_that_the_tables_do_not_bear_out_differs() -> None:
    claim = next(each for each, _ in computing.verdicts() if each.id == "vds.module3-alpha-vs-intel")
    narrower = claim.model_copy(update={"value_min": 3.0})
    parts = list(computing.JUDGES[claim.id](narrower))
    assert {part.outcome for part in parts} == {"holds", "differs"}


def test_the_page_has_the_sentences_beside_module_3_alone() -> None:
    solved = section("multigrid", [], historical=True, published=["euroben.mod3c"])
    text = as_markdown(document(solved))
    assert "Speed of whole programs" in text and "XP1000 over SGI L1200: mod3c 3.81, mod3d 2.37" in text
    assert "Speed of whole programs" not in as_markdown(document(section("gemm", [])))
