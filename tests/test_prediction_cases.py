"""Which cases a model plays for a run: its lengths whatever the model's defaults are, its distances, its reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.prediction import simulated_run

from assay.described.shipped import open_described
from assay.document.run_document import Document
from assay.prediction.planned import planned_alike
from assay.prediction.predict import predict
from assay.prediction.subjects import subjects
from assay.report.derive.document import document
from assay.store import Run
from example_inputs import CONSTANT, KNOWN

OTHER = {"bytes": "24,40,4000"}  # no lengths of any description


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


def made(folder: Path, machine: str, **asked: tuple[list[int], dict[str, str]]) -> tuple[Run, Document]:
    run = simulated_run(folder, machine, {name.replace("_", "-"): each for name, each in asked.items()})
    return run, document(run)


def test_lengths_are_the_run_s_whatever_the_description_has_programs_take(tmp_path: Path) -> None:
    run, measured = made(tmp_path / "run", CONSTANT, echo=([2], OTHER), ring=([2], OTHER))
    found = predict(run, measured, open_described("ipsc860"))
    assert {each.params["bytes"] for each in found.cells} == {24, 40, 4000}
    assert {each.benchmark for each in found.cells} == {"echo", "ring"} and not found.skipped


def test_lengths_of_a_run_on_a_machine_with_defaults_are_played_too(tmp_path: Path) -> None:
    """The words of that run's launches do not have them."""
    run, measured = made(tmp_path / "run", "ipsc860", ring=([2], {}))
    lengths = {each.params["bytes"] for section in measured.benchmarks for each in section.figures}
    assert {each.params["bytes"] for each in predict(run, measured, open_described(CONSTANT)).cells} == lengths


def test_a_model_of_one_distance_predicts_every_number_of_hops(tmp_path: Path) -> None:
    run, measured = made(tmp_path / "run", "ipsc860", echo=([8], OTHER))
    hops = {each.params["hops"] for section in measured.benchmarks for each in section.figures}
    assert len(hops) > 1
    flat = predict(run, measured, open_described(CONSTANT))
    assert {each.params["hops"] for each in flat.cells} == hops
    assert len({each.predicted for each in flat.cells}) == 3  # one of each length
    own = predict(run, measured, open_described("ipsc860"))
    assert own.worst_error is not None and own.worst_error < 1e-9


def test_what_is_not_described_has_the_simulator_s_reason(tmp_path: Path) -> None:
    run, measured = made(tmp_path / "run", "ipsc860", loggp=([2], {"bytes": "64"}), echo=([2], OTHER))
    (tmp_path / "model.toml").write_text(Path(CONSTANT).read_text() + KNOWN)
    found = predict(run, measured, open_described("paragon-mp"))
    assert {each.benchmark for each in found.cells} >= {"echo"}
    slower = open_described("sgi-l1200-cluster")
    missing = [text for text in predict(run, measured, slower).skipped if text.startswith("loggp")]
    assert missing == [] or "not described by" in missing[0]


def test_ranks_that_the_model_has_no_place_for_are_not_predicted(tmp_path: Path) -> None:
    run, measured = made(tmp_path / "run", CONSTANT, barrier=([2, 4], {}))
    text = Path(CONSTANT).read_text().replace("nodes = 128", "nodes = 2")
    (tmp_path / "two.toml").write_text(text)
    found = predict(run, measured, open_described(str(tmp_path / "two.toml")))
    assert {each.params["ranks"] for each in found.cells} == {2}
    assert found.skipped == ["barrier: 5 cells: not described by constant"]


def test_one_figure_of_a_metric_is_predicted_a_time_before_a_rate(tmp_path: Path) -> None:
    run, measured = made(tmp_path / "run", CONSTANT, echo=([2], OTHER), overlap=([2], {"bytes": "1024"}))
    played = [each.record for each in planned_alike(run, measured, open_described(CONSTANT), print)]
    found = subjects(measured, played, {})
    assert {each.figure.name for each in found if each.figure.benchmark == "echo"} == {"half_round_trip"}
    assert {each.figure.unit for each in found} == {"s"}  # shares of overlap are left out
    fitted = subjects(measured, played, {}, {"echo.rate"})
    assert {each.figure.name for each in fitted if each.figure.benchmark == "echo"} == {"rate"}
