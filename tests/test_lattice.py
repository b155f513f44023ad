"""Lattice Boltzmann: the flows' laws on MPI and simulated, the same digits on both, and every defect seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application_runs import ONCE, broken, built, constant_with, events, on_machine, over_mpi
from command_line import assay
from mpis_here import MPI

ROOT = Path(__file__).resolve().parent.parent
FLOWS = ("taylor-green", "poiseuille", "sphere")
RATE = "1 Gflop/s"
FLOPS, POPULATIONS = 229, 5  # of an update; that cross a face


def played(described: dict[str, Any], ranks: int, *chosen: str) -> str:
    return on_machine("lattice", described, ranks, *chosen, options=("--verify",))


def on_mpi(program: Path, ranks: int, *chosen: str) -> str:
    return over_mpi("lattice", program, ranks, *chosen, options=ONCE)


@pytest.fixture(scope="module")
def program() -> Path:
    return built("lattice")


@pytest.fixture(scope="module")
def constant(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return constant_with(tmp_path_factory.mktemp("machine"), "lattice")


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_both_kinds_of_machine_give_the_same_digits(program: Path, ranks: int, constant: dict[str, Any]) -> None:
    real, simulated = (
        {event["case"]["flow"]: (event["passed"], event["detail"]) for event in events(text, "check")}
        for text in (on_mpi(program, ranks, "size=13"), played(constant, ranks, "size=13"))
    )
    assert set(real) == set(FLOWS)
    assert all(passed for passed, _ in real.values()), real
    assert real == simulated


@settings(max_examples=25, deadline=None)
@given(
    flow=st.sampled_from(FLOWS), size=st.integers(12, 17), steps=st.integers(0, 40), ranks=st.integers(1, 12)
)  # fmt: skip
def test_any_division_gives_the_flow_that_one_rank_gives(
    flow: str, size: int, steps: int, ranks: int, constant: dict[str, Any]
) -> None:
    """Cells are updated by the same arithmetic wherever they are: bit by bit the same populations."""
    chosen = (f"flow={flow}", f"size={size}", f"steps={steps}")
    one, many = (events(played(constant, each, *chosen), "check")[0] for each in (1, ranks))
    assert one["passed"] and many["passed"], (one, many)
    first, other = (each["detail"].partition("; populations ")[2] for each in (one, many))
    assert first == other != ""


def test_the_error_is_of_second_order(constant: dict[str, Any]) -> None:
    """Twice as many cells along an edge: a quarter of the started channel's error."""
    off = [
        float(events(played(constant, 1, "flow=poiseuille", f"size={size}"), "check")[0]["detail"].split()[3])
        for size in (13, 25)
    ]
    assert 3 < off[0] / off[1] < 5


@pytest.mark.parametrize("size", [12, 16, 20, 24])
def test_the_drag_comes_near_the_published_one(size: int, constant: dict[str, Any]) -> None:
    """Sangani and Acrivos' expansion as Zick and Homsy's exact values have it: 4.292 at an eighth of the volume."""
    detail = events(played(constant, 1, "flow=sphere", f"size={size}"), "check")[0]["detail"]
    drag, published = (float(each) for each in re.findall(r"(?:drag|published) ([\d.]+)", detail))
    assert drag == pytest.approx(published, rel=0.04)
    assert published == pytest.approx(4.292, rel=0.08)  # a sphere of cells: some more or less than an eighth


@pytest.mark.parametrize(("ranks", "across"), [(1, (1, 1, 1)), (2, (1, 1, 2)), (8, (1, 2, 4)), (27, (3, 3, 3))])
def test_what_a_described_machine_charges(ranks: int, across: tuple[int, ...], constant: dict[str, Any]) -> None:
    """A block's updates, and layers of five populations along each axis that is divided, one way and the other, each
    with the layers that came along the axes before."""
    steps, edge = 7, 18
    block = [-(-edge // each) for each in across]  # the largest
    seconds = steps * FLOPS * block[0] * block[1] * block[2] * 1e-9
    for axis in (axis for axis in range(3) if across[axis] > 1):
        cells = 1
        for other in range(3):
            cells *= 1 if other == axis else block[other] + (2 if other < axis else 0)
        seconds += steps * 2 * (70e-6 + POPULATIONS * 8 * cells * 0.4e-6)
    text = played(constant, ranks, "flow=taylor-green", f"size={edge}", f"steps={steps}")
    slack = 0.1 if edge % max(across) else 1e-6  # blocks that differ in size
    assert events(text, "block")[0]["values"][0] == pytest.approx(seconds, rel=slack)


def test_ranks_that_do_not_divide_the_cube_are_refused(constant: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="a product of three, none greater than size 12"):
        played(constant, 13, "size=12")


@pytest.mark.nightly
def test_a_run_without_data_takes_no_memory_of_its_cells_and_the_same_time(own_folder: None, tmp_path: Path) -> None:
    constant_with(tmp_path, "lattice")
    one = ("--set", "flow=sphere", "--set", "steps=1")
    chosen = ("run", "lattice", "--on", "constant.toml", "-n", "4", *one, "--json")
    large = assay(*chosen, "--set", "size=1024", "--out", "large")  # 300 GB of populations
    assert large.status == 0, large.err
    (check,) = events(next((tmp_path / "large" / "launches").glob("*.jsonl")).read_text(), "check")
    assert check["detail"] == "simulated without data; --verify computes and checks"
    values = []
    for more in ((), ("--verify",)):
        answer = assay(*chosen, "--set", "size=160", *more, "--out", f"run{len(more)}")
        assert answer.status == 0, answer.err
        values.append(answer.document["figures"][0]["value"])
    assert values[0] == values[1]


# One defect in each measured loop, and the flow by which it is seen.
DEFECTS = {
    "arrival": ("cells.cpp", "to.density[i] += sum;", "to.density[i] += sum * (1 + 1e-9);", "taylor-green"),
    "velocity": ("cells.cpp", "(at.y[i] + 0.5 * force[1])", "(at.y[i] + 0.6 * force[1])", "sphere"),
    "collision": ("cells.cpp", "4.5 * at.density[i] * projected", "4.4 * at.density[i] * projected", "taylor-green"),
    "force": ("cells.cpp", "3 * w * (1 - 0.5 * rates.odd)", "3 * w * (1 - 0.4 * rates.odd)", "poiseuille"),
    "bounce": ("cells.cpp", "[link.solid] = value;", "[link.solid] = value * (1 - 1e-9);", "poiseuille"),
    "relaxation": ("cells.hpp", "return {1 / (even + 0.5)", "return {1 / (even + 0.52)", "taylor-green"),
    "exchange": ("domain.hpp", "to[at] = came[i++]", "to[at] = came[i++] * (1 + 1e-9)", "sphere"),
}


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_seen(defect: str, tmp_path: Path) -> None:
    source, right, wrong, flow = DEFECTS[defect]
    made = broken(tmp_path, "lattice", source, right, wrong)
    (check,) = events(on_mpi(made, 1, f"flow={flow}", "size=24"), "check")
    assert not check["passed"], check


@pytest.mark.mpi
@pytest.mark.measures
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_the_report_has_user_and_system_time(own_folder: None) -> None:
    answer = assay("run", "lattice", "-n", "2", "--launches", "1", "--set", "flow=taylor-green")
    assert re.search(r"Processor time: user [\d.]+ \w+, system [\d.]+ \w+ \(", " ".join(answer.out.split())), answer.out
