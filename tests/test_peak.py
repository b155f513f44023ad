"""The peak of arithmetic: one computation for doctor's inventory and for every report."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.machine import node_inventory
from assay.machine.node_inventory import InventoriedNode, NodeSpeed
from assay.machine.peak import flops_per_cycle
from assay.machine.processors import processors
from assay.machine.provenance import provenance
from assay.report.judge.bounds import peak_of
from assay.verbs import _doctor_nodes
from made_documents import document, figure, section


def test_the_peak_of_a_published_machine_and_of_one_without_flags() -> None:
    """Xeon Platinum 8280: 28 cores x 2.7 GHz x 32 flops = 2,419 Gflop/s, as Intel's own table has it."""
    assert (flops_per_cycle(28, ("fma", "avx512f")) or 0) * 2.7e9 == pytest.approx(2419.2e9)
    assert flops_per_cycle(28, ()) is None and flops_per_cycle(None, ("fma",)) is None


FLAGS = ("sse4_2", "avx", "avx2", "fma", "avx512f", "asimd", "vsx", "constant_tsc")


@given(
    flags=st.lists(st.sampled_from(FLAGS), unique=True, min_size=1),
    mhz=st.integers(800, 5000),
    of_cores=st.integers(1, 24),
)
def test_doctor_and_report_compute_one_peak(flags: list[str], mhz: int, of_cores: int) -> None:
    """By the files of a node and by a run's circumstances: the report's is of one core, of as many units.

    A core runs at 400 MHz while it idles.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "proc").mkdir()
        blocks = [
            f"processor : {n}\ncore id : {n}\nphysical id : 0\ncpu MHz : 400\nflags : {' '.join(flags)}\n"
            for n in range(of_cores)
        ]
        (root / "proc" / "cpuinfo").write_text("\n".join(blocks))
        cpus = root / "sys" / "devices" / "system" / "cpu"
        (cpus / "cpu0" / "cpufreq").mkdir(parents=True)
        (cpus / "cpu0" / "cpufreq" / "cpuinfo_max_freq").write_text(f"{mhz * 1000}\n")
        (cpus / "online").write_text(f"0-{of_cores - 1}\n")
        node, stated = node_inventory.facts(root, {}), provenance(root)
        stated |= {"flags": list(processors(root).flags)}
    assert node.cores and node.peak is not None and node.flops_per_cycle is not None
    assert node.peak == pytest.approx(node.flops_per_cycle * mhz * 1e6)
    found = peak_of(document(host=stated), "float64")
    assert found is not None and found[0] * node.cores == pytest.approx(node.peak)


def test_doctor_gives_the_peak_at_the_clock_that_it_measured_as_a_report_does() -> None:
    """A processor of 2.6 GHz, as it states, that runs at 4.17 GHz."""
    flags = ["avx2", "fma", "avx512f"]
    node = node_inventory.NodeFacts(cores=2, flops_per_cycle=flops_per_cycle(2, flags), peak=166.4e9)
    speed = NodeSpeed(clock=4.17e9, peak=60e9, share=1)
    found = node_inventory.ClusterInventory(
        nodes=(InventoriedNode(node="n1", facts=node, measured=speed, exchanges=None),),
        differences=(),
        silent=(),
        slow=(),
        unmeasured=(),
        exchange="",
    )
    lines = _doctor_nodes.table(found)
    clock = section("clock", [figure("rate", 4.17e9, "Hz")], roof={"clock": "rate"})
    reported = peak_of(document(clock, host={"flags": flags, "frequency": 2.6e9}), "float64")
    assert reported is not None and reported[0] * 2 == pytest.approx(266.88e9)
    assert any("peak of all cores at this clock 266.9 Gflop/s" in line for line in lines)
    assert any(line.strip().startswith("peak at the stated clock 166.4 Gflop/s") for line in lines)
