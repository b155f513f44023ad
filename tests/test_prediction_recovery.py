"""Models fitted to noisy runs of known machines predict what the fit did not use: `./x bench prediction`, small."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import median

import pytest
from bench.prediction import (
    COVERAGE,
    MEDIAN_ERROR,
    NOISES,
    TRUTHS,
    clustered,
    figures,
    noisy,
    recovered,
    simulated_run,
)

from assay.described.shipped import open_described
from assay.prediction.predict import predict
from assay.report.derive.document import document
from example_inputs import CONSTANT, KNOWN

LENGTHS = {"bytes": "8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536"}
FEW = {"echo": ([2], LENGTHS), "ring": ([2], {"bytes": "64,8192"}), "barrier": ([2], {})}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.mark.parametrize("machine", [CONSTANT, "paragon-mp"])
def test_what_was_not_used_is_predicted_in_spite_of_noise_and_disturbance(machine: str, tmp_path: Path) -> None:
    outcomes = list(recovered(machine, tmp_path, 3, cases=FEW))
    assert len(outcomes) == 3
    for each in outcomes:
        assert median(each.errors) <= MEDIAN_ERROR
        assert each.prediction.used >= 7 and len(each.errors) >= 10
    assert sum(each.covered for each in outcomes) >= 0.5 * sum(each.judged for each in outcomes) > 0


def test_a_noisy_document_is_the_truth_with_a_third_of_its_cells_disturbed(tmp_path: Path) -> None:
    run = simulated_run(tmp_path / "run", CONSTANT, FEW)
    truth = document(run)
    values = {each.key: each.value or 0.0 for each in figures(truth)}
    states: dict[str, int] = {}
    for seed in range(30):
        for section in noisy(truth, random.Random(seed), NOISES["echo"], 8, 1 / 3).benchmarks:
            for each in section.figures:
                if each.statistic not in ("median", "best") or each.unit != "s":
                    continue
                states[each.state] = states.get(each.state, 0) + 1
                ratio = (each.value or 0.0) / values[each.key]
                if each.state == "clean":
                    assert 0.97 < ratio < 1.03 and len(each.by_launch) == 8
                elif each.state == "disturbed":
                    assert each.disturbance is not None and each.disturbance.high is not None
                    assert 1.05 < ratio < (1 + each.disturbance.high) * 1.03
                else:
                    assert ratio > 0.97 and each.by_launch == [] and each.best_by_launch
    shares = {state: count / sum(states.values()) for state, count in states.items()}
    assert shares["clean"] == pytest.approx(2 / 3, abs=0.06)
    assert shares["disturbed"] == pytest.approx(1 / 6, abs=0.05) == shares["bound"]


@pytest.mark.nightly
def test_the_experiment_sees_intervals_that_are_too_narrow(tmp_path: Path) -> None:
    """A model of the truth itself, whose file understates the spread of launches, covers too few new launches."""
    run = simulated_run(tmp_path / "run", CONSTANT, FEW)
    truth = document(run)
    found = []
    for relative in (0.07, 0.01):
        text = (
            KNOWN.replace("relative = 0.02", f"relative = {relative}")
            .replace("0.0012", "0.0")
            .replace("0.00023", "0.0")
        )
        text = text.replace('"66 us"', '"70 us"').replace('"74 us"', '"70 us"')
        text = text.replace('"0.39 us/B"', '"0.4 us/B"').replace('"0.41 us/B"', '"0.4 us/B"')
        (tmp_path / f"{relative}.toml").write_text(Path(CONSTANT).read_text() + text)
        model = open_described(str(tmp_path / f"{relative}.toml"))
        new = [noisy(truth, random.Random(seed), NOISES["stream"], 1, 0.0) for seed in range(40)]
        shares = [predict(run, each, model, 1).coverage or 0.0 for each in new]
        found.append((clustered(shares), sum(shares) / len(shares)))
    (wide, share), ((_, high), _) = found
    assert wide[0] < 0.95 and COVERAGE[0] - 0.05 < share < COVERAGE[1] + 0.05
    assert high < COVERAGE[0]


@pytest.mark.nightly
@pytest.mark.parametrize("machine", TRUTHS)
def test_forty_draws_are_recovered(machine: str, tmp_path: Path) -> None:
    outcomes = list(recovered(machine, tmp_path, 40))
    assert median([error for each in outcomes for error in each.errors]) <= MEDIAN_ERROR
    share = sum(each.covered for each in outcomes) / sum(each.judged for each in outcomes)
    assert COVERAGE[0] <= share <= COVERAGE[1]
