"""`assay catalogue` shows every published number asked for, in a table that fits a terminal, and as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from assay import cli
from assay.machine import catalogue
from assay.machine.pivot import grids
from assay.machine.published import Event


class Shown(NamedTuple):
    status: int
    stdout: str
    stderr: str


Assay = Callable[..., Shown]


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    """The command line, in this process, on a terminal of 80 columns."""

    def run(*words: str) -> Shown:
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setattr(sys, "argv", ["assay", "catalogue", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return Shown(int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def document(assay: Assay) -> Callable[..., Any]:
    def ask(*words: str) -> Any:
        done = assay(*words, "--json")
        assert done.status == 0, done.stderr
        return json.loads(done.stdout)

    return ask


def test_list(assay: Assay, document: Callable[..., Any]) -> None:
    done = assay()
    assert max(map(len, done.stdout.split("\n"))) <= 80
    for machine in catalogue.load().machines:
        assert re.search(rf"^{re.escape(machine)} ", done.stdout, re.MULTILINE)
    said = document()
    assert {each["id"] for each in said["machines"]} == set(catalogue.load().machines)
    cells = sum(each["cells"] for each in said["machines"])
    assert cells == sum(cell.machine is not None for cell in catalogue.cells())


@pytest.mark.parametrize("name", ["ipsc860", "IPSC/860", "Intel iPSC/860"])
def test_one_machine(document: Callable[..., Any], name: str) -> None:
    said = document(name)
    assert said["machine"]["id"] == "ipsc860"
    assert len(said["cells"]) == len(catalogue.cells(machine="ipsc860"))
    assert all(cell["machine"] == "ipsc860" for cell in said["cells"])
    assert "d91h.hop-ipsc860-long" in {claim["id"] for claim in said["claims"]}


@pytest.mark.parametrize("words", [("delta",), ("--benchmark", "echo"), ("sgi-l1200-cluster",), ("--claims",)])
def test_it_fits_a_terminal(assay: Assay, words: tuple[str, ...]) -> None:
    done = assay(*words)
    assert done.status == 0, done.stderr
    assert max(map(len, done.stdout.split("\n"))) <= 80


def test_one_benchmark_as_printed(assay: Assay, document: Callable[..., Any]) -> None:
    shown = assay("--benchmark", "echo").stdout
    assert re.search(r"^8192 +2604\.8 +2576\.1 +2556\.0 +2528\.4 +2509\.0 +2486\.2 *$", shown, re.MULTILINE)
    assert "1869.3?" in shown
    said = document("--benchmark", "Echo, node to node")
    assert said["benchmark"]["id"] == "echo"
    eight = [
        cell for cell in said["cells"] if cell["machine"] == "ipsc860" and cell["params"] == {"message_B": 8, "hops": 1}
    ]
    assert [(cell["value"], cell["unit"], cell["printed"]) for cell in eight] == [(1e5, "B/s", 100.0)]


def test_machine_and_benchmark_together(document: Callable[..., Any]) -> None:
    said = document("ipsc2", "--benchmark", "caltech")
    assert len(said["cells"]) == len(catalogue.cells(machine="ipsc2", benchmark="caltech")) > 9


def test_a_paper(assay: Assay, document: Callable[..., Any]) -> None:
    said = document("ghosh_parallel_io")
    assert len(said["blocks"]["formula"]) == 26 and said["paper"]["id"] == "ghosh_parallel_io"
    assert "holds:" in assay("ghosh_parallel_io").stdout


def test_claims(document: Callable[..., Any]) -> None:
    assert len(document("--claims")["claims"]) == len(catalogue.load().claims)
    said = document("paragon-mp", "--claims")
    assert said["claims"] and "cells" not in said


def test_own_benchmarks(assay: Assay, document: Callable[..., Any]) -> None:
    said = document("--benchmarks")["benchmarks"]
    assert {"name", "part", "parameters", "figures"} <= set(said[0])
    lines = assay("--benchmarks").stdout.splitlines()
    for each in said:  # a line each, below its part
        (line,) = [number for number, line in enumerate(lines) if re.match(rf"{re.escape(each['name'])} ", line)]
        assert lines[line].endswith(f"  {each['title']}")
        assert next(lines[above] for above in range(line, 0, -1) if not lines[above - 1]) == each["part"]
    one = assay("--benchmarks", "echo").stdout
    assert (
        "--set bytes=0,1,3,…,4194304 (" in one and document("--benchmarks", "echo")["benchmarks"][0]["name"] == "echo"
    )
    shown = " ".join("".join(assay("--benchmarks", each["name"]).stdout for each in said).split())
    assert "--set direction=write,read write new files; " in shown
    assert "--set passes=1; on a described machine 6 " in shown
    assert not re.search(r"--set \w+=[(\[]", shown)
    passes = next(each for each in said if each["name"] == "tournament")["parameters"]["passes"]
    assert (passes["default"], passes["described"]) == (1, 6)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("ipsc861",), "ipsc860"),
        (("--benchmark", "ecco"), "echo"),
        (("nonsense",), "expected"),
        (("--benchmarks", "--claims"), "--benchmarks"),
        (("--benchmarks", "ecco"), "echo"),
    ],
)
def test_bad_names_end_in_one_clear_line(assay: Assay, words: tuple[str, ...], hint: str) -> None:
    done = assay(*words)
    assert done.status == 2 and not done.stdout
    assert done.stderr.count("\n") == 1 and hint in done.stderr


@pytest.mark.parametrize("machine", catalogue.load().machines)
def test_pivots_show_every_number_once(machine: str) -> None:
    """As many numbers in the tables as cells, whatever the machine."""
    cells = catalogue.cells(machine=machine)
    laid = grids(cells)
    shown = sum(entry != "–" for grid in laid for row in grid.rows for entry in row[len(row) - len(grid.columns) :])
    assert shown == len(cells)


@pytest.mark.parametrize("paper", catalogue.load().papers)
def test_pivots_of_whole_papers_lose_nothing(paper: str) -> None:
    cells = catalogue.cells(paper=paper)
    shown = [
        entry.rstrip("?")
        for grid in grids(cells)
        for row in grid.rows
        for entry in row[len(row) - len(grid.columns) :]
        if entry != "–"
    ]
    assert sorted(shown) == sorted(str(cell.printed) for cell in cells)


def test_a_paper_says_when_what_happened(assay: Assay) -> None:
    shown = assay("dunigan1995_paragon_mp").stdout
    events = [each for each in catalogue.load().of(Event) if each.paper == "dunigan1995_paragon_mp"]
    assert len(events) > 5
    assert shown.index("When what happened") < shown.index(events[0].text) < shown.index(events[-1].text)
    assert "When what happened" not in assay("dunigan1991_delta").stdout
