"""Speed and accuracy in a report: one table and one plot, what loses digits named, on page, Markdown and terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from assay.document.build_variants import BuildVariants, VariantBuild
from assay.document.section import Section
from assay.published.tables import known_errors
from assay.report.judge import findings, first_figures, main_figures
from assay.report.render import page, page_parts, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import accuracy
from assay.report.sections.variants import variant_accuracy
from assay.report.units import human
from made_documents import document, figure, section

WANTED = {"time": "time", "error": "ulp_max", "wrong": "other_kind", "across": "variant", "over": "range"}


def case(seconds: float | None, ulp: float, wrong: int = 0, *, state: str = "clean", **params: Any) -> list[Any]:
    """The figures of one case as the program gives them: time, greatest error, results of another kind."""
    at = {"function": "exp", "type": "float32", "range": "usual", **params}
    made = [
        figure("time", seconds, "s", **at),
        figure("ulp_max", ulp, "1", **at, worst_argument="0x1.8p+3"),
        figure("other_kind", float(wrong), "1", **at),
    ]
    return [each | {"state": state} for each in made]


def intrinsics(*cases: list[Any]) -> Section:
    return section("intrinsics", [each for made in cases for each in made], accuracy=WANTED)


def cells(*cases: list[Any]) -> tuple[str, ...]:
    """The one row of the table."""
    made = accuracy.table(intrinsics(*cases))
    assert made is not None
    (row,) = made.rows
    return row


def test_the_time_is_that_of_usual_arguments_and_the_error_the_greatest() -> None:
    slow = case(2e-9, 0.6, variant="scalar"), case(9e-9, 0.65, variant="scalar", range="large")
    fast = case(2e-10, 2.5, variant="vector"), case(3e-10, 1000.0, variant="vector", range="large")
    assert cells(*slow, *fast) == ("exp", "float32", "2 ns, 0.65", "200 ps, 1,000 (large)")


def test_times_of_a_row_are_of_one_range_which_the_note_names() -> None:
    """A row held 3 ns of subnormal arguments beside 1 ns of all: the variants differed by their ranges alone."""
    ranges = {"subnormal": 3e-9, "all": 1e-9, "large": 2e-9}
    slow = [case(seconds, 0.5, variant="scalar", range=name) for name, seconds in ranges.items()]
    fast = [case(seconds / 2, 0.5, variant="fast", range=name) for name, seconds in reversed(ranges.items())]
    other = case(7e-9, 0.5, variant="scalar", range="near", function="log")
    for made in ((*slow, *fast), (*fast, *slow), (*slow[:2], *fast)):  # large is not of every variant in the last
        table = accuracy.table(intrinsics(*made, other))
        assert table is not None
        (row,) = (each for each in table.rows if each[0] == "exp")
        at = "large" if len(made) == 6 else "subnormal"
        assert set(row[2:]) == {f"{ranges[at] * 1e9:g} ns, 0.5", human(ranges[at] / 2, "s", 3) + ", 0.5"}
        assert f"in range {at} (log: near), and" in table.note or f"in range near ({at}" in table.note


@pytest.mark.parametrize(("ulp", "shown"), [(0.59, "2 ns, 0.59"), (0.61, "2 ns, 0.61 (large)")])
def test_the_note_says_from_when_on_a_range_is_named(ulp: float, shown: str) -> None:
    made = accuracy.table(
        intrinsics(case(2e-9, 0.5, variant="scalar"), case(9e-9, ulp, variant="scalar", range="large"))
    )
    assert made is not None and made.rows[0][2] == shown
    factor = re.search(r"more than ([0-9.]+) times the error in the range of the time", made.note)
    assert factor and (ulp > float(factor[1]) * 0.5) == ("large" in shown)


def test_no_digit_is_right_where_a_result_is_of_another_kind() -> None:
    """2^24 ulp is how such results are counted; the words say it."""
    row = cells(case(2e-9, 0.5, variant="fast"), case(2e-9, 2.0**24, 3, variant="fast", range="subnormal"))
    assert row[2] == "2 ns, no digit right (subnormal)"


def test_an_invalid_case_gives_no_number() -> None:
    row = cells(case(2e-9, 0.5, variant="scalar"), case(1e-12, 0.1, variant="fast", state="invalid"))
    assert row == ("exp", "float32", "2 ns, 0.5")


def test_variants_and_functions_stand_in_the_records_order() -> None:
    made = accuracy.table(
        intrinsics(
            case(1e-9, 1, variant="fast-vector", function="sin"),
            case(1e-9, 1, variant="scalar", function="sin"),
            case(1e-9, 1, variant="scalar", function="exp"),
        )
    )
    assert made is not None
    assert made.headings == ("function", "type", "scalar", "fast-vector")
    assert [row[0] for row in made.rows] == ["exp", "sin"] and made.rows[0][3] == "–"


def test_the_plot_has_a_point_for_each_function_and_variant() -> None:
    types = [case(2e-9, 0.5, variant="scalar", type=kind) for kind in ("float32", "float64")]
    made = accuracy.plots(intrinsics(*types, case(1e-9, 3, variant="vector", type="float64")))
    points = [[(t["name"], t["x"], t["y"]) for t in plot["data"]] for plot in made]
    assert points == [[("scalar", [2e-9], [0.5])], [("scalar", [2e-9], [0.5]), ("vector", [1e-9], [3])]]


@pytest.mark.parametrize(("ulp", "wrong", "text"), [(1000.0, 0, "3.0 digits lost"), (2.0**24, 1, "no digit right")])
def test_lost_digits_are_found_and_named(ulp: float, wrong: int, text: str) -> None:
    good = case(2e-9, 0.5, variant="scalar")
    bad = case(2e-10, ulp, wrong, variant="fast", function="sin")
    made = document(intrinsics(good, bad, case(1e-9, 50.0, variant="fast", function="cos")))
    (line,) = [each.text for each in findings.findings(made, [], []) if "sin" in each.text]
    assert line == f"sin of float32, fast: {text} (range usual, at 0x1.8p+3); 1 more"
    quiet = document(intrinsics(good, case(2e-10, 9.9, variant="fast")))
    assert not [each for each in findings.findings(quiet, [], []) if "float32" in each.text]


def test_every_view_of_the_run_has_the_table() -> None:
    many = [case(2e-9, 0.5, variant="scalar", function=name) for name in ("exp", "log", "sin", "cos", "tan", "sinh")]
    made = document(
        intrinsics(*many, *(case(1e-9, 2, variant="fast", function=name) for name in ("exp", "log", "sin")))
    )
    text = io.StringIO()
    terminal.show(made, Console(file=text, width=80))
    assert "speed and accuracy" in text.getvalue() and "2 ns, 0.5" in text.getvalue()
    assert "Time of one element (scalar: one call)" in " ".join(
        text.getvalue().split()
    )  # 1024 of them are a call of the vector variant
    assert "ulp max" not in text.getvalue()  # 27 rows of single figures are for the page
    assert "| exp | float32 | 2 ns, 0.5 | 1 ns, 2 |" in as_markdown(made)
    (block,), drawn = page_parts.parts(made)
    assert block.blocks[0].plots and drawn.plots[block.blocks[0].plots[0]]["data"]
    assert re.search(r"speed and accuracy.*2 ns, 0\.5", page.html(made), re.DOTALL)


def test_a_run_without_main_figures_opens_with_its_first_ones() -> None:
    """intrinsics names no main figure: the verdict shows cases of its time, and their spread gives the grade."""
    made = document(intrinsics(case(1e-9, 2, variant="fast"), case(2e-9, 0.5, variant="scalar")))
    assert [(line.title, line.value) for line in main_figures.lines(made, [])] == [
        ("intrinsics, exp, float32, usual: scalar", 2e-9),
        ("intrinsics, exp, float32, usual: fast", 1e-9),
    ]
    many = [
        case(1e-9, 2, variant="fast", function=name) for name in ("exp", "log", "sin", "cos", "tan", "sinh", "tanh")
    ]
    assert len(main_figures.lines(document(intrinsics(*many)), [])) == first_figures.MOST_FIRST


def test_published_errors_stand_beside_the_greatest_that_was_found() -> None:
    """exp: 0.510359 in print, at most 3.20379 by vector forms; float32 and other variants are no part of it."""
    both = {"function": "exp", "type": "float64"}
    made = document(
        intrinsics(
            case(2e-9, 0.503, variant="scalar", **both),
            case(2e-9, 0.5104, variant="scalar", range="large", **both),
            case(1e-9, 3.2036, variant="vector", **both),
            case(1e-9, 7.0, variant="fast", **both),
            case(1e-9, 9.0, variant="scalar", function="log"),
        )
    )
    (table,) = known_errors.tables(made)
    assert list(table.rows) == [("exp", "0.510", "0.510", "3.20 / 3.20 / 3.20", "3.204")]
    text = io.StringIO()
    terminal.show(made, Console(file=text, width=80))
    assert "Published errors of float64 functions" in text.getvalue()
    assert "| exp | 0.510 | 0.510 | 3.20 / 3.20 / 3.20 | 3.204 |" in as_markdown(made)
    assert not known_errors.tables(document(intrinsics(case(2e-9, 0.5, variant="scalar"))))


def test_errors_of_build_variants_stand_side_by_side_where_they_differ() -> None:
    """A has .5 ulp everywhere; B loses digits of one function, has an invalid one, and is alike in the third."""
    a: dict[str, Any] = {"compiler": "g++", "flags": "-O2", "isa": "native"}
    b: dict[str, Any] = {**a, "flags": "-O3 -ffast-math"}
    varied = [
        *(case(1e-9, 0.5, variant="scalar", function=name, **a) for name in ("exp", "log", "sin")),
        case(1e-9, 999.0, variant="scalar", range="large", function="exp", **b),
        case(1e-9, 0.5, variant="scalar", function="sin", **b),
        case(None, 0.5, variant="scalar", function="log", state="invalid", **b),
    ]
    found = BuildVariants(
        builds=[VariantBuild(label=each["flags"], by=None, version=None, commands=[], **each) for each in (a, b)],
        rows=[],
        wrong=[],
        vectorised=None,
    )
    of = replace(document(), benchmarks=[intrinsics(*varied)])
    (table,) = variant_accuracy.tables(of, found, ("A", "B"), None)
    assert table.headings == ("function", "A", "B")
    assert sorted(table.rows) == [
        ("exp float32 scalar", "0.5", "999 (large)"),
        ("log float32 scalar", "0.5", "–"),
    ]
    assert "2 of 3 differ" in table.note
    (first,) = variant_accuracy.tables(of, found, ("A", "B"), 1)
    assert len(first.rows) == 1 and "2 of 3 differ: the first 1" in first.note
