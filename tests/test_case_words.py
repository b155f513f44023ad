"""Cases in words: bytes by their unit, and a 0 that is no amount by what the record says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.document.comparison import FigureRow
from assay.document.json_form import from_json
from assay.document.params import placement_from_host
from assay.report.render import cases, comparison_tables, plots, tables
from assay.report.render.case_words import case_words, value_words
from assay.report.units import human, unit_of
from made_documents import figure, section


@pytest.mark.parametrize(
    ("name", "key", "value", "words"),
    [
        ("latency", "size", 128 * 2**20, "128 MiB"),
        ("latency", "size", 1000, "1000 B"),
        ("file-rate", "size", 32 * 2**20, "32 MiB"),
        ("echo", "bytes", 65536, "64 KiB"),
        ("stream", "size", 0, "automatic"),  # "0: four times the last-level cache that …"
        ("stream", "vector", 0, "as compiled"),
        ("stream", "vector", 256, "256"),
        ("stream", "kernel", "copy", "copy"),
        ("stream", "threads", 2, "2"),
        ("loaded-latency", "pause", 0, "0"),  # an amount
    ],
)
def test_a_value_is_said_as_its_record_explains_it(name: str, key: str, value: int | str, words: str) -> None:
    assert value_words(key, value, benchmark(name)) == words


def test_tables_plots_and_the_page_say_the_same() -> None:
    made = [figure("rate", 1e9 * t, "B/s", kernel="copy", size=0, vector=0, threads=t) for t in (1, 2, 4)]
    of = section("stream", made)
    note = "All with kernel copy, size automatic, vector as compiled."
    assert tables.figures(of).note == cases.cases(of)["note"] == note
    sizes = section("latency", [figure("latency", 1e-9 * n, "s", size=n * 2**20, pages="huge") for n in (1, 2, 4)])
    assert [row[0] for row in tables.figures(sizes).rows] == ["size 1 MiB", "size 2 MiB", "size 4 MiB"]
    assert [row[1]["t"] for row in cases.cases(sizes)["rows"]] == ["1 MiB", "2 MiB", "4 MiB"]
    dots = plots.points(sizes)
    assert dots is not None and dots["data"][0]["y"][0] == "size 1 MiB"


@pytest.mark.parametrize(
    ("help_", "value", "words"),
    [
        ("keys per second", 34.9e6, "34.9 M keys/s"),
        ("numbers per second", 5e8, "500 M numbers/s"),
        ("messages of all pairs per second", 6.08e6, "6.08 M messages/s"),
        ("acquisitions per second, all threads together", 12.0, "12 acquisitions/s"),
        ("round trips per second that passed", 2e6, "2 M/s"),  # of more than one word: as before
        ("", 2e6, "2 M/s"),
    ],
)
def test_a_rate_of_things_says_which(help_: str, value: float, words: str) -> None:
    of = section("b", [figure("rate", value, "1/s") | {"help": help_}]).figures[0]
    assert human(of.value, unit_of(of), 3) == words


def row(benchmark_name: str, **params: Any) -> FigureRow:
    side = {"run": "r", "median": 1e9, "value": 1e9, "params": params, "kind": "measured", "state": "clean"}
    side |= {"estimator": "median", "disturbance": None, "launches": 3}
    about = {"benchmark": benchmark_name, "metric": "m", "figure": "rate", "params": params, "a": side, "b": side}
    about |= {"unit": "B/s", "better": "higher", "ratio": 1.0, "margin": 0.03, "verdict": "equal", "reason": None}
    return from_json(FigureRow, about)


@pytest.mark.parametrize(("virtual", "near"), [(True, 1), (True, 2), (False, 1), (None, 1)])
def test_a_guest_is_told_where_its_processors_lie(virtual: bool | None, near: int) -> None:
    """Tables, page, causes and comparisons say so on a virtual machine; the case itself, which is a key, stays."""
    words = ["same core complex", "same socket"][:near]
    made = [figure("rate", 1e9, "B/s", bytes=8 * n, placement=word) for n in (1, 2) for word in words]
    assert placement_from_host([each["params"] for each in made], [virtual]) is (virtual or None)
    assert (
        placement_from_host([{"placement": "same node"}, {"bytes": 8}], [virtual]) is None
    )  # it knows what it is itself
    of = replace(section("echo", made), guest=placement_from_host([each["params"] for each in made], [virtual]))
    plain = row("echo", bytes=8, placement=words[0])
    beside = replace(plain, a=replace(plain.a, guest=virtual or None))
    grids = [tables.figures(of), comparison_tables.table_of_runs([beside], "one", "another")]
    texts = [" ".join([each.note, *(cell for line in each.rows for cell in line)]) for each in grids]
    page = cases.cases(of)
    texts.append(" ".join([page["note"], *(cell["t"] for line in page["rows"] for cell in line)]))
    for text in texts:
        near_by = text.count("same core complex") + text.count("same socket")
        assert text.count("(as reported to the guest)") == (near_by if virtual else 0)
        assert words[0] in text
    assert [each.params["placement"] for each in of.figures] == words * 2 and beside.params["placement"] == words[0]


def test_two_runs_beside_each_other_say_their_cases_alike() -> None:
    rows = [row("latency", size=n * 2**20, pages="huge") for n in (1, 2)]
    made = comparison_tables.table_of_runs(rows, "one", "another")
    assert [line[1] for line in made.rows] == ["size 1 MiB", "size 2 MiB"] and "All with pages huge." in made.note
    (alone,) = comparison_tables.table_of_runs([row("stream", size=0, vector=0)], "one", "another").rows
    assert alone[1] == "size automatic, vector as compiled"


def test_a_program_without_a_record_says_its_numbers() -> None:
    assert case_words({"size": 0, "bytes": 4096, "hops": None}, None) == "size 0, bytes 4 KiB"
