"""What one node computes, beside what was published: kinds, closed forms, and a baseline without a simulator."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from assay.described.shipped import shipped
from assay.kinds import NumberKind
from assay.machine import catalogue
from assay.published.cells.answers import Played
from assay.published.cells.comparison import ComparedCell, ComparedTable, compare
from assay.published.cells.described_file import read
from assay.validation.machines import evidence
from assay.verbs._run_request import evaluation
from by_night import by_night
from command_line import assay

OPTIONS = dict.fromkeys(
    ("via", "nodes", "ppn", "only", "launches", "within", "budget", "placement", "mpis", "transports", "compilers",
     "flags", "isas", "timeout")
)  # fmt: skip


def compared(machine: str) -> list[ComparedTable]:
    described = read(shipped()[machine])
    return compare(Played(), machine, described.published, described.origin)


def rows(tables: list[ComparedTable], benchmark: str, **params: Any) -> list[ComparedCell]:
    return [
        row
        for table in tables
        for row in table.rows
        if row.cell.benchmark == benchmark and all(row.cell.params.get(key) == value for key, value in params.items())
        if row.simulated is not None
    ]


@pytest.fixture(scope="module")
def paragon() -> list[ComparedTable]:
    return compared("paragon-mp")


def repairmen(own: float, bus: float, processors: int) -> float:
    """Throughput of processors that queue for one bus by the stationary distribution of the machine-repairman model."""
    weights = [math.perm(processors, waiting) * (bus / own) ** waiting for waiting in range(processors + 1)]
    return (1 - weights[0] / sum(weights)) / bus


@pytest.mark.parametrize("cpus", [2, 3])
def test_columns_of_several_processors_are_extrapolated_from_one(paragon: list[ComparedTable], cpus: int) -> None:
    (one,), (several,) = (rows(paragon, "ddot", cpus=count, cpu="sum") for count in (1, cpus))
    assert (one.mark, several.mark) == (NumberKind.INPUT, NumberKind.EXTRAPOLATED)
    own = 1 / 88e6
    assert several.simulated == pytest.approx(repairmen(own, 1 / 39e6 - own, cpus), rel=1e-6)
    assert several.baselines["share"] == pytest.approx(min(cpus * 39e6, 251e6))
    (reads,) = rows(paragon, "pfldq", cpus=cpus, cpu="sum")
    assert reads.mark == NumberKind.EXTRAPOLATED and reads.baselines["share"] == reads.simulated == pytest.approx(251e6)


def test_speedups_follow_from_bytes_per_flop(paragon: list[ComparedTable]) -> None:
    """11 Mflop/s of compiled code with 4 bytes per flop; all in registers; 36 with 6 bytes at 251 MB/s.

    A byte of compiled code takes the bus as one of the inner product does: 39 MB/s from memory, 88 MB/s from the cache.
    """
    bus = 4 * (1 / 39e6 - 1 / 88e6)
    wanted = {
        "kernel.jacobi-c": repairmen(1 / 11e6 - bus, bus, 3) / 11e6,
        "kernel.integration-c": 3.0,
        "kernel.hitc-f": repairmen(1 / 36e6 - 6 / 251e6, 6 / 251e6, 3) / 36e6,
    }
    for name, speedup in wanted.items():
        (row,) = rows(paragon, name, cpus=3)
        assert row.simulated == pytest.approx(speedup, rel=1e-6)
        assert row.mark in (NumberKind.EXTRAPOLATED, NumberKind.TRANSFERRED)
    (hitc,) = rows(paragon, "kernel.hitc-f", cpus=3)
    assert hitc.baselines["share"] == pytest.approx(251 / (6 * 36))


@pytest.mark.nightly
def test_rates_of_the_second_cache_are_a_roofline_of_two_used_cells() -> None:
    """An addition reads 16 bytes and writes 8: at the rates of the dot product, which only reads, and the broadcast."""
    tables = compared("compaq-xp1000-cluster")
    printed = {
        (row.cell.benchmark, row.cell.metric): row.cell.value
        for name in ("addition", "division", "dotproduct", "broadcast")
        for row in rows(tables, f"euroben.mod1ac.{name}", flags="-O3")
    }
    read = 2 / printed["euroben.mod1ac.dotproduct", "r_max_L2"] / 16
    write = 1 / printed["euroben.mod1ac.broadcast", "r_max_L2"] / 8
    for name in ("addition", "division"):
        (row,) = (r for r in rows(tables, f"euroben.mod1ac.{name}", flags="-O3") if r.cell.metric == "r_max_L2")
        first = 1 / printed[f"euroben.mod1ac.{name}", "r_max_L1"]
        assert row.simulated == pytest.approx(1 / max(first, 16 * read + 8 * write), rel=1e-3)
        assert row.mark == NumberKind.EXTRAPOLATED


@pytest.mark.parametrize(
    "machine",
    by_night(["compaq-xp1000-cluster", "ibm-netfinity-cluster", "sgi-l1200-cluster"], ["ibm-netfinity-cluster"]),
)
def test_cycles_and_start_up_are_what_was_put_in(machine: str) -> None:
    """The first cache's rate again, in cycles; a start-up of the two kernels of which one is described."""
    tables = compared(machine)
    cycles = 1e6 * catalogue.machine(machine).fact("clock_MHz")
    found = {
        (row.cell.benchmark.rpartition(".")[2], row.cell.metric): row
        for table in tables
        for row in table.rows
        if row.cell.table in ("table6.1", "table6.4", "table6.7") and row.simulated is not None
    }
    slopes = {name: row for (name, metric), row in found.items() if metric == "cycles_per_op_per_element"}
    assert len(slopes) == 14
    for name, row in slopes.items():
        rate = found[name, "r_max_L1"].simulated or 0.0
        flops = PAPER_FLOPS.get(name, 1)
        assert row.simulated == pytest.approx(cycles * flops / rate, rel=1e-4), name
        assert row.mark == NumberKind.INPUT
        assert row.cell.doubtful or row.simulated == pytest.approx(row.cell.value, rel=0.1)
    start_ups = {name: row for (name, metric), row in found.items() if metric == "latency_L1"}
    assert set(start_ups) == {"dotproduct", "axpy"}
    for name, row in start_ups.items():
        assert row.mark == NumberKind.INPUT and row.simulated == pytest.approx(row.cell.value, rel=0.05), name


PAPER_FLOPS = {"dotproduct": 2, "axpy": 2, "zaxpy": 2, "rotation": 3, "recurrence2": 2, "difference2": 3,
               "polynomial9": 18}  # fmt: skip


def test_two_processors_follow_from_one_out_of_memory_and_out_of_its_cache() -> None:
    """243 and 59 Mflop/s of one; 74 are printed of two, and used for nothing."""
    (two,) = rows(compared("ibm-netfinity-cluster"), "euroben.mod1i", cpus=2)
    assert two.mark == NumberKind.EXTRAPOLATED
    assert two.simulated == pytest.approx(repairmen(1 / 243e6, 1 / 59e6 - 1 / 243e6, 2), rel=1e-3)
    assert two.simulated == pytest.approx(two.cell.value, rel=0.02)


@pytest.mark.nightly
def test_a_number_that_a_later_table_prints_again_counts_once() -> None:
    """Module 2a of the SGI cluster stands in Table 6.13 and in section 6.3.2.1."""
    tables = compared("sgi-l1200-cluster")
    counted = [row for group in evidence.groups("sgi", tables) for row in group.cells]
    simulated = [row.simulated for row in counted if row.cell.benchmark == "euroben.mod2a"]
    assert len(rows(tables, "euroben.mod2a")) == 3 and len(simulated) == len({round(v or 0) for v in simulated}) == 2


@pytest.mark.parametrize("machine", ["paragon-mp", "ipsc860"])
def test_an_evaluation_plays_the_node_programs_that_are_described(machine: str) -> None:
    found = evaluation({"on": machine, "profile": "quick", "seed": 1, **OPTIONS})
    assert found.request is not None and {"echo", "linpack", "jacobi"} <= set(found.request.names)
    assert "whetstone" not in found.request.names and ("stream" in found.request.names) == (machine == "paragon-mp")
    assert ("sieve" in found.request.names) == (machine == "ipsc860")


@pytest.mark.parametrize("bound", [1000, 8190, 100_000, 1_000_000])
def test_the_sieve_is_charged_what_it_clears_strikes_and_counts(bound: int) -> None:
    flags, struck = bytearray(bound + 1), 0
    for number in range(2, math.isqrt(bound) + 1):
        for multiple in range(number * number, bound + 1, number) if not flags[number] else ():
            flags[multiple], struck = 1, struck + 1
    (found,) = Played().ask("ncube6400", "sieve", "time", size=bound)
    assert found.value == pytest.approx(100 * 0.5e-6 * (bound + 1 + struck + bound - 1), rel=0.02)


def test_integer_tests_are_transferred_from_table_3() -> None:
    """The iPSC/1's int has 16 bits (2.5 us), the Ncube 3200's 32 (4.9 us); a pass of Dhrystone: 53 + 32 + 15 + 28.5."""
    for machine, addition in (("ipsc1", 2.5e-6), ("ncube3200", 4.9e-6)):
        tables = compared(machine)
        (dhrystone,), (sieve,) = (rows(tables, name) for name in ("dhrystone", "sieve"))
        assert dhrystone.simulated == pytest.approx(50_000 * 128.5 * addition)
        assert dhrystone.mark == sieve.mark == NumberKind.TRANSFERRED
        integers = [row for name in ("int2_add", "int4_add", "int2_mul") for row in rows(tables, f"caltech.{name}")]
        assert len(integers) == 3 and {row.mark for row in integers} == {NumberKind.INPUT}
        assert all(row.simulated == pytest.approx(row.cell.value) for row in integers)


@pytest.mark.nightly
def test_memory_is_what_a_description_has_and_nothing_without_it(tmp_path: Path) -> None:
    (available,) = rows(compared("ipsc2"), "malloc")
    assert available.cell.metric == "memory_available" and available.simulated == 3717 * 1024
    assert available.mark == NumberKind.INPUT
    assert not rows(compared("delta"), "malloc")
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\n[network]\ntopology = "ring"\nnodes = 4\ncycle = "1 ns"\n[[protocol]]\nstartup = "1 us"\n'
    )
    answer = assay("run", "memory", "--on", str(path), "--json")
    assert answer.status == 2 and answer.err == (
        "assay: memory: measures a real node, and the description of own has no memory; "
        "expected node.memory, or no --on\n"
    )
