"""T = alpha + beta N + gamma h: closed forms, the published coefficients, and a run that becomes a description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analysis import hops
from assay.described.machine_file import load
from assay.machine import catalogue
from assay.published.cells.answers import play
from assay.report.derive.document import document
from assay.report.render.tables import fits
from assay.store import Run
from command_line import assay

ALPHA, BETA, GAMMA = 64e-6, 0.36e-6, 10e-6
SIZES, COUNTS = (each.ravel() for each in np.meshgrid([8.0, 64, 1024, 8192], [1.0, 2, 5]))


def exact(sizes: Any = SIZES, counts: Any = COUNTS) -> Any:
    return ALPHA + BETA * sizes + GAMMA * counts


@pytest.mark.parametrize("estimator", ["ordinary", "relative"])
def test_a_plane_is_found_again(estimator: str) -> None:
    found = hops.fit(SIZES, COUNTS, exact(), estimator)
    assert (found.alpha, found.beta, found.gamma) == (
        pytest.approx(ALPHA), pytest.approx(BETA), pytest.approx(GAMMA))  # fmt: skip
    assert found.worst < 1e-9 and found.holdout is not None and found.holdout[1] < 1e-9
    assert found.predict([100], [3])[0] == pytest.approx(ALPHA + 100 * BETA + 3 * GAMMA)
    assert found.gamma_ci95 is None and found.hops == (1.0, 2.0, 5.0)


def test_ordinary_is_the_normal_equations_solution_and_relative_damps_an_outlier() -> None:
    times = exact() * (1 + 0.01 * np.sin(np.arange(len(SIZES))))
    times[5] *= 1.5
    design = np.column_stack([np.ones_like(SIZES), SIZES, COUNTS])
    wanted = np.linalg.solve(design.T @ design, design.T @ times)
    found = hops.fit(SIZES, COUNTS, times, "ordinary")
    assert (found.alpha, found.beta, found.gamma) == tuple(pytest.approx(each, rel=1e-6) for each in wanted)
    assert hops.fit(SIZES, COUNTS, times).gamma == pytest.approx(GAMMA, rel=0.1)
    assert abs(found.gamma / GAMMA - 1) > 0.3


def test_two_gammas_by_length() -> None:
    times = exact() + np.where(SIZES > 100, 2 * GAMMA * COUNTS, 0)
    short, long = hops.by_length(SIZES, COUNTS, times, (64,))
    assert (short.gamma, long.gamma) == (pytest.approx(GAMMA), pytest.approx(3 * GAMMA))
    assert short.over == (8, 64) and long.over == (1024, 8192)


def test_intervals_are_across_launches() -> None:
    dice = np.random.default_rng(3)
    times = exact() * (1 + 0.02 * dice.standard_normal((10, 1)))
    found = hops.fit(SIZES, COUNTS, times)
    assert found.gamma_ci95 is not None and found.gamma_ci95[0] <= found.gamma <= found.gamma_ci95[1]
    assert 0.005 < (found.gamma_ci95[1] - found.gamma_ci95[0]) / found.gamma < 0.2
    assert hops.fit(SIZES, COUNTS, times[:3]).gamma_ci95 is None


@pytest.mark.parametrize(
    ("sizes", "counts", "times", "said"),
    [
        ([8, 8], [1, 2], [1, 2], "two different sizes"),
        ([8, 16], [1, 1], [1, 2], "two numbers of hops"),
        ([8, 16, 8], [1, 1, 2], [1, 0, 2], "positive"),
        ([8, 16, 8], [1, 1], [1, 1, 2], "do not match"),
    ],
)
def test_what_gives_no_plane_is_refused(sizes: Any, counts: Any, times: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        hops.fit(sizes, counts, times)


def published(machine: str) -> tuple[Any, Any, Any]:
    """Lengths, hops and one-way times of Appendix A's echo."""
    cells = [
        c
        for c in catalogue.cells(machine=machine, benchmark="echo")
        if c.metric == "rate" and "hops" in c.params and "message_B" in c.params and not c.doubtful
    ]
    sizes = np.array([float(c.params["message_B"]) for c in cells])
    return sizes, np.array([float(c.params["hops"]) for c in cells]), sizes / np.array([c.value for c in cells])


def test_least_squares_over_all_lengths_and_hops_gives_table_3_1_of_the_delta_report() -> None:
    """Ncube 6400: 154 us and 0.6 us a byte; "each additional hop adds about two microseconds"."""
    found = hops.fit(*published("ncube6400"), "ordinary")
    assert found.alpha == pytest.approx(154e-6, abs=0.5e-6)
    assert found.beta == pytest.approx(0.6e-6, abs=0.05e-6)
    assert found.gamma == pytest.approx(2e-6, rel=0.1)


def test_the_ipsc860_s_two_gammas_are_the_text_s() -> None:
    """About eleven microseconds a hop for messages below 100 bytes, about 33 beyond (section 4.1); beta 0.4 us."""
    short, long = hops.by_length(*published("ipsc860"), (100,), "ordinary")
    assert short.gamma == pytest.approx(11e-6, rel=0.1)
    assert long.gamma == pytest.approx(33e-6, rel=0.1)
    assert long.beta == pytest.approx(0.4e-6, abs=0.05e-6)
    assert hops.by_length(*published("ipsc860"), (100,))[1].gamma == pytest.approx(33e-6, rel=0.1)


def test_a_run_s_hops_are_fitted_reported_and_written_as_a_description(tmp_path: Path) -> None:
    words = ("--set", "machine.network.dimension=4", "--set", "machine.self.0.startup=1 us")
    ran = assay("run", "echo", "--on", "ipsc860", *words, "--out", str(tmp_path / "run"), "--json")
    assert ran.status == 0, ran.err
    planes = [fit for fit in ran.document["fits"] if fit["law"] == "per_hop"]
    assert {fit["estimator"] for fit in planes} == {"relative", "ordinary"}
    gammas = [fit["gamma"] for fit in planes if fit["estimator"] == "relative"]
    hop = 9.985e-6  # the description's own
    assert gammas[0] == pytest.approx(hop, rel=1e-3) and gammas[1] == pytest.approx(3 * hop, rel=1e-3)
    assert any("µs x h over" in fit["text"] and "least squares, as the papers" in fit["text"] for fit in planes)
    shown = " ".join(assay("report", str(tmp_path / "run")).out.split())
    assert "hops all:" in shown and "alpha 135.3" in shown  # Table 6's line is still the one-hop line
    (section,) = document(Run.open(str(tmp_path / "run"))).benchmarks
    table = fits(section)
    assert table is not None and "time per hop across launches" in table.headings
    assert any("9.985 µs" in cell or "9.98 µs" in cell or "9.99" in cell for row in table.rows for cell in row)
    out = tmp_path / "mine.toml"
    made = assay("fit", str(tmp_path / "run"), "--out", str(out), "--json")
    assert made.status == 0, made.err
    assert made.document["per_hop"] == pytest.approx(hop, rel=1e-3)
    assert [plane["estimator"] for plane in made.document["papers"]] == ["ordinary"]
    text = out.read_text()
    assert 'topology = "hypercube"' in text and "dimension = 4" in text and text.count("handshake = true") >= 1
    assert "# T = " in text and "least squares, as the papers" in text
    times = {
        (f["params"]["bytes"], f["params"]["hops"]): f["value"]
        for f in ran.document["figures"]
        if f["name"] == "half_round_trip" and f["statistic"] == "median"
    }
    settings = {"bytes": tuple({size for size, _ in times}), "hops": tuple({hops for _, hops in times})}
    again = {
        (each.params["bytes"], each.params["hops"]): each.value
        for each in play(load(out), "echo", settings).figures
        if each.name == "half_round_trip" and each.statistic == "median"
    }
    assert again == {case: pytest.approx(time, rel=0.02) for case, time in times.items()}


def test_a_plane_that_does_not_fit_says_so(tmp_path: Path) -> None:
    """Store and forward: a hop's delay grows with the length of the message."""
    words = ("--set", "machine.network.dimension=3", "--out", str(tmp_path / "run"), "--json")
    ran = assay("run", "echo", "--on", "ncube3200", *words)
    texts = [fit["text"] for fit in ran.document["fits"] if fit["law"] == "per_hop"]
    assert texts and any("a hop's delay is not the same at all lengths" in text for text in texts)
