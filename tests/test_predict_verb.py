"""`assay predict MODEL RUN`: a model that is right is confirmed, one that is wrong is refused, the file keeps it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bench.prediction import simulated_run
from scipy import stats

from assay.described.shipped import open_described
from assay.prediction.trust import refusal
from command_line import assay
from example_inputs import CONSTANT, KNOWN

LENGTHS = {"bytes": "8,16,64,256,1024,4096,16384,65536"}
ASKED = {"echo": ([2], LENGTHS), "ring": ([2, 4], {}), "barrier": ([2, 4], {})}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of CONSTANT, and a run of that machine: three benchmarks, two of them on two and four ranks."""
    made = tmp_path_factory.mktemp("predict")
    (made / "model.toml").write_text(Path(CONSTANT).read_text() + KNOWN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_RUNS", str(made / "state"))
        simulated_run(made / "run", CONSTANT, ASKED)
    return made


@pytest.fixture(autouse=True)
def here(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    (tmp_path / "run").symlink_to(folder / "run")
    (tmp_path / "model.toml").write_text((folder / "model.toml").read_text())
    return tmp_path


def predicted(*words: str) -> Any:
    few = () if "--draws" in words or words[0] == "ipsc860" else ("--draws", "20")
    answer = assay("predict", *words, *few, "--json")
    assert answer.status == 0, answer.err
    return answer.document


def test_the_true_machine_predicts_every_cell_and_is_not_refused() -> None:
    found = predicted("model.toml", "run")
    assert found["median_error"] < 1e-9 and found["worst_error"] < 1e-3
    assert found["coverage"] == 1 and found["refusal"] is None
    assert {each["benchmark"] for each in found["cells"]} == {"echo", "ring", "barrier"}
    by_class = {each["transfer"]: each["counted"] for each in found["classes"]}
    assert by_class == {"another run": 5, "other length": 3, "other benchmark": 13, "other benchmark and ranks": 13}
    assert found["draws"] == 20 and found["level"] == 0.9


def test_the_counts_are_those_of_the_listed_cells() -> None:
    """Recomputed from the document, with scipy's binomial interval."""
    found = predicted("model.toml", "run")
    cells = [each for each in found["cells"] if not each["used"] and each["state"] != "bound"]
    held = [each["low"] <= each["measured"] <= each["high"] for each in cells]
    exact = stats.binomtest(sum(held), len(held)).proportion_ci(0.95, method="exact")
    assert (found["counted"], found["covered"], found["judged"]) == (len(cells), sum(held), len(held))
    assert found["coverage_interval"] == [pytest.approx(exact.low), pytest.approx(exact.high)]
    assert sum(each["counted"] for each in found["classes"]) == found["counted"]
    assert [each["value"] for each in found["figures"]] == [each["predicted"] for each in found["cells"]]


def test_launches_are_in_the_interval_as_well_as_parameters(here: Path) -> None:
    """Of the parameters alone the interval of a start-up follows by hand; the spread of launches adds its variance."""
    simulated_run(here / "barrier", CONSTANT, {"barrier": ([2], {})})
    text = (here / "model.toml").read_text()
    (here / "quiet.toml").write_text(text.replace("relative = 0.02", "relative = 0.0"))
    (here / "sure.toml").write_text(re.sub(r"covariance = .*", "covariance = [[0.0, 0.0], [0.0, 0.0]]", text))

    def half_width(model: str) -> float:
        cell = predicted(model, "barrier", "--draws", "400")["cells"][0]
        return float(cell["high"] / cell["predicted"] - 1)

    both, parameters, launches = (half_width(f"{name}.toml") for name in ("model", "quiet", "sure"))
    assert parameters == pytest.approx(4 / 70, rel=0.15)  # the start-up's own interval: 66 to 74 us at 90%
    assert launches == pytest.approx(1.645 * 0.02, rel=0.05)
    assert both**2 == pytest.approx(parameters**2 + launches**2, rel=0.25)  # of 400 draws


def test_a_wrong_model_is_refused_with_its_numbers(here: Path) -> None:
    wrong = (here / "model.toml").read_text().replace("70 us", "90 us").replace('"66 us"', '"86 us"')
    (here / "wrong.toml").write_text(wrong.replace('"74 us"', '"94 us"'))
    found = predicted("wrong.toml", "run")
    assert found["coverage"] < 0.8
    assert re.search(r"90% intervals hold \d+ of \d+ cells", found["refusal"])
    shown = assay("predict", "wrong.toml", "run").out
    assert "scaling questions: refused: its 90% intervals" in shown and "The largest errors" in shown


def test_the_file_keeps_the_verdict_until_it_is_changed(here: Path) -> None:
    model = here / "model.toml"
    assert "was compared with no cell" in (refusal(open_described("model.toml")) or "")
    before = model.read_text()
    found = predicted("model.toml", "run", "-o", "model.toml")
    assert found["file"] == "model.toml" and model.read_text().startswith(before.rstrip())
    assert refusal(open_described("model.toml")) is None
    predicted("model.toml", "run", "-o", "model.toml")
    assert model.read_text().count("[validation]") == 1
    model.write_text("# a comment changes nothing\n" + model.read_text())
    assert refusal(open_described("model.toml")) is None
    model.write_text(model.read_text().replace('per_byte = "0.4 us/B"', 'per_byte = "0.401 us/B"'))
    assert "was changed since" in (refusal(open_described("model.toml")) or "")


def test_a_model_that_failed_says_so_later(here: Path) -> None:
    model = here / "model.toml"
    model.write_text(model.read_text().replace("70 us", "72 us").replace('"66 us"', '"71.9 us"').replace("0.02", "0.0"))
    predicted("model.toml", "run", "-o", "model.toml")
    assert "failed against" in (refusal(open_described("model.toml")) or "")


def test_a_machine_that_was_not_fitted_is_not_judged() -> None:
    found = predicted("ipsc860", "run")
    assert found["level"] is None and found["coverage"] is None and found["refusal"] is None
    assert {each["low"] for each in found["cells"]} == {None}
    assert refusal(open_described("ipsc860")) is None
    assert "no intervals: the model has no [uncertainty]" in assay("predict", "ipsc860", "run").out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("nosuch", "run"), ("MODEL", "nosuch")),
        (("model.toml", "nosuch"), ("RUN", "nosuch")),
        (("ipsc860", "run", "-o", "x.toml"), ("--out", "x.toml", "no [uncertainty]")),
        (("ipsc860", "run", "--draws", "29"), ("--draws", "29", "no [uncertainty]")),
        (("model.toml", "run", "-o", "x.json"), ("--out", "x.json", ".toml")),
        (("model.toml", "run", "-o", "nowhere/x.toml"), ("--out", "nowhere/x.toml")),
        (("model.toml", "run", "--draws", "19"), ("--draws", "19")),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], named: tuple[str, ...], here: Path) -> None:
    answer = assay("predict", *words)
    assert answer.status == 2 and not answer.out
    assert len(answer.err.splitlines()) == 1 and all(each in answer.err for each in named), answer.err
    assert sorted(path.name for path in here.iterdir() if path.suffix != "") == ["model.toml"]


def test_a_run_without_messages_has_nothing_to_predict(here: Path) -> None:
    simulated_run(here / "files", "delta", {"parallel-files": ([2], {})})
    answer = assay("predict", "model.toml", "files")
    assert answer.status == 2 and "has nothing that constant describes" in answer.err


def test_a_report_shows_the_predictions_of_a_model_that_is_named(folder: Path, here: Path) -> None:
    page = here / "page.html"
    plain = assay("report", "run", "-o", str(page), "--markdown").out
    assert "as predicted by" not in plain
    shown = assay("report", "run", "-o", str(page), "--model", "model.toml", "--markdown").out
    assert "as predicted by constant, 90% intervals" in shown
    assert "as predicted by constant" in page.read_text()
    (summary,) = [line for line in shown.splitlines() if "unseen cells, median error" in line]
    assert "by constant: 34 unseen cells" in summary and "(baseline " in summary
    assert re.search(r"coverage of 90% intervals 34 of 34 \(9\d% to 100%\); scaling questions: not refused", summary)
    document = assay("report", "run", "-o", str(page), "--model", "model.toml", "--json").document
    assert document["prediction"]["coverage"] == 1
    assert "--model" in assay("report", "run", "--model", "nosuch").err
