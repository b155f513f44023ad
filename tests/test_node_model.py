"""The node of a described machine computes: its model against closed forms, a random twin, and printed values."""

from __future__ import annotations

import heapq
import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.described.node_model import NodeKernel, node_kernel
from assay.described.shipped import open_described
from assay.machine import catalogue
from command_line import assay

times = st.floats(1e-9, 1e-3)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


def machine_repair(own: float, bus: float, processors: int) -> float:
    """Throughput of the machine-repairman model by its stationary distribution, which uses no mean value analysis."""
    weights = [math.perm(processors, waiting) * (bus / own) ** waiting for waiting in range(processors + 1)]
    return (1 - weights[0] / sum(weights)) / bus


@given(own=times, bus=times, processors=st.integers(1, 12))
def test_the_rate_is_that_of_processors_which_queue_for_one_bus(own: float, bus: float, processors: int) -> None:
    assert NodeKernel(own, bus, 0, ()).rate(processors) == pytest.approx(machine_repair(own, bus, processors), rel=1e-6)


@given(own=times, bus=times, processors=st.integers(1, 12))
def test_no_rate_passes_its_bounds_and_none_falls_with_processors(own: float, bus: float, processors: int) -> None:
    kernel = NodeKernel(own, bus, 0, ())
    rate = kernel.rate(processors)
    assert rate <= min(processors / (own + bus), 1 / bus) * (1 + 1e-9)
    assert kernel.rate(1) == pytest.approx(1 / (own + bus))
    assert kernel.rate(processors + 1) >= rate * (1 - 1e-9)


@given(own=times, half=st.floats(1, 1000), length=st.floats(1, 1e6))
def test_half_of_the_rate_is_reached_at_the_half_performance_length(own: float, half: float, length: float) -> None:
    kernel = NodeKernel(own, 0, half, ())
    assert kernel.rate(1, half) == pytest.approx(kernel.rate(1) / 2)
    assert kernel.rate(1, length) == pytest.approx(length / (length + half) / own)


def test_a_random_twin_has_the_same_rate() -> None:
    """Processors drawn one by one, event by event: each works, waits for the bus in order of arrival, and holds it."""
    own, bus, processors, wanted = 3.0, 2.0, 3, 200_000
    draw = random.Random(1)
    ready = [(draw.expovariate(1 / own), each) for each in range(processors)]
    heapq.heapify(ready)
    free = 0.0
    for _ in range(wanted):
        at, each = heapq.heappop(ready)
        free = max(at, free) + draw.expovariate(1 / bus)
        heapq.heappush(ready, (free + draw.expovariate(1 / own), each))
    assert wanted / free == pytest.approx(NodeKernel(own, bus, 0, ()).rate(processors), rel=0.01)


def printed(benchmark: str, cpus: int) -> float:
    """Table 3.1's sum of so many processors, in bytes per second."""
    (cell,) = catalogue.cells(machine="paragon-mp", benchmark=benchmark, params={"cpus": cpus, "cpu": "sum"})
    return cell.value


@pytest.mark.parametrize("cpus", [2, 3])
def test_table_3_1_follows_from_one_processor_better_than_from_an_equal_share(cpus: int) -> None:
    """The columns of two and three processors were used for nothing; the baseline shares the bus equally."""
    machine = open_described("paragon-mp")
    dot = node_kernel(machine, "dot")
    stream = node_kernel(machine, "stream")
    assert isinstance(dot, NodeKernel) and isinstance(stream, NodeKernel)
    ours, bus = 8 * dot.rate(cpus), 1 / machine.node.bus if machine.node else 0
    share = min(cpus * 8 * dot.rate(1), bus)
    seen = printed("ddot", cpus)
    assert 8 * dot.rate(1) == pytest.approx(printed("ddot", 1), rel=1e-3)
    assert abs(ours / seen - 1) < abs(share / seen - 1) / 2
    assert abs(ours / seen - 1) < 0.2
    assert stream.rate(cpus) == pytest.approx(printed("pfldq", cpus), rel=0.06)


def test_the_bus_allows_hitc_hardly_any_speedup() -> None:
    kernel = node_kernel(open_described("paragon-mp"), "zaxpy")
    assert isinstance(kernel, NodeKernel)
    assert kernel.rate(3) / kernel.rate(1) == pytest.approx(1.0, abs=0.2)  # printed: 1.0 (Table 3.4)


def test_node_programs_are_answered_by_the_description() -> None:
    answer = assay("run", "stream", "--on", "paragon-mp", "--set", "threads=1,2", "--json")
    rates = {(f["params"]["kernel"], f["params"]["threads"]): f["value"] for f in answer.document["figures"]
             if f["name"] == "rate"}  # fmt: skip
    assert answer.status == 0 and rates["read", 1] == pytest.approx(251e6) == rates["read", 2]
    shares = [f["value"] for f in answer.document["figures"] if f["name"] == "share" if f["params"]["threads"] == 2]
    assert shares and all(share == pytest.approx(251e6 / 2) for share in shares)
    assert any(q["value"] == pytest.approx(237e6) for q in answer.document["quoted"])
    linpack = assay("run", "linpack", "--on", "ipsc860", "--set", "size=100", "--json").document
    (rate,) = [f["value"] for f in linpack["figures"] if f["name"] == "rate" and f["statistic"] == "median"]
    assert rate == pytest.approx(6e6)
    assert "compute.rate.linpack (stated: section 3.2" in " ".join(linpack["notes"])


def test_what_the_description_does_not_say_is_left_out_by_name() -> None:
    answer = assay("run", "stream", "--on", "paragon-mp", "--set", "threads=1,4", "--json")
    assert answer.status == 0 and "threads=4: a node of paragon-mp has 3" in " ".join(answer.document["notes"])
    answer = assay("run", "inner-product", "--on", "paragon-mp", "--set", "form=vectorised")
    assert answer.status == 2 and "form=vectorised" in answer.err


def test_two_ranks_of_a_paragon_s_node_use_its_two_processors() -> None:
    answer = assay("run", "echo", "-n", "4", "--ppn", "2", "--on", "paragon-mp", "--set", "bytes=8", "--json")
    assert answer.status == 0 and answer.document["figures"]
    alone = assay("run", "echo", "-n", "2", "--on", "paragon-mp", "--set", "bytes=8", "--json")
    rates = [{f["value"] for f in a.document["figures"] if f["name"] == "rate"} for a in (answer, alone)]
    assert rates[1] <= rates[0]
