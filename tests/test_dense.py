"""Cholesky and LU of distributed matrices: results by the definition, the same digits on both kinds of machine, charges
in closed form, the papers' rates, and every defect seen."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application_runs import ONCE, broken, built, constant_with, events, only_check, over_mpi
from assay.described.shipped import open_described
from assay.machine import catalogue
from assay.published.cells.answers import Played, play
from assay.published.cells.application_twins import KEPT, LARGEST
from assay.published.cells.twins import simulated
from assay.validation.claims.claim_kinds import accepted_of
from assay.validation.claims.messages import judge, published
from command_line import assay
from mpis_here import MPI
from started import play as played_text

ROOT = Path(__file__).resolve().parent.parent
RATE = 1e9  # flop/s of the machine below
START, BYTE = 70e-6, 0.4e-6  # s of a message there
KERNELS = ("cholesky", "gemm", "linpack")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return constant_with(tmp_path_factory.mktemp("machine"), *KERNELS)


def sets(chosen: dict[str, Any]) -> list[str]:
    return [word for key, value in chosen.items() for word in ("--set", f"{key}={value}")]


def result_of(found: dict[str, Any]) -> str:
    """The sum of the result's elements, in 17 digits."""
    return str(found["detail"].rpartition(" ")[2])


def on_mpi(program: Path, ranks: int, **chosen: Any) -> dict[str, Any]:
    return only_check(
        over_mpi("dense", program, ranks, *(f"{key}={value}" for key, value in chosen.items()), options=ONCE)
    )


@pytest.fixture(scope="module")
def program() -> Path:
    return built("dense")


CASES = [
    {"factorisation": "cholesky", "layout": "columns"},
    {"factorisation": "cholesky", "layout": "blocks"},
    {"factorisation": "lu", "layout": "blocks"},
    {"factorisation": "cholesky", "layout": "grid"},
]


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case.values()))
@pytest.mark.parametrize("ranks", [1, 2, 6])
def test_results_are_right_over_mpi_with_either_code_and_type(case: dict[str, Any], ranks: int, program: Path) -> None:
    for code, kind in (("library", "float64"), ("ours", "float32")):
        found = on_mpi(program, ranks, **case, size=150, block=16, code=code, type=kind)
        assert found["passed"], found


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case.values()))
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_both_kinds_of_machine_give_the_same_result_bit_for_bit(
    case: dict[str, Any], kind: str, program: Path, machine: dict[str, Any]
) -> None:
    chosen = {**case, "size": 150, "block": 16, "code": "ours", "type": kind}
    real, described = on_mpi(program, 2, **chosen), only_check(played_text("dense", machine, 2, sets(chosen)))
    assert real["passed"]
    assert result_of(real) == result_of(
        described
    )  # every digit; how far they are off is computed by other instructions


@settings(max_examples=30, deadline=None)
@given(
    case=st.sampled_from(CASES),
    kind=st.sampled_from(["float32", "float64"]),
    ranks=st.integers(1, 13),
    size=st.integers(1, 90),
    block=st.sampled_from([1, 3, 8, 19, 32]),
)
def test_results_are_right_for_any_ranks_sizes_and_blocks(
    case: dict[str, Any], kind: str, ranks: int, size: int, block: int, machine: dict[str, Any]
) -> None:
    chosen = {**case, "type": kind, "size": size, "block": block}
    found = only_check(played_text("dense", machine, ranks, sets(chosen)))
    assert found["passed"], (chosen, ranks, found)
    assert "scaled error" in found["detail"]


@pytest.mark.parametrize("rows", [1, 2, 3, 6])
def test_the_grid_changes_the_solution_by_rounding_alone(rows: int, machine: dict[str, Any]) -> None:
    """Each element goes through the same operations in the same order, whoever has it; the sums of the end differ."""
    chosen = {"factorisation": "lu", "size": 70, "block": 9, "grid_rows": rows}
    found = only_check(played_text("dense", machine, 6, sets(chosen)))
    alone = only_check(played_text("dense", machine, 1, sets({**chosen, "grid_rows": 1})))
    assert found["passed"]
    assert found["case"]["grid_rows"] == rows
    assert float(result_of(found)) == pytest.approx(float(result_of(alone)), rel=1e-10)


@pytest.mark.parametrize("rows", [1, 2, 3, 6])
def test_the_grid_changes_no_digit_of_a_factor(rows: int, machine: dict[str, Any]) -> None:
    """Each element goes through the same operations in the same order, and sums of numbers of 24 bits are exact."""
    chosen = {**CASES[3], "size": 70, "block": 9, "type": "float32"}
    found = only_check(played_text("dense", machine, 6, sets({**chosen, "grid_rows": rows})))
    assert found["passed"] and (found["case"]["layout"], found["case"]["grid_rows"]) == ("grid", rows)
    columns = only_check(played_text("dense", machine, 4, sets({**chosen, "layout": "blocks"})))
    assert result_of(found) == result_of(columns)


def test_ranks_of_a_grid_share_the_operations(machine: dict[str, Any]) -> None:
    """What 6 ranks are charged in all is what LINPACK counts, whatever the grid."""
    n = 64.0
    for rows in (1, 2, 3, 6):
        chosen = {**CASES[3], "size": 64, "block": 5, "grid_rows": rows}
        (account,) = events(played_text("dense", machine, 6, sets(chosen)), "account")
        done = sum(account["computing"]) * RATE
        assert done == pytest.approx(n**3 / 3 + n**2 / 2 + n / 6, rel=1e-6)


@pytest.mark.parametrize(("size", "ranks"), [(50, 1), (64, 1)])
def test_one_rank_is_charged_the_operations_that_linpack_counts(size: int, ranks: int, machine: dict[str, Any]) -> None:
    n = float(size)
    for case in (CASES[0], {**CASES[3], "block": 8}):
        (block,) = events(played_text("dense", machine, ranks, sets({**case, "size": size})), "block")
        assert block["values"][0] == pytest.approx((n**3 / 3 + n**2 / 2 + n / 6) / RATE, rel=1e-6)
    (block,) = events(played_text("dense", machine, ranks, sets({**CASES[2], "size": size, "block": 8})), "block")
    assert block["values"][0] == pytest.approx(2 * n**3 / 3 / RATE, rel=0.15)


def test_two_ranks_exchange_columns_one_by_one(machine: dict[str, Any]) -> None:
    """Without computing's cost to speak of: n messages of the columns' lengths, one after another."""
    size = 40
    (block,) = events(played_text("dense", machine, 2, sets({**CASES[0], "size": size})), "block")
    messages = sum(START + BYTE * 8 * (size - k) for k in range(size))
    assert block["values"][0] == pytest.approx(messages, rel=0.02)


def test_the_papers_machines_reach_what_was_printed_of_them() -> None:
    """Fitted: the iPSC/860's two cells. The DELTA has its rate, the Ncube 6400 what was printed of one node."""
    answers = Played()
    within = {"delta": 0.02, "ipsc860": 0.001, "ncube6400": 0.25}
    rates = {}
    for machine, most in within.items():
        cells = [cell for cell in catalogue.cells(machine=machine) if cell.benchmark == "cholesky"]
        found = simulated(answers, machine, cells)
        for place, cell in enumerate(cells):
            assert found[place] == pytest.approx(cell.value, rel=most), (machine, cell)
            rates[machine, cell.params["precision"]] = found[place]
    assert rates["delta", "double"] / rates["ipsc860", "double"] == pytest.approx(1.36, rel=0.05)


@pytest.mark.nightly
@pytest.mark.timeout(3600)  # 512 nodes take five minutes of processor time
@pytest.mark.parametrize(("name", "nodes"), KEPT)
def test_kept_rates_of_linpack_are_those_of_the_program(name: str, nodes: int) -> None:
    """Those of the claim on the DELTA's growth among them; five minutes. More nodes are a larger cube."""
    larger = {"network.dimension": f"{nodes.bit_length() - 1}"} if name.startswith("ncube") else {}
    chosen = {"factorisation": "lu", "size": LARGEST[name, nodes], "on_ranks": nodes}
    found = play(open_described(name, larger), "dense", chosen).figures
    assert [each.value for each in found if each.name == "rate"] == [pytest.approx(KEPT[name, nodes], rel=1e-5)]


def test_linpack_grows_as_printed() -> None:
    """From 128 to 512 nodes of the DELTA, within a fiftieth: perfect scaling would not be."""
    claim = published()["d91d.linpack-growth"]
    (part,) = judge(Played(), claim).parts
    assert part.outcome == "holds"
    assert KEPT["delta", 512] / KEPT["delta", 128] == pytest.approx(13.9 / 3.6, rel=0.02)
    assert accepted_of(claim, "delta").high < 4


def test_what_cannot_be_divided_is_left_out_and_named(own_folder: None) -> None:
    answer = assay("run", "dense", "--on", "ipsc860", "-n", "6", "--set", "factorisation=lu", "--set", "grid_rows=4")
    assert "the ranks are no multiple of grid_rows" in answer.out + answer.err


def test_a_run_answers_for_the_program_on_nodes(own_folder: None) -> None:
    chosen = ("--set", "factorisation=cholesky", "--set", "type=float32", "-n", "16", "--json")
    answer = assay("run", "dense", "--on", "ipsc860", *chosen)
    (rate,) = (each for each in answer.document["figures"] if each["name"] == "rate")
    assert rate["value"] == pytest.approx(45.8e6, rel=0.001)
    assert math.isclose(rate["params"]["operations"], 333833500)


# One defect in each of the loops and exchanges.
DEFECTS = {
    "blocks.cpp": [
        ("c0[i] = c0[i] - x * u0 - y * v0;", "c0[i] = c0[i] - x * u0 + y * v0;", "lu"),
        (
            "const Real pivot = std::sqrt(column[0]);",
            "const Real pivot = std::sqrt(column[0] * Real(1.001));",
            "cholesky",
        ),
        ("for (Index j = size - 1; j >= 0; --j) {", "for (Index j = size - 1; j > 0; --j) {", "lu"),
    ],
    "panel.hpp": [("= found.replaced()[k];", "= found.values()[k];", "lu")],
    "moves.hpp": [("std::swap(here, known->from);", "here = known->from;", "lu")],
}


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize(("name", "right", "wrong", "what"), [(k, *each) for k, of in DEFECTS.items() for each in of])
def test_a_defect_is_seen(name: str, right: str, wrong: str, what: str, tmp_path: Path) -> None:
    made = broken(tmp_path, "dense", name, right, wrong)
    assert not on_mpi(made, 1, factorisation=what, size=90, block=32, code="ours")["passed"]


GRID_DEFECTS = [
    (
        "room.from(place, k).at, high, turned.from(j - from, k).at",
        "room.from(place / 2, k).at, high, turned.from(j - from, k).at",
    ),
    ("row - (high_ - panel.rows), 0), turned", "0, 0), turned"),
    ("panel.rows, panel.block().from(0, j).at);", "panel.rows - 1, panel.block().from(0, j).at);"),
    ("wide, triangle_.data() + j * wide", "wide - 1, triangle_.data() + j * wide"),
]


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize(("right", "wrong"), GRID_DEFECTS)
def test_a_defect_on_the_grid_is_seen(right: str, wrong: str, tmp_path: Path) -> None:
    made = broken(tmp_path, "dense", "grid_cholesky.hpp", right, wrong)
    chosen = {**CASES[3], "size": 90, "block": 16, "code": "ours", "grid_rows": 2}
    assert not on_mpi(made, 4, **chosen)["passed"]
