"""What a run of a benchmark without main figures opens with: what its record names first, at one length."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.document.build_variants import BuildVariants, VariantBuild
from assay.document.json_form import to_json
from assay.report.judge import bounds, main_figures
from assay.report.judge.first_figures import with_headlines
from assay.report.render.markdown import markdown as as_markdown
from assay.report.render.one_line import one_line
from command_line import assay
from made_documents import document, figure, headline, section

PATTERNS = ("neighbour-2d", "broadcast", "pingpong", "transposition")  # by no order of anybody's


def titles(name: str, figures: list[dict[str, Any]], **more: Any) -> list[tuple[str, float | None]]:
    made = document(section(name, figures, part="messages", title=name, **more))
    return [(line.title, line.value) for line in main_figures.lines(made, [])]


def test_patterns_come_in_the_papers_order_at_their_longest_length_without_what_was_counted() -> None:
    derived: dict[str, dict[str, Any]] = {"neighbour-2d": {"crossed": 4}, "transposition": {"matrix": 64800}}
    figures = [
        figure("rate", 1e6 * length * (1 + at), "B/s", pattern=name, bytes=length, ranks=8, **derived.get(name, {}))
        for length in (1024, 65536)
        for at, name in enumerate(PATTERNS)
    ]
    expected = [("pingpong", 3), ("broadcast", 2), ("transposition", 4), ("neighbour-2d", 1)]
    for made, length, words in ((figures, 65536, "64 KiB"), (figures[:4], 1024, "1 KiB")):
        case = f"patterns, {words}, 8 ranks"
        assert titles("patterns", made) == [(f"{case}: {name}", 1e6 * length * of) for name, of in expected]


def test_a_time_is_that_of_the_shortest_length_and_a_librarys_come_first() -> None:
    """Bounds only, so that no choice of the library is judged."""
    figures = [
        figure("time", 1e-6 * length * (1 + at), "s", "best", operation=operation, algorithm=way, bytes=length, ranks=4)
        | {"estimator": "best", "state": "bound"}
        for length in (1024, 8)
        for operation in ("scan", "allreduce")
        for at, way in enumerate(("binomial", "library"))
    ]
    wanted = {"figure": "time", "across": "algorithm", "own": "library"}
    assert titles("collective", figures, choice=wanted) == [
        ("collective, 8 B, 4 ranks, library: allreduce", 16e-6),
        ("collective, 8 B, 4 ranks, library: scan", 16e-6),
    ]


def test_a_hardware_thread_with_itself_is_no_transfer_between_two() -> None:
    """Only where there is no other does it stand; the others' spread is the run's."""
    times = [
        figure("time", 1e-9 if first == second else 5e-8, "s", first=first, second=second) | {"headline": True}
        for first, second in ((0, 0), (0, 1), (1, 1))
    ]
    assert [value for _, value in titles("core-to-core", times)] == [5e-8]
    assert [value for _, value in titles("core-to-core", times[:1])] == [1e-9]


def test_what_is_neither_a_rate_nor_a_time_is_named() -> None:
    """A gap, an overlap: beside a length alone nobody could tell what 50% is. Said once where the benchmark's is it."""
    for figure_name, said in (("communication_hidden", "overlap, communication hidden"), ("overlap", "overlap")):
        shares = [figure(figure_name, 0.5, "1", bytes=length) for length in (8, 16)]
        assert [title for title, _ in titles("overlap", shares)] == [f"{said}: 8 B", f"{said}: 16 B"]


@pytest.mark.parametrize(("value", "bar"), [(0.4, "40%"), (-0.004, "0%"), (1.002, "100%")])
def test_a_part_is_bound_by_the_whole(value: float, bar: str) -> None:
    """Also where noise puts it below nothing or above all; one of which less is better has no such bound."""
    part = figure("communication_hidden", value, "1") | {"help": "part of communicating that computing hides"}
    for better in ("higher", "lower"):
        run = document(section("overlap", [part | {"better": better}], part="messages"))
        (line,) = main_figures.lines(run, [])
        if better == "lower":
            assert line.bound is None
        else:
            assert line.bar is not None and line.bar.text == bar
            assert line.bound_text == "of 100%: the whole"


@pytest.mark.parametrize("direction", ["read", "write"])
def test_what_all_cases_have_alike_is_said_where_it_makes_another_measurement(direction: str) -> None:
    """A rate of reading is none of writing; the two ranks of a pair need not be said."""
    about: dict[str, Any] = {"direction": direction, "bytes": 65536, "layout": "own", "host": 1}
    single = figure("rate", 1e9, "B/s", **about, ranks=64)
    assert titles("parallel-files", [single]) == [(f"parallel-files, {direction}, 64 KiB, 64 ranks", 1e9)]
    pair = figure("rate", 1e9, "B/s", bytes=8, ranks=2)
    assert titles("host", [pair]) == [("host, 8 B", 1e9)]


def test_the_benchmark_is_named_with_its_size_and_once_in_one_line() -> None:
    """What the heading of a run's folder says is not there in the line that `-q` prints."""
    made = [figure("rate", 1e9 * (2 - at), "flop/s", code=code, size=4096) | {"headline": True}
            for at, code in enumerate(("library", "ours"))]  # fmt: skip
    whole = document(section("fft", made, part="processor", title="Fourier transform (EuroBen mod2f)"))
    heads = [line.title for line in main_figures.lines(whole, [])]
    assert heads == ["Fourier transform, size 4096: library", "Fourier transform, size 4096: ours"]
    line = one_line(whole)
    assert "Fourier transform, size 4096: library 2 Gflop/s (1.8" in line
    assert "), ours 1 Gflop/s (" in line and line.count("Fourier") == 1


@pytest.mark.parametrize(("left", "share"), [(0.5, 0.5), (1.0, 1.0), (1.02, 1.0)])
def test_a_pair_in_random_pairings_is_beside_what_it_has_alone_in_the_same_case(left: float, share: float) -> None:
    """Above what it has alone a pair is by noise."""
    about: dict[str, Any] = {"bytes": 1024, "ranks": 8}
    main = headline("pair", 5e8, "B/s", bound="pair_alone", better="higher") | {"params": about}
    known = [figure("share", of, "1", bytes=length, ranks=8) for length, of in ((1024, left), (8, 0.1))]
    made = document(section("bisection", known, headlines=[main], part="messages"))
    found = bounds.share(made.benchmarks[0].headlines[0], made)
    assert found is not None and found.share == pytest.approx(share)
    assert found.value == pytest.approx(5e8 / share)


def test_a_size_that_the_program_chooses_is_no_part_of_a_title() -> None:
    """STREAM's arrays are as large as the caches ask for: they are not of 0 B."""
    made = [figure("rate", 1e10, "B/s", kernel=kernel, size=0, threads=1) for kernel in ("copy", "read")]
    assert {title for title, _ in titles("stream", made)} == {"stream: copy", "stream: read"}
    made = [figure("rate", 1e10, "B/s", kernel=kernel, size=1 << 20, threads=1) for kernel in ("copy", "read")]
    assert {title for title, _ in titles("stream", made)} == {"stream, 1 MiB: copy", "stream, 1 MiB: read"}


def test_a_rate_of_no_bytes_is_not_shown_first() -> None:
    """It is zero by definition; messages per second are not, and what was asked for alone is shown."""
    made = [figure("rate", 1e6 * length, "B/s", bytes=length) for length in (0, 8, 16)]
    assert titles("self", made) == [("self: 8 B", 8e6), ("self: 16 B", 16e6)]
    assert [value for _, value in titles("self", made[:1])] == [0.0]
    made = [figure("messages", 1e6, "1/s", bytes=length) for length in (0, 8)]
    assert len(titles("self", made)) == 2


def test_json_has_as_headlines_what_stands_for_main_figures() -> None:
    figures = [figure("rate", 1e6 * at, "B/s", pattern=name, ranks=8) for at, name in enumerate(PATTERNS, 1)]
    made = document(section("patterns", figures, part="messages"), section("empty", [], part="messages"))
    first, second = to_json(with_headlines(made))["benchmarks"]
    shown = [(line.title, line.value, line.params) for line in main_figures.lines(made, [])]
    assert [(each["title"], each["value"], each["params"]) for each in first["headlines"]] == shown and len(shown) == 4
    assert second["headlines"] == []
    main = headline("main", 1e9, "B/s")
    both = document(section("patterns", figures, part="messages"), section("main", [], headlines=[main]))
    assert with_headlines(both) == both  # a run with main figures shows those alone


def test_headlines_in_json_name_the_variant_that_they_are_of() -> None:
    about: dict[str, Any] = {"compiler": "g++", "isa": "default", "by": None, "version": None, "commands": []}
    builds = [VariantBuild(label=label, flags=f"-O{label}", **about) for label in "12"]
    figures = [
        figure("rate", value, "B/s", length=8, compiler="g++", flags=f"-O{label}", isa="default")
        for value, label in ((1e9, "1"), (2e9, "2"))
    ]
    made = document(section("vectors", figures, part="kernels"))
    made = replace(made, variants=BuildVariants(builds=builds, rows=[], wrong=[], vectorised=[]))
    (head,) = with_headlines(made).benchmarks[0].headlines
    assert head.figure.value == 1e9 and head.figure.params == figures[0]["params"]


@pytest.mark.parametrize("words", [("patterns", "-n", "3"), ("bandwidth", "-n", "2")])
def test_a_script_reads_the_headlines_that_a_person_is_shown(words: tuple[str, ...], tmp_path: Path) -> None:
    given = ("run", *words, "--on", "sgi-l1200-cluster:ethernet", "--out", str(tmp_path / "run"), "--json")
    heads = assay(*given).document["headlines"]
    again = assay("report", str(tmp_path / "run"), "--json").document
    assert again["benchmarks"][0]["headlines"] == heads
    shown = " ".join(assay("report", str(tmp_path / "run")).out.split())
    assert heads and all(head["title"] in shown for head in heads)
    assert [head["title"] for head in heads] == [line["title"] for line in again["summary"]["lines"]]


def test_without_main_figures_markdown_has_no_empty_table_of_them() -> None:
    figures = [figure("rate", 1e6, "B/s", pattern="broadcast", bytes=8, ranks=8)]
    made = document(section("patterns", figures, part="messages"))
    assert "Main figures" not in as_markdown(made)
    main = document(section("patterns", figures, part="messages", headlines=[headline("main", 1e9, "B/s")]))
    assert "**Main figures**" in as_markdown(main)
