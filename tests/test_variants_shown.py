"""How build variants are shown: one alone is nothing to compare, tables of the first stand, equal errors are a line."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from assay.document.build_variants import BuildVariants, VariantBuild, VectorisedKernel
from assay.document.grid import Grid
from assay.document.run_document import Document
from assay.report.judge import comparison
from assay.report.render import console, page, summary, terminal
from assay.report.render.comparison_tables import few_launches
from assay.report.sections.variants import variant_accuracy, variant_tables
from made_documents import document, figure, headline, section

FLAGS = ("-O2", "-O3")
LEVEL: dict[str, Any] = {"law": "rates_by_level", "level": "L1", "r_max": 4e9, "r_max_paper": 4e9, "intensity": 0.1}
LEVEL |= {"lengths": [100.0], "n_half": 12.0, "start_up_cycles": 8.0, "cycles_per_element": 0.5}


def _build(flags: str) -> VariantBuild:
    return VariantBuild(label=flags, compiler="g++", flags=flags, isa="default", by="g++", version="12", commands=[])


def _run(count: int, *, errors: tuple[float, ...] = ()) -> Document:
    """A run of two vector kernels and, where `errors` are given, of one function, by so many variants."""
    builds = [_build(flags) for flags in FLAGS[:count]]
    of = [{"compiler": "g++", "flags": build.flags, "isa": "default"} for build in builds]
    case = {"kernel": "axpy", "access": "contiguous"}
    rates = [figure("rate", 4e9, "flop/s", **case, length=100, **each) for each in of]
    fits = [LEVEL | {"params": case | each} for each in of]
    sections = [section("vectors", rates, fits=fits, title="Vector kernels")]
    if errors:
        function = {"function": "exp", "type": "float32", "variant": "scalar", "range": "usual"}
        found = [figure("ulp_max", ulp, "1", **function, **each) for ulp, each in zip(errors, of, strict=True)]
        about = {"time": "time", "error": "ulp_max", "across": "variant", "over": "range"}
        sections.append(section("intrinsics", found, accuracy=about))
    kernels = [
        VectorisedKernel(benchmark="vectors", kernel=name, bits=[0] * count, texts=["scalar"] * count)
        for name in ("add (contiguous)", "axpy (contiguous)")
    ]
    variants = BuildVariants(builds=builds, rows=[], wrong=[], vectorised=kernels)
    return replace(document(*sections), variants=variants)


def _printed(run: Document) -> str:
    out = io.StringIO()
    terminal.show(run, Console(file=out, width=100))
    return out.getvalue()


@pytest.mark.parametrize("count", [1, 2])
def test_the_first_variants_tables_by_level_stand_in_the_terminal(count: int) -> None:
    assert "Vector kernels by level of memory, contiguous" in _printed(_run(count))


def test_one_variant_alone_is_no_comparison() -> None:
    text = _printed(_run(1))
    assert "Build variant\n" in text and "the others" not in text and "Build variants" not in text
    assert "1 variant<" in page.html(_run(1)) and "2 variants<" in page.html(_run(2))
    assert "of the others are listed" in _printed(_run(2))


def test_of_what_compilers_made_only_measured_kernels_are_shown_and_vector_code_beside() -> None:
    """The run has contiguous axpy alone: neither another kernel nor another way through memory; measured ones first.

    What hands the loops to the program (`vector_loops`) computes nothing.
    """
    names = ["vector_loops", "helper", "add (contiguous)", "axpy (strided 3)", "axpy (indexed)", "axpy (contiguous)"]
    run = _run(1)
    assert run.variants is not None
    kernels = [
        VectorisedKernel(
            benchmark="vectors", kernel=name, bits=[0], texts=["128 bits" if name == "helper" else "scalar"]
        )
        for name in names
    ]
    run = replace(run, variants=replace(run.variants, vectorised=kernels))
    for most, shown in ((None, ["axpy (contiguous)", "helper"]), (1, ["axpy (contiguous)"])):
        (made,) = (table for table in variant_tables.tables(run, most) if "compilers" in table.title)
        assert [row[0] for row in made.rows] == shown and ("1 of 2 functions" in made.note) == (most == 1)


def test_functions_that_a_run_measured_are_shown_by_their_loops() -> None:
    """The loop of `exp` is `exp_of`: of 104 such functions those not measured had stood first, and no other."""
    names = ["atan2_of (scalar)", "exp_of (scalar)", "exp_of (fast vector)", "entries (scalar)"]
    run = _run(2, errors=(0.5, 0.5))
    assert run.variants is not None
    kernels = [
        VectorisedKernel(benchmark="intrinsics", kernel=name, bits=[0, 0], texts=["scalar"] * 2) for name in names
    ]
    run = replace(run, variants=replace(run.variants, vectorised=kernels))
    (made,) = (table for table in variant_tables.tables(run, 16) if "compilers" in table.title)
    assert [row[0] for row in made.rows] == ["exp_of (scalar)"]


def _compared(pairs: dict[str, tuple[float, float]], *, most: int | None = None) -> tuple[BuildVariants, list[Grid]]:
    """Rates of vector loops, or errors of functions, by two variants, each with what only its result says."""
    run = _run(2)
    assert run.variants is not None
    kinds: dict[str, list[list[Any]]] = {"vectors": [[], []], "intrinsics": [[], []]}
    for name, values in pairs.items():
        for at, value in enumerate(values):
            if name in ("exp", "log"):
                case = {"function": name, "type": "float64", "variant": "vector", "range": "usual"}
                case |= {"worst_argument": f"0x1.{at}p+0", "arguments": str(900 + at)}
                found = figure("ulp_max", value, "1", **case)
                kinds["intrinsics"][at].append(found | {"benchmark": "intrinsics", "by_launch": [[0, value]]})
            else:
                found = figure("rate", value, "flop/s", kernel=name, access="contiguous", length="100")
                found |= {"by_launch": [[launch, value] for launch in range(3)], "benchmark": "vectors"}
                kinds["vectors"][at].append(found)
    documents = [
        replace(document(*(section(name, of[at]) for name, of in kinds.items())), run=FLAGS[at], folder="/run")
        for at in range(2)
    ]
    variants = replace(run.variants, rows=comparison.against(*documents))
    return variants, variant_tables.tables(replace(run, variants=variants), most)


def test_errors_are_compared_wherever_their_worst_argument_is() -> None:
    """1.588821 at one argument and 1.591106 at another: the same case, equal within 3%; a tenth more is not."""
    found, _ = _compared({"log": (1.588821, 1.591106), "exp": (1.0, 1.1)})
    rows = {str(row.params["function"]): row for row in found.rows}
    assert {name: row.verdict for name, row in rows.items()} == {"log": "equal", "exp": "differs"}
    assert not {"worst_argument", "arguments"} & rows["log"].params.keys()
    assert [rows["log"].a.params["arguments"], rows["log"].b.params["arguments"]] == ["900", "901"]


def test_an_error_is_no_speed() -> None:
    found, tables = _compared({"log": (2.0, 1.0), "axpy": (4e9, 5e9)})
    assert "1.25 times the speed of A; of 1 cases" in variant_tables.lines(found)[1]
    assert [row[0] for row in tables[0].rows] == ["kernel axpy, access contiguous, length 100"]


def test_zeros_on_both_sides_are_the_last_to_differ() -> None:
    pairs = {"axpy": (0.0, 0.0), "copy": (4e9, 5e9), "dot": (4e9, 4e9)}
    _, (made, *_) = _compared(pairs, most=1)
    assert [(row[0], row[2]) for row in made.rows] == [("kernel copy", "1.25 ?")]
    _, (made, *_) = _compared(pairs)
    assert {row[0]: row[2] for row in made.rows}["kernel axpy"] == "both zero ="


def test_of_how_many_launches_too_few_were_is_said_of_all() -> None:
    """ "1 launch, 6 needed" was the first reason of 140 cases, of which most had three."""
    of_three = "3 launches, 6 needed"
    assert few_launches([of_three, None, "only a bound in A", of_three]) == of_three
    assert few_launches(["1 launch, 6 needed", of_three, "2 launches, 6 needed"]) == "1 to 3 launches, 6 needed"
    assert few_launches([None]) == ""


@pytest.mark.parametrize(
    ("errors", "rows"),
    [
        ((0.5, 0.5), [("all 1 measured", "the same", "the same")]),
        ((0.5, 9.0), [("exp float32 scalar", "0.5", "9")]),
        ((1.588821, 1.591106), [("exp float32 scalar", "1.589", "1.591")]),  # not alike in three digits
    ],
)
def test_errors_that_are_alike_are_one_row(errors: tuple[float, ...], rows: list[tuple[str, ...]]) -> None:
    run = _run(2, errors=errors)
    assert run.variants is not None
    (table,) = variant_accuracy.tables(run, run.variants, ["A", "B"], None)
    assert list(table.rows) == rows


def test_errors_of_a_single_variant_have_no_table() -> None:
    run = _run(1, errors=(0.5,))
    assert run.variants is not None and variant_accuracy.tables(run, run.variants, ["A"], None) == []


@pytest.mark.parametrize(
    ("builds", "said"),
    [
        ([{"flags": "-O1"}, {"flags": "-O2"}], "A (g++ 12.2 -O1)"),
        ([{"flags": "-Wall"}, {"flags": "-Wall -Og"}], "A (g++ 12.2 -Wall, without -O, so not optimised)"),
        ([{"flags": "-Wall -Og"}, {"flags": "-Wall"}], "A (g++ 12.2 -Wall -Og)"),
        ([{"mpi": "mpicxx.mpich"}, {"mpi": "mpicxx"}], "A (MPICH 4.0.2)"),
        ([{"mpi": "default", "transport": "tcp"}, {"mpi": "default"}], "A (MPICH 4.0.2, transport tcp)"),
        ([{"mpi": "default", "compiler": "g++"}, {"mpi": "default", "compiler": "clang++"}], "A (MPICH 4.0.2, by g++)"),
        ([{"mpi": "mpicxx", "by": None}, {"mpi": "default"}], "A (mpicxx)"),
    ],
)
def test_titles_say_what_the_first_variant_is(builds: list[dict[str, Any]], said: str) -> None:
    of_mpi: dict[str, Any] = {"by": "MPICH", "version": "4.0.2", "transport": "default", "compiler": None}
    of_build: dict[str, Any] = {"by": "g++ 12.2", "version": "12.2", "compiler": "g++", "isa": "default"}
    made = [VariantBuild(label="", commands=[], **(of_mpi if "mpi" in each else of_build) | each) for each in builds]
    varied = BuildVariants(builds=made, rows=[], wrong=[], vectorised=None)
    run = replace(document(section("echo", [], headlines=[headline("rate", 1e9, "B/s")])), variants=varied)
    assert variant_tables.first(varied) == said
    lines = summary.brief(run)
    titled = " ".join(" ".join(lines).split())
    assert f"Of {said}, the first variant; the differences of the others are listed below:" in titled
    assert max(map(len, lines)) <= console.WIDTH
