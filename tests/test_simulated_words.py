"""What a person reads of a simulation: means with their confidence, why it ended, why an interval is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from command_line import assay
from example_inputs import HYPERCUBE

CYCLES = ("--set", "method.cycles=20000")


def said(*words: object) -> list[str]:
    found = assay("simulate", *map(str, words))
    assert (found.status, found.err) == (0, "")
    return found.out.splitlines()


def ended(*words: object) -> str:
    """The line that says why it ended."""
    (line,) = [line for line in said(*words) if "; ended: " in line]
    return line


def document(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = assay("simulate", *map(str, words), "--json").document
    return found


def half(estimate: dict[str, Any]) -> float:
    low, high = estimate["interval"]
    return float(high - low) / 2


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    file = tmp_path / "m.toml"
    file.write_text(
        '[network]\ntopology = "mesh"\nextents = [4, 4]\n[traffic]\nflits = 16\nload = 0.05\n'
        "[method]\nwarmup_cycles = 1000\ncycles = 20000\n"
    )
    return file


@pytest.mark.parametrize(("confidence", "level"), [("0.95", "95%"), ("0.99", "99%"), ("0.999", "99.9%")])
def test_means_are_called_so_with_their_intervals_and_the_confidence(confidence: str, level: str) -> None:
    words = (HYPERCUBE, *CYCLES, "--set", f"method.confidence={confidence}")
    estimates = document(*words)["estimates"]
    latency, load = estimates["header_latency"]["cycles"], estimates["throughput"]["flits_per_node_per_cycle"]
    spread = f"{half(latency):#.3g}"  # the mean has as many decimals
    expected = (
        f"mean header latency {latency['mean']:.{len(spread.partition('.')[2])}f} ± {half(latency):.3g} cycles "
        f"({latency['mean'] * 50:.4g} ns), "
        f"until the head is inside the destination; {load['mean']:.4g} ± {half(load):.2g} flits per node per cycle "
        f"accepted (± at {level} confidence)"
    )
    assert said(*words)[0] == expected
    assert said(*words, "-q")[0].startswith(expected)


def test_a_mean_without_an_interval_has_four_digits_and_a_unit_of_peoples(mesh: Path) -> None:
    """Of a network that saturates, whose latency is that of the run's length."""
    words = (mesh, "--set", "traffic.load=2", "--set", "network.cycle=50 ns", "--set", "method.cycles=200000")
    latency = document(*words)["estimates"]["header_latency"]["cycles"]
    assert latency["interval"] is None and latency["mean"] > 10_000
    cycles = f"{float(format(latency['mean'], '.4g')):,.0f}"
    assert said(*words)[0].startswith(f"mean header latency {cycles} cycles ({latency['mean'] * 50e-6:.4g} ms), until")
    swept = said(*words, "--sweep", "method.seed=1,2")
    assert any(f" {cycles} " in line and "e+" not in line for line in swept)


def test_an_end_is_said_as_a_reason_beside_the_cycles_that_were_measured(mesh: Path) -> None:
    """That a run of given cycles ended said "cycles simulated", without their number."""
    line = ended(mesh, "--set", "method.cycles=40000")
    assert line == (
        "not saturated; 1 replication, 40,000 cycles measured after 1,000 of warm-up; "
        "ended: all requested cycles are simulated (method.cycles)"
    )
    line = ended(mesh, "--set", "method.replications=3")
    assert line == (
        "not saturated; 3 replications, 60,000 cycles measured after 3,000 of warm-up in all; "
        "ended: all requested replications are made (method.replications)"
    )
    line = ended(mesh, "--set", "method.messages=500")
    assert line.endswith("; ended: all requested messages are delivered (method.messages)")
    assert "; 1 replication, 20,000 cycles" not in line
    mesh.write_text(mesh.read_text().split("[method]")[0])
    line = ended(mesh, "--set", "method.precision=0.05")
    assert line.endswith("; ended: the interval is within 5.00% of the mean")


def test_a_single_run_that_deadlocks_ended_by_that(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(
        '[network]\ntopology = "ring"\nnodes = 8\ndateline = "none"\n[traffic]\nload = 0.9\n'
        "[method]\ncycles = 20000\nwarmup_cycles = 0\n"
    )
    line = ended(file)
    assert line.startswith("deadlock; 1 replication, ") and line.endswith("; ended: deadlock")


def test_the_busiest_links_stand_below_a_heading_and_a_picture_is_named(mesh: Path, tmp_path: Path) -> None:
    watched = ("--set", "method.utilisation=true")
    links = document(mesh, *watched)["utilisation"]
    heading = f"busiest links (5 of {len(links)}), share of the time in which a channel is busy:"
    listed = [heading, *[f"  {link['name']}: busy {link['busy']:.1%}" for link in links[:5]]]
    picture = tmp_path / "load.svg"
    written = f"the network with the load of its links: {picture}"
    plain, drawn = said(mesh, *watched), said(mesh, "--heatmap", picture)
    for lines in (plain, drawn):
        at = lines.index(heading)
        assert lines[at : at + 6] == listed and not lines[at - 1].startswith("  ")
    assert drawn[-1] == written and picture.is_file() and written not in plain
    assert not any("busy" in line for line in said(mesh))
    (line,) = said(mesh, "--heatmap", picture, "-q")
    assert "busy" not in line and str(picture) not in line
    assert document(mesh, "--heatmap", picture)["utilisation"] == links


def test_a_sweep_says_once_why_it_has_no_interval(mesh: Path) -> None:
    sweep = ("--set", "method.cycles=500", "--sweep", "traffic.load=0.1,0.2", "--sweep", "traffic.flits=8,16")
    points = document(mesh, *sweep)["points"]
    notes: dict[str, list[str]] = {}
    for point in points:
        estimate = point["estimates"]["header_latency"]["cycles"]
        assert estimate["interval"] is None
        setting = point["setting"]
        words = f"load {setting['traffic.load']}, flits {setting['traffic.flits']}"
        notes.setdefault(estimate["note"], []).append(words)
    lines = said(mesh, *sweep)
    assert [line.split()[3] for line in lines[2:6]] == ["–"] * 4
    assert lines[6:-1] == [f"{'; '.join(points)}: {note}" for note, points in notes.items()]
    assert all(line.split(": ", 1)[1].startswith("too short for an interval: ") for line in lines[6:-1])


def test_points_that_share_a_reason_share_a_line(mesh: Path) -> None:
    """The first three are named, the others are counted; what has its interval is not there."""
    loads = ("--sweep", "traffic.load=0.05,2,3,4,5,6", "--set", "method.cycles=40000")
    lines = said(mesh, *loads, "--set", "method.replications=4", "--set", "method.confidence=0.9")
    assert "–" not in lines[2]
    assert lines[8] == "±: at 90% confidence"
    (reason,) = lines[9:-1]
    assert reason.startswith("load 2; load 3; load 4; 2 more: no interval: ")
    levels = said(mesh, "--sweep", "method.confidence=0.99,0.9", "--set", "method.cycles=200000")
    assert levels[4] == "±: at 90% or 99% confidence, as set"


@pytest.mark.parametrize(("load", "cycles"), [(0.001, 1_000_000), (0.01, 5_000), (0.1, 2_000), (0.4, 2_000)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_run_that_is_too_short_is_told_at_once_how_long_would_do(
    load: float, cycles: int, seed: int, tmp_path: Path
) -> None:
    """The advice is a round number, enough for 5,000 messages at this load, and followed once gives an interval."""
    file = tmp_path / "torus.toml"
    file.write_text(
        '[network]\ntopology = "torus"\nextents = [4, 4]\nbuffer_flits = 4\ncycle = "3 ns"\nflit_bytes = 6\n'
        f"[traffic]\nflits = 10\nload = {load}\n"
        f"[method]\nseed = {seed}\nwarmup_cycles = 20000\n"
    )

    def header(length: int) -> dict[str, Any]:
        found: dict[str, Any] = document(file, "--set", f"method.cycles={length}")["estimates"]["header_latency"]
        return dict(found["cycles"])

    short = header(cycles)
    assert short["interval"] is None
    (advised,) = re.findall(r"(\d+)(?: cycles)?(?: or more)? would do", short["note"])
    assert int(advised) >= 0.98 * 5_000 * 10 / (16 * load)  # ten flits each, from sixteen nodes
    assert len(advised.rstrip("0")) <= 2
    assert header(int(advised))["interval"] is not None
