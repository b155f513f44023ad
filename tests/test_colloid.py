"""Charged colloid: its laws on MPI and simulated, the same digits on both, and every defect seen."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application_runs import ONCE, broken, built, constant_with, events, on_machine, only_check, over_mpi
from mpis_here import MPI

SMALL = ("macroions=2", "charge=12", "steps=20")


def of_program(detail: str, what: str) -> float:
    (found,) = re.findall(rf"{what} ([-\d.e+]+)", detail)
    return float(found)


def played(described: dict[str, Any], ranks: int, *chosen: str) -> str:
    return on_machine("colloid", described, ranks, *chosen, options=("--verify",))


def on_mpi(program: Path, ranks: int, *chosen: str) -> str:
    return over_mpi("colloid", program, ranks, *chosen, options=ONCE)


@pytest.fixture(scope="module")
def program() -> Path:
    return built("colloid")


@pytest.fixture(scope="module")
def constant(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return constant_with(tmp_path_factory.mktemp("machine"), "colloid")


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_both_kinds_of_machine_give_the_same_digits(program: Path, ranks: int, constant: dict[str, Any]) -> None:
    real = only_check(on_mpi(program, ranks))
    described = only_check(played(constant, ranks))
    assert real["passed"], real
    assert real["detail"] == described["detail"]


@settings(max_examples=15, deadline=None)
@given(
    macroions=st.integers(2, 9), charge=st.integers(1, 30), ranks=st.integers(1, 9), steps=st.integers(1, 4)
)  # fmt: skip
def test_any_system_on_any_ranks_follows_the_laws(
    macroions: int, charge: int, ranks: int, steps: int, constant: dict[str, Any]
) -> None:
    """Sums are added up in the order of ranks: the same energy but for rounding, of few steps."""
    chosen = (f"macroions={macroions}", f"charge={charge}", f"steps={steps}")
    ranks = min(ranks, macroions * (1 + charge))
    one, many = (only_check(played(constant, each, *chosen)) for each in (1, ranks))
    assert one["passed"] and many["passed"], (one, many)
    for what in ("energy", "temperature", "pressure"):
        first, other = (of_program(each["detail"], what) for each in (one, many))
        assert other == pytest.approx(first, rel=1e-7, abs=1e-9)


def test_the_madelung_constant_is_that_of_rock_salt(constant: dict[str, Any]) -> None:
    """Against Mackenzie's fast series, 12 pi sum of sech^2 (pi / 2 sqrt(m^2 + n^2)) over odd m, n (Benson 1956)."""
    odd = range(1, 12, 2)
    series = 12 * math.pi * sum(math.cosh(math.pi / 2 * math.hypot(m, n)) ** -2 for m in odd for n in odd)
    detail = only_check(played(constant, 2, *SMALL))["detail"]
    assert of_program(detail, "rock salt") == pytest.approx(series, rel=1e-6)


def test_a_run_begins_anew(constant: dict[str, Any]) -> None:
    """Twice the same run, and one that goes on for longer."""
    once, again, longer = (
        only_check(played(constant, 2, *SMALL[:2], f"steps={steps}"))["detail"] for steps in (20, 20, 21)
    )
    assert once == again
    configuration = [re.findall(r"configuration (\w{16})", each) for each in (once, longer)]
    assert configuration[0] != configuration[1]


def waves(particles: int) -> tuple[int, float]:
    """Half of the points of a cubic lattice within the cut-off, but the origin; the pairs' cut-off over the edge."""
    accuracy = 3.8
    by_edge = max(2 * accuracy, 3.28 * particles ** (1 / 6))
    furthest = accuracy * by_edge / math.pi
    reach = range(-int(furthest), int(furthest) + 1)
    inside = sum(x * x + y * y + z * z <= furthest * furthest for x in reach for y in reach for z in reach)
    return (inside - 1) // 2, accuracy / by_edge


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_what_a_described_machine_charges(ranks: int, constant: dict[str, Any]) -> None:
    """Per evaluation of the forces pairs and waves of each share; messages: positions around the ring, the sums over
    waves up and down the tree, and nine sums at the start and in the end, for the energy."""
    macroions, charge, steps = 4, 19, 3
    particles = macroions * (1 + charge)
    count, reach = waves(particles)
    flops = particles / ranks * (particles * (14 + 70 * 4 * math.pi / 3 * reach**3) + 20 * count)
    rounds = math.ceil(math.log2(ranks))
    message = [70e-6 + 0.4e-6 * length for length in (2 * count * 8, 9 * 8, 3 * 8 * particles / ranks)]
    seconds = (1 + steps) * (flops * 1e-9 + 2 * rounds * message[0]) + steps * (ranks - 1) * message[2]
    text = played(constant, ranks, f"macroions={macroions}", f"charge={charge}", f"steps={steps}")
    assert events(text, "block")[0]["values"][0] == pytest.approx(seconds + 2 * rounds * message[1], rel=0.01)


def test_more_ranks_than_particles_are_refused(constant: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="no more ranks than particles, 4"):
        played(constant, 5, "macroions=2", "charge=1")


# One defect in each measured loop.
DEFECTS = {
    "pairs": (
        "ewald.cpp",
        "const double gauss = 2 * a / std::sqrt(pi);",
        "const double gauss = 2.001 * a / std::sqrt(pi);",
    ),
    "repulsion": ("ewald.cpp", "24 * (2 * sixth * sixth - sixth)", "24 * (2 * sixth * sixth - 0.9 * sixth)"),
    "structure": ("ewald.cpp", "to[lane] += plane[lane] * z[lane] -", "to[lane] += plane[lane] * z[lane] - 0.99 *"),
    "waves": ("ewald.cpp", "row_sum[lane] += pushed;", "row_sum[lane] += 1.01 * pushed;"),
    "wave_energy": ("ewald.cpp", "energy += 4 * pi / volume * weight", "energy += 4.001 * pi / volume * weight"),
    "virial": ("ewald.cpp", "(1 - k2 / (2 * waves.screening", "(1 - k2 / (2.01 * waves.screening"),
    "push": (
        "motion.cpp",
        "time / motion.mass[i] * forces.on[axis][i]",
        "1.01 * time / motion.mass[i] * forces.on[axis][i]",
    ),
    "drift": ("motion.cpp", "at += time * motion.velocity", "at += 1.01 * time * motion.velocity"),
}


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_seen(defect: str, tmp_path: Path) -> None:
    source, right, wrong = DEFECTS[defect]
    made = broken(tmp_path, "colloid", source, right, wrong)
    event = only_check(on_mpi(made, 1))
    assert not event["passed"], event
