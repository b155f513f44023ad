"""Several numbers of ranks in one run: speedups of the same work and of growing work, and the laws fitted to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares, nnls

from assay.analysis.speedup import Law, amdahl, gustafson, scale_times, universal
from command_line import assay

ROOT = Path(__file__).resolve().parent.parent
RATES = '\n[compute.rate]\nep = "1 Gflop/s"\n'
COUNTS = np.array([1.0, 2, 4, 8, 16])


@settings(deadline=None)
@given(st.floats(0.0, 1.0), st.floats(1e-3, 1e3), st.integers(1, 3))
def test_gustafsons_law_comes_back(sigma: float, scale: float, fewest: int) -> None:
    """Closed form: work that grows with the ranks is done at p - sigma (p - 1) times the rate of one."""
    counts = COUNTS[fewest - 1 :]
    work = 1e9 * counts
    times = scale * counts / (counts - sigma * (counts - 1))
    law = gustafson(counts, work, times, base="one")
    assert law.coefficients["sigma"] == pytest.approx(sigma, abs=1e-6)
    assert law.predict(counts) / law.predict(counts[0]) == pytest.approx(
        (work / times) / (work[0] / times[0]), rel=1e-6
    )
    assert law.residual < 1e-6 and law.limit is None


@settings(deadline=None)
@given(st.lists(st.floats(0.5, 2.0), min_size=5, max_size=5), st.sampled_from(["amdahl", "gustafson", "universal"]))
def test_fits_are_those_of_an_independent_solver(noise: list[float], name: str) -> None:
    """scipy minimises the same sums of squares, of times, or of rates for Gustafson's law, over its own unknowns."""
    times = np.array(noise) * 10 / COUNTS
    if name == "gustafson":
        law = gustafson(COUNTS, COUNTS, times * COUNTS, base="one")
        solved = nnls(np.column_stack([COUNTS, np.ones(5)]) * times[:, None], np.ones(5))[0]
        assert law.coefficients["sigma"] == pytest.approx(solved[1] / solved.sum(), abs=1e-6)
        return
    law = (amdahl if name == "amdahl" else universal)(COUNTS, times, base="one")
    own = _sum(law, times)

    def left(unknowns: np.ndarray) -> np.ndarray:
        one, serial, *more = unknowns
        grows = (more[0] if more else 0) * (COUNTS - 1)
        return np.asarray((one / COUNTS + serial * (COUNTS - 1) / COUNTS + grows) / times - 1)

    begin = np.full(2 if name == "amdahl" else 3, 1.0)
    found = least_squares(left, begin, bounds=(0, np.inf), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert own <= 2 * found.cost * (1 + 1e-6) + 1e-12
    assert law.residual == pytest.approx(np.sqrt(own / 5), rel=1e-6, abs=1e-9)
    perfect = least_squares(lambda one: one[0] / COUNTS / times - 1, [1.0], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert law.perfect_residual == pytest.approx(np.sqrt(2 * perfect.cost / 5), rel=1e-5, abs=1e-9)
    assert law.residual <= law.perfect_residual * (1 + 1e-9)


def _sum(law: Law, times: np.ndarray) -> float:
    return float(((law.time_one / law.predict(COUNTS) / times - 1) ** 2).sum())


def test_times_are_scaled_to_the_work_of_the_fewest() -> None:
    assert scale_times([2, 4, 8], [1.0, 1.0, 2.0]).tolist() == [[1.0, 0.5, 0.5]]


@pytest.fixture
def constant(own_folder: None) -> str:
    Path("constant.toml").write_text((ROOT / "examples" / "constant.toml").read_text() + RATES)
    return "constant.toml"


def test_several_numbers_of_ranks_are_measured_in_one_run(constant: str) -> None:
    """EP of classes S and W: the same work, and twice as much on twice as many ranks."""
    given = ("--set", "kernel=ep", "--set", "class=S,W", "--on", constant, "-n", "1,2,4")
    answer = assay("run", "nas", *given, "--json")
    assert answer.status == 0, answer.err
    figures = answer.document["figures"]
    assert {each["params"]["ranks"] for each in figures} == {1, 2, 4}
    fits = {(each["law"], each["params"].get("class"), each["params"].get("scaling")): each
            for each in answer.document["fits"]}  # fmt: skip
    strong_fits = {(law, size, None) for law in ("speedup", "amdahl", "universal") for size in "SW"}
    assert set(fits) == strong_fits | {(law, None, "weak") for law in ("speedup", "gustafson")}
    strong, weak = fits["speedup", "S", None], fits["speedup", None, "weak"]
    assert strong["processors"] == [1, 2, 4]
    times = [each for each in figures if each["name"] == "time"]
    took = {(each["params"]["class"], each["params"]["ranks"]): each["value"] for each in times}
    assert [each["value"] for each in strong["speedup"]] == pytest.approx(
        [took["S", 1] / took["S", p] for p in (1, 2, 4)]
    )
    assert weak["speedup"][1]["value"] == pytest.approx(2 * took["S", 1] / took["W", 2])
    assert "of perfect scaling" in fits["amdahl", "S", None]["text"]
    assert {each["ranks"] for each in answer.document["accounts"]} == {1, 2, 4}


def test_ranks_per_node_that_a_number_cannot_fill_are_left_out(own_folder: None) -> None:
    given = ("--on", "paragon-mp", "--set", "kernel=ep", "-n", "1,2,4", "--ppn", "1,2", "--out", "run")
    answer = assay("run", "nas", *given)
    assert answer.status == 0, answer.err
    assert {path.stem for path in Path("run/launches").glob("*.jsonl")} == {
        f"000-nas-ranks{ranks}-ppn{ppn}" for ranks, ppn in ((1, 1), (2, 1), (2, 2), (4, 1), (4, 2))
    }
    refused = assay("run", "nas", "--on", "paragon-mp", "-n", "1,2", "--ppn", "3")
    assert refused.status == 2 and "--ppn: no node gets so many ranks; got '3'" in refused.err


@pytest.mark.parametrize("count", ["0", "1,1", "1,x", "", "2147483648"])
def test_what_is_no_number_of_ranks_is_refused(count: str, constant: str) -> None:
    answer = assay("run", "nas", "--on", constant, "-n", count)
    assert answer.status == 2 and "-n" in answer.err and "expected " in answer.err and "1,2\n" in answer.err


def rows(markdown: str, title: str) -> list[list[str]]:
    """The rows of a Markdown table."""
    found = markdown.partition(f"**{title}**")[2].strip().split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found]


def test_weak_scaling_goes_by_what_the_rate_counts(constant: str) -> None:
    """Updates of 12, 15 and 19 cubed cells: 1.95 and 3.97 times as many; speedups are ratios of rates."""
    rates = '\n[compute.rate]\nlattice = "1 Gflop/s"\n'
    Path(constant).write_text((ROOT / "examples" / "constant.toml").read_text() + rates)
    given = ("--set", "flow=taylor-green", "--set", "size=12,15,19", "--set", "steps=2", "--on", constant)
    document = assay("run", "lattice", *given, "-n", "1,2,4", "--out", "run", "--json").document
    took = {(each["params"]["size"], each["params"]["ranks"]): each["value"]
            for each in document["figures"] if each["name"] == "time"}  # fmt: skip
    weak = [each for each in document["fits"] if each["params"].get("scaling") == "weak" and each["law"] == "speedup"]
    (whole,) = [each for each in weak if each["processors"] == [1, 2, 4]]
    wanted = [size**3 / 12**3 * took[12, 1] / took[size, ranks] for size, ranks in ((12, 1), (15, 2), (19, 4))]
    assert [each["value"] for each in whole["speedup"]] == pytest.approx(wanted)
    shown = rows(assay("report", "run", "--markdown").out, "Speedups: Lattice Boltzmann")
    text = ", ".join(f"{ranks}: {value:.3g}" for ranks, value in zip((1, 2, 4), wanted, strict=True))
    assert [row[3] for row in shown if row[2] == "weak" and "4:" in row[3] and "1:" in row[3]] == [text]
    assert {row[2] for row in shown} == {"strong", "weak"}


def test_fits_stand_beside_one_another_by_network_and_cpus_per_node(own_folder: None) -> None:
    """Laws of the same program on two networks and with one and two CPUs per node, as each run has them."""
    given = ("--set", "flow=taylor-green", "--set", "size=32", "--set", "steps=2", "-n", "2,4,8", "--ppn", "1,2")
    for name in ("sgi-l1200-cluster", "sgi-l1200-cluster:ethernet"):
        assert assay("run", "lattice", "--on", name, *given, "--out", name.rpartition(":")[2]).status == 0
    answer = assay("report", "sgi-l1200-cluster", "ethernet", "--markdown")
    shown = rows(answer.out, "Speedups by machine and network")
    assert [(row[0], row[3]) for row in shown] == [
        (machine, ppn) for machine in ("sgi-l1200-cluster", "sgi-l1200-cluster-ethernet") for ppn in "12"
    ]
    serial = {}
    for name in ("sgi-l1200-cluster", "ethernet"):
        for fit in assay("report", name, "--json").document["benchmarks"][0]["fits"]:
            if fit["law"] == "amdahl":
                serial[name, str(fit["params"]["ppn"])] = fit["coefficients"]["sigma"]
    found = {(row[0].removeprefix("sgi-l1200-cluster-"), row[3]): row[7] for row in shown}
    assert found == {key: f"{value:.2g}" for key, value in serial.items()}
    assert serial["ethernet", "1"] > serial["sgi-l1200-cluster", "1"]
    assert "Speedups by machine and network" in Path("sgi-l1200-cluster/beside.html").read_text()
