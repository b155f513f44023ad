"""Bands in plane waves: levels by independent references, convergence with the cut-off, laws, and every defect seen."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh_tridiagonal
from scipy.special import erf

from application_runs import broken, built, constant_with, events, on_machine, over_mpi
from command_line import assay
from mpis_here import MPI

ROOT = Path(__file__).resolve().parent.parent
NEEDS_MPI = pytest.mark.skipif(MPI is None, reason="no MPI here")
SMALL = ("cycles=12", "steps=5")


def machine(folder: Path) -> dict[str, Any]:
    return constant_with(folder, "fft", "gemm", "eigenvalues")


def played(folder: Path, ranks: int, *given: str) -> str:
    return on_machine("planewaves", machine(folder), ranks, *given)


def on_mpi(program: Path, ranks: int, *given: str) -> list[dict[str, Any]]:
    return events(over_mpi("planewaves", program, ranks, *given), "check")


def level(check: dict[str, Any]) -> float:
    """The lowest one, as the check says it."""
    return float(check["detail"].split()[2].rstrip(","))


@pytest.fixture(scope="module")
def program() -> Path:
    return built("planewaves")


def ground_state(potential: Any) -> float:
    """The lowest level by differences on two radial grids, extrapolated: SciPy's solver, no code of the program's."""
    found = []
    for points in (2000, 4000):
        step = 14 / points
        r = step * np.arange(1, points)
        values = eigh_tridiagonal(
            1 / step**2 + potential(r), np.full(points - 2, -0.5 / step**2), select="i", select_range=(0, 0)
        )[0]
        found.append(float(values[0]))
    return found[1] + (found[1] - found[0]) / 3


REFERENCES = {
    "harmonic": ground_state(lambda r: r**2 / 2),
    "hydrogen": ground_state(lambda r: -2 * erf(r) / r),
}


@pytest.mark.mpi
@NEEDS_MPI
def test_both_kinds_of_machine_give_the_same_digits_that_pass(program: Path, tmp_path: Path) -> None:
    given = ("problem=harmonic,hydrogen,field",)
    real = sorted(check["detail"] for check in on_mpi(program, 2, *given))
    simulated = events(played(tmp_path, 2, *given), "check")
    assert all(check["passed"] for check in simulated), simulated
    assert real == sorted(check["detail"] for check in simulated)


@pytest.mark.parametrize("problem", ["harmonic", "hydrogen"])
def test_the_level_falls_with_the_cut_off_towards_the_radial_one(problem: str, tmp_path: Path) -> None:
    """The variational principle: no level lies below the reference, and a larger basis never raises it."""
    checks = events(played(tmp_path, 3, f"problem={problem}", "radius=4,5,6,7,8", *SMALL), "check")
    found = [level(check) for check in sorted(checks, key=lambda check: check["case"]["radius"])]
    assert all(later < sooner for sooner, later in pairwise(found))
    assert all(each > REFERENCES[problem] - 1e-6 for each in found)
    errors = [each - REFERENCES[problem] for each in found]
    assert errors[-1] < 1e-3
    assert errors[-1] < 0.05 * errors[0]


@pytest.mark.parametrize("ranks", [5, 7, 16])
def test_any_number_of_simulated_ranks_carries_the_data(ranks: int, tmp_path: Path) -> None:
    (check,) = events(played(tmp_path, ranks, "problem=field", "bands=1"), "check")
    assert check["passed"], check


def test_too_few_cycles_and_too_low_a_cut_off_are_seen(tmp_path: Path) -> None:
    (check,) = events(played(tmp_path, 2, "problem=field", "cycles=2"), "check")
    assert not check["passed"]
    assert "the density still changes" in check["detail"]
    (check,) = events(played(tmp_path, 2, "problem=harmonic", "radius=4"), "check")
    assert not check["passed"]
    assert "the virial theorem is not met" in check["detail"]


def test_what_a_described_machine_charges_is_divided_among_its_ranks(tmp_path: Path) -> None:
    """One rank does what the label counts; of several each has nearly a share, and the small problems as a whole."""
    took = {}
    for ranks in (1, 4):
        (block,) = events(played(tmp_path, ranks, "problem=harmonic", "cycles=2", "steps=2", "bands=1"), "block")
        took[ranks] = block["values"][0]
        operations = block["case"]["operations"]
    assert took[1] == pytest.approx(operations * 1e-9, rel=1e-6)
    # 2 (1 + 2) exchanges there and back of all lines of waves within the cut-off, of which 3/4 leave their rank
    lines = sum(x * x + y * y <= 64 for x in range(-8, 9) for y in range(-8, 9))
    exchanged = 12 * (3 * 70e-6 + 3 / 4 * lines / 4 * 32 * 16 * 0.4e-6)
    assert took[4] > took[1] / 4 + exchanged
    assert took[4] < 1.1 * took[1] / 4 + 1.1 * exchanged + 6 * 4 * (70e-6 + 18 * 16 * 0.4e-6)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("points=48",), "points: no power of two; got '48', expected 32, 64, 128 or 256"),
        (("radius=9",), "radius: too large for so few points; got '9', expected 0 to 8"),
        (("bands=5",), "bands: no closed shells; got '5', expected 1, 4, 10 or 20"),
    ],
)
def test_impossible_parameters_are_refused_in_one_line(given: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=problem):
        played(tmp_path, 2, *given)


def test_more_ranks_than_planes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="at most as many ranks as points along an edge"):
        played(tmp_path, 33, "points=32")


@pytest.mark.nightly
@pytest.mark.mpi
@NEEDS_MPI
@pytest.mark.parametrize("ranks", [1, 4])
def test_more_bands_and_points_agree_with_the_references(ranks: int, program: Path) -> None:
    for check in on_mpi(program, ranks, "problem=harmonic,hydrogen,field", "bands=10", "points=32,64", "steps=10"):
        assert check["passed"], check


# One defect in each measured part.
DEFECTS = {
    "points": ("transform.cpp", "plane_[i] *= scale * here[i]", "plane_[i] *= 1.001 * scale * here[i]"),
    "waves": ("transform.cpp", "+ *energy++ * *vectors++", "+ 1.001 * *energy++ * *vectors++"),
    "density": ("transform.cpp", "+= each * std::norm(plane_[i])", "+= 1.01 * each * std::norm(plane_[i])"),
    "products": ("subspace.cpp", "a * imaginary[j] - b * real[j]", "a * imaginary[j] + b * real[j]"),
    "combine": ("subspace.cpp", "a * x[i + 1] + b * x[i]", "a * x[i + 1] - b * x[i]"),
}


@pytest.mark.nightly
@pytest.mark.mpi
@NEEDS_MPI
@pytest.mark.parametrize("part", DEFECTS)
def test_a_defect_in_a_measured_part_is_seen(part: str, tmp_path: Path) -> None:
    made = broken(tmp_path, "planewaves", *DEFECTS[part])
    (check,) = on_mpi(made, 1, "problem=field")
    assert not check["passed"]


def test_a_description_without_a_rate_leaves_it_out_by_name(tmp_path: Path, own_folder: None) -> None:
    shutil.copy(ROOT / "examples" / "constant.toml", tmp_path)
    answer = assay("run", "planewaves", "--on", "constant.toml", "-n", "4")
    assert answer.status != 0
    assert "no rate for kernel" in answer.err
