"""The patterns of EuroBen's mod1h: closed forms on the constant machine, what each rate counts, right data on MPI."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.formula import evaluate
from assay.benchmark.record import benchmark
from assay.described.machine_file import DescribedMachine
from assay.execute.build import build
from assay.machine.catalogue import cells
from assay.published.tables.euroben_patterns import tables
from assay.report.derive.document import document
from assay.report.units import human
from assay.store import Run
from command_line import assay
from compiled import compile_to
from made_documents import document as of_sections
from made_documents import figure, section
from mpis_here import MPI, start_ranks
from started import play, words

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
STARTUP, PER_BYTE = 1e-5, 1e-9
MACHINE = {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
PATTERNS = benchmark("patterns").parameters["pattern"].choices or ()
KERNELS = ("pack", "maximum", "copy", "rearrange")
COUNTS = (2, 3, 4, 5, 6, 7, 8, 12, 13)


def events(ranks: int, *given: str, compute: str | None = None) -> list[dict[str, Any]]:
    described = MACHINE if compute is None else MACHINE | {"compute": {"rate": dict.fromkeys(KERNELS, compute)}}
    core = DescribedMachine.model_validate(described).for_core()
    return [json.loads(line) for line in play("patterns", core, ranks, list(given)).splitlines()]


def blocks(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in found if event["event"] == "block" and event["metric"] == "time"]


def message(length: float) -> float:
    return STARTUP + PER_BYTE * length


def directions(pattern: str, ranks: int) -> tuple[int, int]:
    """All of a nearest-neighbour pattern, and those that lead to another rank: by trying every torus there is."""
    dimensions = int(pattern[-2])
    shapes = [
        (a, b, ranks // (a * b)) for a in range(1, ranks + 1) for b in range(1, ranks + 1) if ranks % (a * b) == 0
    ]
    shapes = [shape for shape in shapes if shape[dimensions:] == (1,) * (3 - dimensions)]
    # as even as can be: the longest side is shortest, then the next
    even = min(shapes, key=lambda shape: sorted(shape, reverse=True))
    return 2 * dimensions, 2 * sum(side > 1 for side in even)


def expected(pattern: str, ranks: int, length: int) -> tuple[float, float, float]:
    """The time of one operation where nobody is in anybody's way, the bytes that its rate counts, those on the wire."""
    one, rounds = message(length), math.ceil(math.log2(ranks))
    if pattern in ("pingpong", "pingpong-strided"):
        return 2 * one, 2 * length, 2 * length
    if pattern.startswith("bisection"):
        return 2 * one, 2 * length, 2 * length * (ranks // 2)
    if pattern == "broadcast":
        return rounds * one, rounds * length, (ranks - 1) * length
    if pattern == "collect":  # all send at once, and the root's receiving costs nothing there
        return one, (ranks - 1) * length, (ranks - 1) * length
    if pattern == "reduction":  # a subtree that is cut short by the number of ranks is ready earlier
        return math.floor(math.log2(ranks)) * one, 2 * rounds * length, (ranks - 1) * length
    if pattern == "transposition":
        block = 8 * max(1, math.isqrt(length // (8 * ranks))) ** 2
        return (ranks - 1) * message(block), ranks * block, ranks * (ranks - 1) * block
    every, crossed = directions(pattern, ranks)
    return crossed * one, every * length, ranks * crossed * length


@pytest.mark.parametrize("ranks", COUNTS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_times_and_rates_are_the_closed_forms_and_data_are_right(pattern: str, ranks: int) -> None:
    found = events(ranks, "--set", f"pattern={pattern}", "--set", "bytes=8,1000,5000")
    checks = [event for event in found if event["event"] == "check"]
    assert len(checks) == 3 and all(check["passed"] for check in checks)
    record = benchmark("patterns")
    for block in blocks(found):
        case = block["case"]
        time, counted, wire = expected(pattern, ranks, case["bytes"])
        assert block["values"] == [pytest.approx(time)]
        names = {**record.constants(case), **case, "value": time}
        assert evaluate(record.figures["rate"].formula, names) == pytest.approx(counted / time)
        assert evaluate(record.figures["wire_rate"].formula, names) == pytest.approx(wire / time)


def test_the_patterns_are_those_of_the_catalogue() -> None:
    for table in ("table6.2", "table6.5", "table6.8", "table6.9"):
        printed = dict.fromkeys(cell.benchmark for cell in cells(paper="vandersteen2000_beowulf", table=table))
        assert list(printed) == [f"mod1h.{name}" for name in PATTERNS]


def test_random_halves_agree_about_who_is_whose_partner_whatever_the_seed() -> None:
    for seed in ("1", "2", "3"):
        found = events(9, "--set", "pattern=bisection-random", "--set", "bytes=64", "--seed", seed)
        assert all(event["passed"] for event in found if event["event"] == "check")


def test_copies_are_charged_where_the_description_states_them() -> None:
    """1 GB/s: packing and unpacking on both ways, the transpose twice its part, a maximum each round."""
    for pattern, ranks, copied in (
        ("pingpong-strided", 2, 4000),
        ("transposition", 2, 2 * 784),
        ("reduction", 4, 2000),
    ):
        given = ("--set", f"pattern={pattern}", "--set", "bytes=1000")
        free, charged = (blocks(events(ranks, *given, compute=rate))[0]["values"][0] for rate in (None, "1 GB/s"))
        assert charged - free == pytest.approx(copied * 1e-9, rel=1e-6)


def test_half_words_are_left_out_and_said() -> None:
    found = events(2, "--set", "pattern=pingpong,reduction", "--set", "bytes=9")
    assert {block["case"]["pattern"] for block in blocks(found)} == {"pingpong"}
    assert [e["text"] for e in found if e["event"] == "skip" and "whole 8-byte words" in e["text"]]


def test_a_run_shows_both_rates(tmp_path: Path) -> None:
    machine = PROGRAMS.parent / "examples" / "constant.toml"
    given = ("--set", "pattern=collect", "--set", "bytes=1000", "-n", "5")
    made = assay("run", "patterns", "--on", str(machine), *given, "--out", str(tmp_path / "run"), "--json")
    assert made.status == 0
    figures = {figure["name"]: figure["value"] for figure in json.loads(made.out)["figures"]}
    assert figures["rate"] == pytest.approx(4000 / (70e-6 + 1000 * 0.4e-6)) == pytest.approx(figures["wire_rate"])


def launch(program: Path, ranks: int, *given: str) -> tuple[int, dict[str, bool]]:
    assert MPI is not None
    few = ["--blocks", "1", "--repetitions", "3", "--batch", "2", "--deadline", "100", "--set", "bytes=8,5000"]
    ended = start_ranks(MPI, ranks, program, *words("patterns", *few, *given))
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    checks = [event for event in found if event["event"] == "check" and event["case"]["bytes"] == 5000]
    return ended.returncode, {check["case"]["pattern"]: check["passed"] for check in checks}


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [2, 6, 7])
def test_data_are_right_on_mpi(ranks: int) -> None:
    program = build([benchmark("patterns")], mpi=MPI)["patterns"].path
    assert launch(program, ranks) == (0, dict.fromkeys(PATTERNS, True))


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_wrong_data_are_seen_in_every_pattern(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    source = PROGRAMS / "ranks" / "patterns.hpp"
    compile_to(broken, PROGRAMS / "mpi" / "main.cpp", f'-DASSAY_PROGRAM="{source}"', "-DASSAY_BREAK", "-O0", mpi=MPI)
    assert launch(broken, 3) == (1, dict.fromkeys(PATTERNS, False))


def test_the_papers_tables_stand_beside_this_machines_greatest_rates(tmp_path: Path) -> None:
    """The longer of two lengths is the faster; other numbers of ranks stand beside the paper's nearest."""
    machine = PROGRAMS.parent / "examples" / "constant.toml"
    for ranks, near in (("6", 6), ("7", 6), ("40", 8)):
        given = ("--set", "pattern=collect,neighbour-3d", "--set", "bytes=1000,8000", "-n", ranks)
        run = str(tmp_path / ranks)
        made = assay("run", "patterns", "--on", str(machine), *given, "--out", run)
        said = " ".join(made.out.split())
        assert made.status == 0 and "Tables 6.2, 6.5, 6.8 and 6.9" in said and f"on {near} processors" in said
        assert max(map(len, made.out.splitlines()[:-1])) <= 80  # but for the folder's name
        (table,) = tables(document(Run.open(Path(run))))
        row = {each[0]: each[1:] for each in table.rows}["collect"]
        own = (int(ranks) - 1) * 8000 / (70e-6 + 8000 * 0.4e-6)
        assert row[:2] == (human(own, "B/s", 3), human(8000, "B"))
        printed = {6: ("12", "12", "56", "47"), 8: ("12", "12", "45", "47")}  # Compaq, SGI, IBM, SGI
        assert row[2:] == printed[near]


def test_a_length_known_only_by_its_best_reading_takes_part_and_says_so() -> None:
    """Others disturbed the longer of two lengths: no median stands, and 102 MB/s is not the greatest rate."""

    def rate(pattern: str, length: int, value: float | None, statistic: str, state: str) -> dict[str, Any]:
        case = {"pattern": pattern, "bytes": length, "ranks": 6}
        return figure("rate", value, "B/s", statistic, **case) | {"state": state}

    made = section(
        "patterns",
        [
            rate("broadcast", 1024, 102e6, "median", "clean"),
            rate("broadcast", 2**20, 16.2e9, "best", "bound"),
            rate("pingpong", 1024, 2e8, "best", "clean"),  # beside a median: none that stands
            rate("pingpong", 1024, 1e8, "median", "disturbed"),
            rate("pingpong", 2**20, 9e9, "median", "invalid"),
            rate("collect", 1024, 3e8, "median", "clean"),
        ],
    )
    (table,) = tables(of_sections(made))
    assert {row[0]: row[1:3] for row in table.rows} == {
        "pingpong": ("100 MB/s (disturbed)", "1 KiB"),
        "broadcast": ("16.2 GB/s (best reading)", "1 MiB"),
        "collect": ("300 MB/s", "1 KiB"),
    }


def test_ranks_per_node_have_columns_of_their_own(tmp_path: Path) -> None:
    """Of eight ranks in pairs a bisection crosses each node's link twice: half the rate, as the IBM's 47 of 91 MB/s."""
    given = ("--set", "pattern=bisection-regular,broadcast", "--set", "bytes=1000,1048576", "-n", "8")
    alone = {}
    for ppn in ("1", "2"):
        made = assay("run", "patterns", "--on", "sgi-l1200-cluster", *given, "--ppn", ppn, "--json")
        assert made.status == 0, made.err
        rates = [f for f in made.document["figures"] if f["name"] == "rate" and f["statistic"] == "median"]
        for pattern in ("bisection-regular", "broadcast"):
            alone[pattern, ppn] = max(f["value"] for f in rates if f["params"]["pattern"] == pattern)
    made = assay("run", "patterns", "--on", "sgi-l1200-cluster", *given, "--ppn", "2,1", "--out", str(tmp_path / "run"))
    assert made.status == 0 and max(map(len, made.out.splitlines()[:-1])) <= 80
    (table,) = tables(document(Run.open(tmp_path / "run")))
    first, second, length = table.headings[1:4]
    assert (first, second, length) == (
        "sgi-l1200-cluster (simulated, 8 ranks, 1 CPU/node)",
        "the same, 2 CPUs/node",
        "of length",
    )
    for name, *cells_of in table.rows:
        expected_cells = [human(alone[name, ppn], "B/s", 3) for ppn in ("1", "2")]
        assert cells_of[:3] == [*expected_cells, human(1048576, "B")]
    assert alone["bisection-regular", "1"] / alone["bisection-regular", "2"] == pytest.approx(2, rel=0.05)
    assert alone["broadcast", "2"] > alone["broadcast", "1"]  # so that a maximum over both mixes them
