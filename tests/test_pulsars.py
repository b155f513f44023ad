"""The program pulsars: moments against integrals by other code, the same digits on all ranks, defects, its schedule."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application_runs import broken, constant_with, events, on_machine, only_check, over_mpi
from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.published.cells.answers import Played
from assay.published.cells.maya5_twins import MAYA5, time
from command_line import assay
from mpis_here import MPI

ROOT = Path(__file__).resolve().parent.parent
FEW = ("pulsars=4096",)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return constant_with(tmp_path_factory.mktemp("machine"), "pulsars")


def played(machine: dict[str, Any], ranks: int, *given: str) -> str:
    return on_machine("pulsars", machine, ranks, *given)


def took(machine: dict[str, Any], ranks: int, *given: str) -> float:
    (block,) = events(played(machine, ranks, *given), "block")
    return float(block["values"][0])


def on_mpi(program: Path, ranks: int, *given: str) -> dict[str, Any]:
    return only_check(over_mpi("pulsars", program, ranks, *given))


@pytest.fixture(scope="module")
def detail(machine: dict[str, Any]) -> str:
    (check,) = events(played(machine, 1, *FEW), "check")
    assert check["passed"], check
    return str(check["detail"])


@settings(max_examples=12, deadline=None)
@given(ranks=st.integers(1, 24), parts=st.sampled_from([16, 16, 7, 64]))
def test_what_is_found_depends_on_no_ranks(machine: dict[str, Any], detail: str, ranks: int, parts: int) -> None:
    """Sums are added up by parts, so that with as many parts every digit is the same."""
    (check,) = events(played(machine, ranks, *FEW, f"parts={parts}"), "check")
    assert check["passed"], check
    assert counts(check["detail"]) == counts(detail)
    if parts == 16:
        assert check["detail"] == detail


def counts(detail: str) -> list[int]:
    found = re.match(r"(\d+) of (\d+) followed \(integral (\d+)\).* (\d+) seen still \((\d+)\)", detail)
    assert found
    return [int(each) for each in found.groups()]


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_real_ranks_find_the_same_digits(ranks: int, detail: str) -> None:
    assert MPI is not None
    check = on_mpi(build([benchmark("pulsars")], mpi=MPI)["pulsars"].path, ranks, *FEW)
    assert check["passed"]
    assert check["detail"] == detail


def test_integrals_are_those_of_another_quadrature(detail: str) -> None:
    """A million random pulsars by numpy, from the ranges and laws as documented: counts within four standard errors."""
    draw = np.random.default_rng(7)
    count = 1_000_000
    field, period = 10 ** draw.uniform(11, 12.8, count), draw.uniform(0.05, 0.3, count)
    bright = 1 / draw.uniform(1e-4, 1, count) >= 0.1 * 100 * draw.uniform(0, 1, count)
    age = draw.uniform(0, 50, count)
    square = period**2 + 9.766e-40 * 3.156e13 * field**2 * 10 * (1 - np.exp(-age / 5))
    seen = field * np.exp(-age / 10) >= 0.17e12 * square
    _, drawn, followed, _, alive = counts(detail)
    share, still = followed / drawn, alive / counts(detail)[0]
    assert bright.mean() == pytest.approx(share, abs=4 * (share / count) ** 0.5 + 1 / drawn)
    assert seen.mean() == pytest.approx(still, abs=4 * (still / count) ** 0.5 + 1 / counts(detail)[0])
    found = re.search(r"s\^2 \(([\d.]+)\)", detail)
    assert found
    assert square.mean() == pytest.approx(float(found[1]), abs=4 * square.std() / count**0.5)


def test_rank_0_of_several_only_schedules(machine: dict[str, Any]) -> None:
    """One worker takes what one rank alone does, but for messages; with a part each the longest decides."""
    one, two, three = (took(machine, ranks, "parts=16", *FEW) for ranks in (1, 2, 3))
    messages = 2 * 17 * (70e-6 + 80 * 0.4e-6)
    assert one < two < one + messages
    assert one / 2 < three < 0.55 * one
    assert took(machine, 17, *FEW) == pytest.approx(took(machine, 24, *FEW), abs=messages)
    assert took(machine, 5, "parts=0", *FEW) > one / 4


def test_more_parts_even_out(machine: dict[str, Any]) -> None:
    losses = [1 - took(machine, 2, f"parts={parts}") / 7 / took(machine, 8, f"parts={parts}") for parts in (16, 512)]
    assert losses[0] > 0.15
    assert losses[1] < 0.02


def test_maya5_on_clusters() -> None:
    """The times that the paper prints of the SGI cluster, of which only that on 2 processors was taken: within 8%."""
    answers = Played()
    printed = {3: 4216, 4: 3091, 6: 2048, 8: 1607}
    for ranks, seconds in printed.items():
        assert time(answers, MAYA5, "sgi-l1200-cluster", ranks) == pytest.approx(seconds, rel=0.08)


# One defect in each part of the loop; each is seen by another law.
DEFECTS = {
    "draws": ("between(log_field, uniform(seed, index, 0))", "between(log_field, 0.97 * uniform(seed, index, 0))"),
    "bright": ("farthest * std::sqrt(uniform(seed, index, 3))", "farthest * uniform(seed, index, 3)"),
    "braking": ("std::exp(-2 * time / field_decay)", "std::exp(-2.01 * time / field_decay)"),
    "motion": ("-at.height * (disc /", "-at.height * (1.001 * disc /"),
    "seen": ("std::exp(-one.age / field_decay) >= death_line", "std::exp(-one.age / field_decay) >= 1.2 * death_line"),
}


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize(
    "defect", [pytest.param(each, marks=[] if each == "motion" else pytest.mark.nightly) for each in DEFECTS]
)
def test_a_defect_in_the_loop_is_seen(defect: str, tmp_path: Path) -> None:
    made = broken(tmp_path, "pulsars", "population.cpp", *DEFECTS[defect])
    check = on_mpi(made, 1, "pulsars=32768")
    assert not check["passed"], check


def test_without_a_rate_it_is_refused(own_folder: None) -> None:
    shutil.copy(ROOT / "examples" / "constant.toml", "constant.toml")
    answer = assay("run", "pulsars", "--on", "constant.toml", "-n", "4")
    assert answer.status == 2
    assert "no rate for kernel pulsars" in answer.err


def test_more_parts_than_pulsars_are_refused(own_folder: None) -> None:
    answer = assay("run", "pulsars", "--on", "paragon-mp", "--set", "parts=2048", "--set", "pulsars=1024")
    assert answer.status == 2
    assert "fewer pulsars than parts" in answer.err
