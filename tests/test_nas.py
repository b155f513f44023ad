"""NAS kernels: official verification values on MPI and simulated, the same digits on both, and every defect seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from application_runs import broken, built, constant_with, events, on_machine, over_mpi
from assay.described.node_model import node_kernel
from assay.described.shipped import open_described
from assay.published.cells.answers import Played
from assay.published.cells.nas_twins import speedups
from command_line import assay
from mpis_here import MPI

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ("ep", "ft", "mg", "cg", "is")


def machine(folder: Path) -> dict[str, Any]:
    return constant_with(folder, "ep", "fft", "mg", "cg", "is")


def played(folder: Path, ranks: int, *given: str) -> str:
    return on_machine("nas", machine(folder), ranks, *given)


def on_mpi(program: Path, ranks: int, *given: str) -> str:
    return over_mpi("nas", program, ranks, *given)


@pytest.fixture(scope="module")
def program() -> Path:
    return built("nas")


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ranks", [1, 2])
def test_both_kinds_of_machine_give_the_official_values_with_the_same_digits(
    kernel: str, ranks: int, program: Path, tmp_path: Path
) -> None:
    given = (f"kernel={kernel}", "class=S")
    (real,) = events(on_mpi(program, ranks, *given), "check")
    (simulated,) = events(played(tmp_path, ranks, *given), "check")
    assert real["passed"]
    assert simulated["passed"]
    assert real["detail"] == simulated["detail"]


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("ranks", "size"), [(4, "S"), (1, "W"), (2, "W"), (1, "A"), (2, "A"), (4, "A")])
def test_larger_classes_and_more_ranks_give_the_official_values(
    kernel: str, ranks: int, size: str, program: Path
) -> None:
    (check,) = events(on_mpi(program, ranks, f"kernel={kernel}", f"class={size}"), "check")
    assert check["passed"], check


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ranks", [4, 8, 16, 64])
def test_simulated_ranks_carry_the_data(kernel: str, ranks: int, tmp_path: Path) -> None:
    (check,) = events(played(tmp_path, ranks, f"kernel={kernel}", "class=S"), "check")
    assert check["passed"], check


def test_what_a_described_machine_charges_is_divided_among_its_ranks(tmp_path: Path) -> None:
    """EP exchanges only its sums: on p ranks it takes a p-th of its work, and 2 log2 p messages of 96 bytes."""
    took = {
        ranks: events(played(tmp_path, ranks, "kernel=ep", "class=S"), "block")[0]["values"][0] for ranks in (1, 2, 16)
    }
    message = 70e-6 + 96 * 0.4e-6
    assert took[2] == pytest.approx(took[1] / 2 + 2 * message, rel=1e-9)
    assert took[16] == pytest.approx(took[1] / 16 + 8 * message, rel=1e-9)


def test_two_processors_of_a_node_share_its_bus_as_the_node_model_says() -> None:
    """Table 3.5 by the description: EP, without bytes, doubles; FT and MG lose what two wait for each other's.

    Lines of FT are more than the cache of 16 KiB holds, rows of MG are not: 13 of 130 numbers. FT is as printed.
    """
    answers = Played()
    assert speedups(answers, "paragon-mp", "ep", "A") == pytest.approx([2.0] * 3, rel=1e-4)
    for kernel, charged, memory in (("mg", "mg", 13 * 130 * 8), ("ft", "fft", 2 * 8 * 256 * 16)):
        model = node_kernel(open_described("paragon-mp"), charged, memory)
        assert not isinstance(model, str)
        gain = model.rate(2) / model.rate(1)
        assert speedups(answers, "paragon-mp", kernel, "A") == pytest.approx([gain] * 3, rel=0.01)
        assert kernel == "mg" or 1.20 <= gain <= 1.42


def test_a_key_costs_integer_additions(own_folder: None) -> None:
    """On one node nothing is sent: class W ranks 2^20 keys ten times, and charges each twice, four additions each."""
    answer = assay("run", "nas", "--on", "ipsc860", "-n", "1", "--set", "kernel=is", "--set", "class=W", "--json")
    (time,) = (f["value"] for f in answer.document["figures"] if (f["name"], f["statistic"]) == ("time", "median"))
    addition = node_kernel(open_described("ipsc860"), "int32_add")
    assert not isinstance(addition, str)
    assert time == pytest.approx(10 * 2**20 * 2 * 4 / addition.rate(), rel=1e-6)


def test_a_kernel_without_a_rate_is_left_out_and_named(own_folder: None) -> None:
    """The Paragon's description has a rate of compiled code, which says nothing of a sort of whole numbers."""
    answer = assay("run", "nas", "--on", "paragon-mp", "-n", "4", "--json")
    assert {each["params"]["kernel"] for each in answer.document["figures"]} == {"ep", "ft", "mg", "cg"}
    assert "the description has no rate for kernel is" in answer.out


@pytest.mark.parametrize(("kernel", "ranks"), [("cg", 3), ("is", 6), ("ft", 128), ("mg", 5)])
def test_ranks_that_a_kernel_cannot_be_divided_among_are_refused(kernel: str, ranks: int, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="a power of two"):
        played(tmp_path, ranks, f"kernel={kernel}", "class=S")


# One defect in each measured loop.
DEFECTS = {
    "ep": ("ep_pairs.cpp", "squares[i] > 1)", "squares[i] > 0.9999)"),
    "ft": ("ft_lines.cpp", "two_re * c2 - two_im * s2", "two_re * c2 + two_im * s2"),
    "mg": ("mg_grid.cpp", "0.0625 * (edges[at - 1]", "0.0624 * (edges[at - 1]"),
    "cg": ("cg_matrix.cpp", "sums[lane] += values[k + lane]", "sums[lane] = values[k + lane]"),
    "is": ("is_keys.cpp", "ranks[i] += ranks[i - 1]", "ranks[i] += ranks[i - 1] + (i == 5)"),
}


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_defect_in_a_measured_loop_is_seen(kernel: str, tmp_path: Path) -> None:
    made = broken(tmp_path, "nas", *DEFECTS[kernel])
    (check,) = events(on_mpi(made, 1, f"kernel={kernel}", "class=S"), "check")
    assert not check["passed"]


def test_data_are_carried_on_request_and_the_result_is_official(tmp_path: Path, own_folder: None) -> None:
    """Class W is simulated without data; with --verify it is computed, and takes the same simulated time."""
    machine(tmp_path)
    given = ("run", "nas", "--on", "constant.toml", "-n", "4", "--set", "kernel=is", "--set", "class=W", "--json")
    found = {}
    for more in ((), ("--verify",)):
        answer = assay(*given, *more, "--out", f"run{len(more)}")
        assert answer.status == 0, answer.err
        launches = tmp_path / f"run{len(more)}" / "launches"
        (check,) = events(next(launches.glob("*.jsonl")).read_text(), "check")
        assert check["passed"]
        found[more] = check["detail"], answer.document["figures"][0]["value"]
    assert found[()][0] == "simulated without data; --verify computes and checks"
    assert found[("--verify",)][0] == "50 of 50 official ranks; 0 keys out of order"
    assert found[()][1] == found[("--verify",)][1]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("echo", "--on", "constant.toml"), "has no effect on echo"),
        (("nas",), "is of simulated ranks"),
    ],
)
def test_what_carries_data_anyhow_refuses_to_be_asked(
    given: tuple[str, ...], problem: str, tmp_path: Path, own_folder: None
) -> None:
    machine(tmp_path)
    answer = assay("run", *given, "--verify")
    assert answer.status == 2
    assert f"--verify: {problem}" in answer.err
