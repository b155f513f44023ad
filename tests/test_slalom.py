"""SLALOM: form factors against a numerical integral, laws of light on all ranks, the largest in a time, defects."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from application_runs import broken, events, on_machine, only_check, over_mpi
from assay.benchmark.record import benchmark
from assay.described.machine_file import load
from assay.described.shipped import open_described, shipped
from assay.execute.build import build
from assay.published.cells.slalom_twins import COLUMNS, PATCHES
from command_line import assay
from mpis_here import MPI

ROOT = Path(__file__).resolve().parent.parent
Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def machine() -> dict[str, Any]:
    return load(shipped()["delta"]).for_core()


def played(machine: dict[str, Any], ranks: int, *given: str) -> str:
    return on_machine("slalom", machine, ranks, *given)


def leaving(detail: str) -> list[float]:
    """The light that leaves all faces, by band."""
    found = re.search(r"leaving (\S+), (\S+), ([\d.e+-]+)", detail)
    assert found
    return [float(each) for each in found.groups()]


def on_mpi(program: Path, ranks: int, folder: Path, *given: str) -> dict[str, Any]:
    found = over_mpi("slalom", program, ranks, *given, f"folder={folder}")
    assert not list(folder.iterdir())
    return only_check(found)


@pytest.fixture(scope="module")
def alone(machine: dict[str, Any]) -> dict[str, list[float]]:
    """On one rank, by number of patches."""
    found = {}
    for patches in (6, 24, 61):
        (check,) = events(played(machine, 1, f"patches={patches}"), "check")
        assert check["passed"], check
        found[str(patches)] = leaving(check["detail"])
    return found


@settings(max_examples=25, deadline=None)
@given(
    ranks=st.integers(1, 20),
    patches=st.sampled_from(["6", "24", "61"]),
    block=st.integers(1, 70),
    way=st.sampled_from(["ring", "tree"]),
)
def test_light_is_the_same_on_all_ranks(
    machine: dict[str, Any], alone: dict[str, list[float]], ranks: int, patches: str, block: int, way: str
) -> None:
    chosen = (f"patches={patches}", f"block={block}", f"broadcast={way}")
    (check,) = events(played(machine, ranks, *chosen), "check")
    assert check["passed"], check
    assert leaving(check["detail"]) == pytest.approx(alone[patches], rel=1e-11)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize(("ranks", "scene"), [(1, "furnished"), (2, "uniform"), (3, "furnished")])
def test_real_ranks_agree(ranks: int, scene: str, machine: dict[str, Any], tmp_path: Path) -> None:
    assert MPI is not None
    program = build([benchmark("slalom")], mpi=MPI)["slalom"].path
    chosen = ("patches=61", f"scene={scene}")
    check = on_mpi(program, ranks, tmp_path, *chosen)
    (simulated,) = events(played(machine, ranks, *chosen), "check")
    assert check["passed"]
    assert simulated["passed"]
    assert check["detail"] == simulated["detail"]


# --- six faces, a patch each, by a numerical integral ------------------------------------------------------------
EDGES = (13.5, 9.0, 8.0)
EMITTED = np.array([[0.0] * 3] * 4 + [[0.1] * 3, [2.4, 2.2, 1.9]])
REFLECTED = np.array(
    [[0.6, 0.5, 0.4], [0.3, 0.5, 0.7], [0.7, 0.7, 0.7], [0.5, 0.6, 0.5], [0.4, 0.3, 0.2], [0.8, 0.8, 0.9]]
)


def points(face: int, count: int) -> tuple[Floats, float]:
    """Midpoints of equal cells of a face, and a cell's area."""
    axis, others = face // 2, [(face // 2 + 1) % 3, (face // 2 + 2) % 3]
    cells = [(np.arange(count) + 0.5) * EDGES[each] / count for each in others]
    made = np.empty((count * count, 3))
    made[:, axis] = EDGES[axis] * (face % 2)
    made[:, others] = list(product(*cells))
    return made, EDGES[others[0]] * EDGES[others[1]] / count**2


def exchanged(one: int, other: int, count: int) -> float:
    """Area times form factor of two faces: the double integral of the cosines over pi r^2, by midpoints."""
    (first, area), (second, other_area) = points(one, count), points(other, count)
    between = first[:, None, :] - second[None, :, :]
    cosines = np.abs(between[:, :, one // 2] * between[:, :, other // 2])
    return float((cosines / (np.pi * (between**2).sum(axis=2) ** 2)).sum() * area * other_area)


def test_the_answer_is_that_of_integrated_form_factors(alone: dict[str, list[float]]) -> None:
    """Midpoints on two grids, extrapolated: the error at a common edge falls as the cell."""
    factors = np.zeros((6, 6))
    areas = np.array([points(face, 1)[1] for face in range(6)])
    for one, other in product(range(6), range(6)):
        if one != other:
            coarse, fine = (exchanged(one, other, count) for count in (20, 40))
            factors[one, other] = (2 * fine - coarse) / areas[one]
    assert factors.sum(axis=1) == pytest.approx(np.ones(6), abs=2e-3)
    for band in range(3):
        light = np.linalg.solve(np.eye(6) - REFLECTED[:, band, None] * factors, EMITTED[:, band])
        assert alone["6"][band] == pytest.approx(float(areas @ light), rel=5e-3)


def test_equal_faces_have_the_closed_answer(machine: dict[str, Any]) -> None:
    (check,) = events(played(machine, 4, "patches=61", "scene=uniform"), "check")
    area = 2 * (13.5 * 9 + 13.5 * 8 + 9 * 8)
    wanted = [area * (1 + band) / (1 - 0.3 - 0.2 * band) for band in range(3)]
    assert leaving(check["detail"]) == pytest.approx(wanted, rel=1e-11)


def test_one_rank_is_charged_what_the_operations_take(machine: dict[str, Any]) -> None:
    """At 6 Mflop/s, and some tenths of a second for the files."""
    (block,) = events(played(machine, 1, "patches=300", "block=1"), "block")
    assert block["values"][0] == pytest.approx(block["case"]["operations"] / 6e6, rel=0.03)


def test_the_largest_in_a_time(machine: dict[str, Any]) -> None:
    (block,) = events(played(machine, 4, "patches=0", "within=3"), "block")
    found = block["case"]["patches"]
    assert 0.9 * 3 < block["values"][0] <= 3
    (more,) = events(played(machine, 4, f"patches={found * 21 // 20}"), "block")
    assert more["values"][0] > 3


def test_the_twins_take_a_minute() -> None:
    """The Ncube's size is the one that a search finds."""
    machine = open_described("ncube6400").for_core()
    chosen = [f"{name}={value}" for name, value in COLUMNS.items()]
    (block,) = events(played(machine, 64, "patches=0", *chosen), "block")
    assert block["case"]["patches"] == PATCHES["ncube6400"]


# One defect in each part; the laws see it whatever the number of ranks.
DEFECTS = {
    "facing": ("room.cpp", "times_log(square / 2, x * x", "times_log(square / 2.001, x * x"),
    "corner": ("room.cpp", "(square - y * y) / 4", "(square - y * y) / 4.001"),
    "factorise": ("columns.cpp", "own[row] *= inverse", "own[row] *= inverse * (1 + 1e-6)"),
    "subtract": ("columns.cpp", "third[i] * by[2]", "third[i] * by[3]"),
    "substitute": (
        "columns.cpp",
        "left -= own[row] * found[band * width + row]",
        "left += own[row] * found[band * width + row]",
    ),
}


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_seen(defect: str, tmp_path: Path) -> None:
    made = broken(tmp_path, "slalom", *DEFECTS[defect])
    (tmp_path / "files").mkdir()
    check = on_mpi(made, 2, tmp_path / "files", "patches=61")
    assert not check["passed"], check


@pytest.mark.parametrize(
    ("given", "problem"), [("patches=3", "each face has a patch"), ("io_nodes=99", "more than there are")]
)
def test_impossible_cases_are_refused(given: str, problem: str, own_folder: None) -> None:
    answer = assay("run", "slalom", "--on", "delta", "-n", "4", "--set", given)
    assert answer.status == 2
    assert problem in answer.err
