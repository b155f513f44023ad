"""A library's choice beside the best algorithm: a planted slow one is named, equal ones are not, intervals hold."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from assay.analysis.chosen import Rival, judge_choices
from assay.analysis.comparison import ComparisonVerdict, compare
from assay.document.choice import Choice, ChoiceWanted
from assay.document.json_form import from_json, to_json
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.judge import findings, main_figures
from assay.report.render import page_parts, summary, terminal
from assay.report.render.case_words import words_of
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import choices
from command_line import assay
from made_documents import document, figure, section

WANTED = {"figure": "time", "across": "algorithm", "own": "library"}
LAUNCHES = 30
ROOT = Path(__file__).resolve().parent.parent
Times = dict[str, NDArray[np.float64]]


def times(random: np.random.Generator, medians: dict[str, float], noise: float, launches: int = LAUNCHES) -> Times:
    """Launch medians of each way: a launch moves all of them together, and each a little by itself."""
    together = random.normal(0, 0.2, launches)
    return {name: value * np.exp(together + random.normal(0, noise, launches)) for name, value in medians.items()}


def cell(made: Times, state: str = "clean", **params: Any) -> list[dict[str, Any]]:
    about = {"ranks": 8, "root": 0, "bytes": 1024, **params}
    return [
        figure("time", float(np.median(values)), "s", algorithm=name, **about)
        | {"by_launch": [[i, value] for i, value in enumerate(values.tolist())], "state": state, "better": "lower"}
        for name, values in made.items()
    ]


def chosen(figures: list[dict[str, Any]]) -> list[Choice]:
    known = [from_json(ReportedFigure, each) for each in figures]
    return choices.choices(known, from_json(ChoiceWanted, WANTED), described=False)


def collectives(launches: int = LAUNCHES) -> Section:
    """Two operations at two lengths: the library's allreduce of 64 KiB is 1.7 times slower than the ring."""
    random = np.random.default_rng(7)
    figures = []
    for operation, ways in {"broadcast": ("binomial", "linear"), "allreduce": ("ring", "binomial")}.items():
        for length in (1024, 65536):
            slow = 1.7 if (operation, length) == ("allreduce", 65536) else 1.0
            medians = {"library": slow * length * 1e-9, ways[0]: length * 1e-9, ways[1]: 2 * length * 1e-9}
            figures += cell(times(random, medians, 0.03, launches), operation=operation, bytes=length)
    found = [to_json(each) for each in chosen(figures)]
    return section("collective", figures, choice=WANTED, choices=found, part="messages", title="Collectives")


def test_the_planted_slow_choice_is_named_with_the_best_way_and_an_interval_that_holds() -> None:
    (named,) = [each for each in collectives().choices or () if each.slower]
    assert (named.params["operation"], named.params["bytes"], named.best) == ("allreduce", 65536, "ring")
    assert named.ci95 is not None
    assert named.ci95[0] < 1.7 < named.ci95[1]
    assert named.ci95[1] / named.ci95[0] < 1.1
    assert named.comparisons == 8


def test_it_stands_on_the_first_screen_in_the_tables_and_in_the_plots() -> None:
    made = collectives()
    whole = document(made)
    (line,) = [each for each in findings.findings(whole, [], []) if "your library" in each.text]
    assert line.text.startswith("your library's choice for allreduce of 64 KiB on 8 ranks is 1.7 times slower")
    assert "than the best (ring), 1." in line.text and "set the library's algorithm" in line.advice
    assert line.advice.endswith("; the report compares them in its part on messages")  # a sentence on a terminal, too
    on_a_described = findings.findings(replace(whole, described={"name": "m"}), [], [])
    (line,) = [each for each in on_a_described if "its library" in each.text]
    assert line.advice.startswith("use the faster one")  # nobody can set anything there
    table = choices.table(made)
    assert table is not None
    *others, (*_, slower) = table.rows
    low, high = map(float, slower.split(" to "))
    assert [row[-1] for row in others] == ["–"] * 3 and low <= 1.7 <= high
    out = io.StringIO()
    Console(file=out, width=80).print(table.rich())
    lines = out.getvalue().splitlines()
    assert all(any(all(cell in line for cell in row) for line in lines) for row in table.rows)  # none is folded
    assert "1.7" in as_markdown(whole)
    out = io.StringIO()
    terminal.show(whole, Console(file=out, width=160))
    assert "not shown to be" in " ".join(out.getvalue().split())
    shown, drawn = page_parts.parts(whole)
    (block,) = shown[0].blocks
    assert table in block.tables
    first = drawn.plots[block.plots[0]]
    assert first["layout"]["title"]["text"].startswith("allreduce of 8 ranks")  # where the choice is slow comes first
    ring = next(trace for trace in first["data"] if trace["name"] == "ring")
    assert ring["x"] == [1024, 65536]


def test_a_run_opens_with_the_choice_and_the_best_of_its_worst_case() -> None:
    """By alphabet the first six cases would be binomial ones, which nobody asked about."""
    whole = document(collectives())
    titles = [line.title for line in main_figures.lines(whole, [])]
    assert titles[:2] == ["allreduce, 64 KiB: library", "allreduce, 64 KiB: ring"]
    assert len(titles) == 6 and all(title.endswith(": library") for title in titles[::2])
    said = " ".join(" ".join(summary.brief(whole)).split())
    assert "your library's choice for allreduce of 64 KiB on 8 ranks is 1.7 times slower than the best (ring)," in said


def test_operations_that_are_not_said_are_counted_with_the_worst() -> None:
    """Of three operations the first screen's two lines leave out one; of two, none."""
    made = collectives()
    assert made.choices is not None
    (slow,) = [each for each in made.choices if each.slower]

    def said(*names: str) -> list[str]:
        found = [replace(slow, params=slow.params | {"operation": name}, ratio=2.0 + len(name)) for name in names]
        whole = document(replace(made, choices=found))
        return [each.text for each in findings.findings(whole, [], []) if "times slower" in each.text]

    three = said("allreduce", "reduce", "scan")
    assert len(three) == 2 and [line.endswith("(and 1 more operation)") for line in three].count(True) == 1
    assert said("allreduce", "reduce", "scan", "gather")[0].endswith("(and 2 more operations)")
    assert not any("more operation" in line for line in said("allreduce", "reduce"))


def test_each_of_several_mpis_and_transports_is_named_with_its_own_worst_case() -> None:
    """One operation, slow by one MPI over TCP and slower still by the default one: two libraries, two lines."""
    random = np.random.default_rng(8)
    figures = []
    for mpi, transport, slow in (("default", "default", 3.0), ("mpicxx.mpich", "tcp", 2.5), ("mpicxx.mpich", "shm", 1)):
        medians = {"library": slow * 1e-3, "ring": 1e-3}
        figures += cell(times(random, medians, 0.03), operation="allreduce", mpi=mpi, transport=transport)
    found = [to_json(each) for each in chosen(figures)]
    whole = document(section("collective", figures, choice=WANTED, choices=found, part="messages", title="Collectives"))
    said = [each.text for each in findings.findings(whole, [], []) if "times slower" in each.text]
    case = "your library's choice for allreduce of 1 KiB on 8 ranks by"
    assert [line.partition(" times")[0] for line in said] == [
        f"{case} the default MPI is 3",
        f"{case} mpicxx.mpich over tcp is 2.5",
    ]
    titles = [line.title for line in main_figures.lines(whole, [])]
    assert titles[:2] == [
        "allreduce, 1 KiB by the default MPI: library",
        "allreduce, 1 KiB by the default MPI: ring",
    ]


def test_cases_that_differ_in_ranks_per_node_alone_are_told_apart_on_the_first_screen() -> None:
    made = collectives()
    figures = [to_json(figure) for figure in made.figures if figure.params["operation"] == "allreduce"]
    both = [each | {"params": each["params"] | {"ppn": ppn}} for each in figures for ppn in (1, 2)]
    found = [to_json(each) for each in chosen(both)]
    whole = document(section("collective", both, choice=WANTED, choices=found, part="messages", title="Collectives"))
    titles = [line.title for line in main_figures.lines(whole, [])]
    assert titles[:2] == ["allreduce, 64 KiB, 1 per node: library", "allreduce, 64 KiB, 1 per node: ring"]
    assert len(set(titles)) == len(titles)


def test_cases_with_and_without_skew_are_told_apart_and_it_has_a_unit() -> None:
    made = collectives()
    figures = [to_json(figure) for figure in made.figures if figure.params["bytes"] == 65536]
    figures = [each for each in figures if each["params"]["operation"] == "allreduce"]
    both = [each | {"params": each["params"] | skew} for each in figures for skew in ({}, {"skew": 1e-4})]
    found = [to_json(each) for each in chosen(both)]
    of = section("collective", both, choice=WANTED, choices=found, part="messages", title="Collectives")
    table = choices.table(of)
    assert table is not None and table.headings[:3] == ("operation", "bytes", "skew")
    assert sorted(row[2] for row in table.rows) == ["100 µs", "–"]
    assert len({row[:3] for row in table.rows}) == len(table.rows)
    assert [choices.named(each) for each in of.choices or ()] == [
        "allreduce of 64 KiB on 8 ranks",
        "allreduce of 64 KiB on 8 ranks, skew 100 µs",
    ]
    assert words_of("collective", {"operation": "scan", "skew": 1e-4}) == "operation scan, skew 100 µs"
    titles = [line.title for line in main_figures.lines(document(of), [])]
    assert any(title.startswith("allreduce, 64 KiB, skew 100 µs: ") for title in titles)


def test_names_of_algorithms_are_whole_in_a_terminal_of_80_columns() -> None:
    made = collectives()
    assert made.choices is not None
    table = choices.table(replace(made, choices=[replace(each, best="recursive-doubling") for each in made.choices]))
    assert table is not None
    out = io.StringIO()
    Console(file=out, width=80).print(table.rich())
    assert out.getvalue().count("recursive-doubling") == len(made.choices)


def test_a_run_that_shows_no_slower_choice_says_so_and_why() -> None:
    few = document(collectives(launches=5))
    said = " ".join(" ".join(summary.brief(few)).split())
    assert "your library's choice is not shown slower than the best of the algorithms in any of 4 cases" in said
    assert "it looks slowest for allreduce of 64 KiB on 8 ranks, 1.7 times the time of ring: " in said
    described = replace(few, described={"name": "m"})
    assert "its library's choice is not shown slower" in " ".join(" ".join(summary.brief(described)).split())


def test_what_the_json_says_can_be_read_again() -> None:
    made = collectives()
    assert from_json(Section, to_json(made)) == made


def test_few_launches_name_nothing() -> None:
    assert not any(each.slower or each.ci95 for each in collectives(launches=5).choices or ())


@pytest.mark.parametrize("state", ["bound", "invalid"])
def test_a_case_without_an_estimate_is_not_judged(state: str) -> None:
    random = np.random.default_rng(1)
    made = times(random, {"library": 2e-6, "ring": 1e-6}, 0.01)
    assert chosen(cell(made, state, operation="allreduce")) == []


def rivals(random: np.random.Generator, medians: dict[str, float], noise: float, launches: int) -> dict[str, Rival]:
    made = times(random, medians, noise, launches)
    own = made.pop("library")
    return {name: Rival(compare(values, own), values.tolist(), own.tolist()) for name, values in made.items()}


def test_equal_choices_are_hardly_ever_named() -> None:
    """40 runs without any difference: 5% of them may have a false name, without a correction nearly half would."""
    random = np.random.default_rng(11)
    equal = dict.fromkeys(("library", "ring", "binomial", "linear"), 1e-6)
    runs = [[rivals(random, equal, 0.2, 12) for _ in range(10)] for _ in range(40)]
    false = sum(any(each.slower for each in judge_choices(run)) for run in runs)
    assert false <= 5  # P(more of 40) at 5% is 1.4%
    every = [[rival.comparison for cell in run for rival in cell.values()] for run in runs]
    alone = sum(any(each.verdict is ComparisonVerdict.DIFFERS and each.ratio > 1 for each in run) for run in every)
    assert alone >= 12  # the test would see it


def test_of_the_intervals_that_are_stated_few_miss_though_the_best_was_picked() -> None:
    """Three ways that are all 1.15 times faster: the best of them looks faster than it is."""
    random = np.random.default_rng(5)
    faster = {"library": 1.15e-6, "ring": 1e-6, "binomial": 1e-6, "linear": 1e-6}
    stated = [
        each.ci95
        for _ in range(40)
        for each in judge_choices([rivals(random, faster, 0.1, 20) for _ in range(4)])
        if each.ci95 is not None
    ]
    missed = sum(not low <= 1.15 <= high for low, high in stated)
    assert len(stated) > 60
    assert missed <= 0.08 * len(stated)  # 5% on average


def test_a_cell_is_not_named_where_the_launches_are_too_few_for_its_interval() -> None:
    """Eight launches: an interval may leave 2 / 2^8 outside, less than which one cell among forty is not allowed."""
    random = np.random.default_rng(3)
    slow = {"library": 3e-6, "ring": 1e-6}
    equal = {"library": 1e-6, "ring": 1e-6}
    one = judge_choices([rivals(random, slow, 0.01, 8), *(rivals(random, equal, 0.01, 8) for _ in range(39))])
    assert [each.slower for each in one] == [False] * 40
    all_slow = judge_choices([rivals(random, slow, 0.01, 8) for _ in range(40)])
    assert all(each.slower and each.level == pytest.approx(0.95) for each in all_slow)


def test_a_run_on_a_described_machine_compares_its_own_barrier(tmp_path: Path) -> None:
    """A dissemination barrier of six ranks takes three rounds, the library's as many: nothing varies."""
    machine = ROOT / "examples" / "constant.toml"
    words = ("--set", "operation=barrier", "-n", "6", "--out", str(tmp_path / "run"), "--json")
    made = assay("run", "collective", "--on", str(machine), *words)
    (found,) = made.document["choices"]
    assert (found["best"], found["slower"], found["ratio"]) == ("dissemination", False, pytest.approx(1))
