"""Scaling questions: points are what `run --on` gives, intervals what [uncertainty] says, refusals name the line."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from assay.described.shipped import open_described
from assay.described.validation_table import digest
from assay.toml.writing import write_toml
from command_line import assay

LINE = """name = "line"
nodes = {nodes}
[messages]
startup = "70 us"
per_byte = "0.7 us/B"
[uncertainty]
level = 0.9
used = "every second length"
keys = ["messages.startup"]
low = ["66.5 us"]
high = ["73.5 us"]
covariance = [[{variance}]]
not_determined = ["anything within a node: no pair of ranks was on one"]
"""
SIGMA = 0.05 / 1.6449  # whose 90% interval is 5% to either side
STUDY = """[study]
title = "What would more of these do?"
[machine]
on = "{on}"
draws = {draws}
[[program]]
benchmark = "{benchmark}"
set = {set}
{rest}
"""


def validation(text: str, covered: int) -> str:
    """What `predict -o` writes of a model: so many of 20 cells lie within their intervals."""
    about = {"run": "made", "digest": digest(tomllib.loads(text)), "level": 0.9, "counted": 20, "covered": covered}
    about |= {"judged": 20, "compared": 20, "median_error": 0.01, "error_compared": 0.01, "baseline_error": 0.1}
    return write_toml({"validation": about})


def written(folder: Path, rest: str = "", covered: int = 18, **given: Any) -> str:
    """A study of a small machine; returns its path."""
    text = LINE.format(nodes=128, variance=SIGMA**2)
    (folder / "line.toml").write_text(f"{text}\n{validation(text, covered)}")
    about = {"on": "line.toml", "draws": 0, "benchmark": "ring", "set": "{ bytes = [100] }", "rest": rest} | given
    (folder / "study.toml").write_text(STUDY.format(**about))
    return str(folder / "study.toml")


def values(document: Any) -> dict[tuple[str, str, str], float]:
    return {
        (json.dumps(point["setting"], sort_keys=True), each["name"], json.dumps(each["params"], sort_keys=True)): each[
            "value"
        ]
        for point in document["points"]
        for each in point["figures"]
    }


def test_each_point_is_what_a_run_on_the_changed_machine_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks, a taper, a dead spine, another topology, slower links: each by `run --on` with the same keys set."""
    monkeypatch.chdir(tmp_path)
    cases: dict[str, dict[str, str]] = {
        "whole": {},
        "a dead spine": {"network.failed_routers": "[41]"},
        "tapered": {"network.parents": "[2]"},
        "a torus": {
            "network.topology": '"torus"', "network.extents": "[4, 5, 8]", "network.children": '"none"',
            "network.parents": '"none"',
        },
        "slower": {"network.flit_ticks": "80", "network.body_ticks": "80"},
    }  # fmt: skip
    lines = ["[sweep]", "ranks = [30, 60]"]
    for label, keys in cases.items():
        lines += ["[[cases]]", f'label = "{label}"', *(f'"machine.{key}" = {value}' for key, value in keys.items())]
    path = written(tmp_path, "\n".join(lines), on="fat-tree-hdr", benchmark="alltoall", set="{ bytes = 4096 }")
    document = assay("study", path, "--json").document
    assert len(document["points"]) == 10
    seen = set()
    for point in document["points"]:
        keys = cases[point["setting"]["label"]]
        unquoted = {key: value.strip('"') for key, value in keys.items()}
        words = [word for key, value in unquoted.items() for word in ("--set", f"machine.{key}={value}")]
        ranks = str(point["setting"]["ranks"])
        run = assay("run", "alltoall", "--on", "fat-tree-hdr", "-n", ranks, *words, "--set", "bytes=4096", "--json")
        assert run.status == 0, run.err
        expected = {f["name"]: f["value"] for f in run.document["figures"] if f["statistic"] == "median"}
        (figure,) = point["figures"]
        assert figure["value"] == expected[figure["name"]]
        assert figure["low"] is None
        seen.add(figure["value"])
    assert len(seen) == 10
    assert any("network.parents = [2]" in text and "[20]" in text for text in document["assumptions"])
    assert {figure["params"]["on_ranks"] for figure in document["figures"]} == {30, 60}


def test_an_interval_is_what_the_uncertain_number_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100 bytes the start-up, known to within 5%, is half: the answer is known to within 2.5%, at any number."""
    monkeypatch.chdir(tmp_path)
    document = assay("study", written(tmp_path, "[sweep]\nranks = [8]", draws=800), "--json").document
    assert (document["level"], document["draws"]) == (0.9, 800)
    assert [len(point["figures"]) for point in document["points"]] == [2]
    for point in document["points"]:
        for each in point["figures"]:
            assert each["high"] / each["value"] - 1 == pytest.approx(0.025, rel=0.2)
            assert 1 - each["low"] / each["value"] == pytest.approx(0.025, rel=0.2)
    told = " ".join(document["assumptions"])
    assert "anything within a node" in told and "messages.per_byte" in told and "every second length" in told
    assert all(figure["interval"]["confidence"] == 0.9 for figure in document["figures"])
    quick = assay("study", str(tmp_path / "study.toml"), "--quick", "--json").document
    assert quick["draws"] == 200
    assert values(quick) == values(document)
    shown = assay("study", str(tmp_path / "study.toml"))
    assert "90% interval" in shown.out and "assumed:" in shown.out


def test_a_study_draws_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plot = '[[plot]]\ntitle = "Steps of a ring"\ny = "ring.time"\nseries = "startup"\n'
    rest = f'[sweep]\nranks = [2, 8]\n"machine.messages.startup" = ["70 us", "7 us"]\n{plot}'
    answer = assay("study", written(tmp_path, rest, draws=8), "--plots", "drawn", "-q")
    assert answer.status == 0, answer.err
    assert answer.out.startswith("study: line, 4 points, ") and answer.out.endswith(" 8 draws\n")
    picture = (tmp_path / "drawn" / "study-a.svg").read_text()
    assert "Steps of a ring" in picture and "7 us" in picture
    # A start-up that the study sets is no longer the fitted number: it has no interval of its own.
    document = assay("study", str(tmp_path / "study.toml"), "--json").document
    assert all(point["figures"] for point in document["points"])
    for point in document["points"]:
        own = point["setting"]["machine.messages.startup"] == "70 us"
        assert all((each["high"] > each["value"]) == own if each["high"] else not own for each in point["figures"])


@pytest.mark.parametrize(
    ("rest", "given", "said"),
    [
        ("[sweep]\nranks = [200]", {}, "has room for 128 ranks"),
        ("[sweep]\nranks = 4", {}, "study.toml:9: sweep: every key needs a list"),
        ("[sweep]\nrank = [4]", {}, "study.toml:10: sweep.rank: is nothing that a study varies"),
        ("[sweep]\nranks = [0]", {}, "is no number of ranks"),
        ("[sweep]\nnoise = [true]", {}, "has no noise to be with or without"),
        ('[sweep]\n"machine.messages.nosuch" = [1]', {}, "there is no such key in [messages]"),
        ("[[plot]]\ntitle = 'x'\ny = 'ring.nosuch'", {}, "plot.0.y: no program has it"),
        ("[[plot]]\ntitle = 'x'\ny = 'ring.time'\nx = 'nosuch'", {}, "plot.0.x: names no key of a point"),
        ("[network]\ntopology = 'mesh'", {}, "there is no such table in a study of a machine"),
        ("", {"benchmark": "nosuch"}, "study.toml:6: program"),
        ("", {"set": "{ nosuch = 1 }"}, "nosuch"),
        ("", {"on": "nosuch.toml"}, "nosuch.toml"),
        ("figures = ['nosuch']", {}, "there is no such figure"),
        ("[sweep]\nranks = [2]\n[[cases]]\nranks = 4", {}, "is swept as well"),
    ],
)
def test_what_a_study_cannot_ask_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: str, given: dict[str, str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = assay("study", written(tmp_path, rest, **given))
    assert answer.status == 2 and said in answer.err and answer.err.count("\n") == 1, answer.err
    assert not answer.out


def test_options_of_other_studies_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("--out", "points.jsonl"), ("--executor", "processes"), ("--workers", "2")):
        answer = assay("study", written(tmp_path), *words)
        assert answer.status == 2 and f"{words[0]}: has no effect with" in answer.err
    answer = assay("study", "section6", "--force")
    assert answer.status == 2 and "--force: has no effect here" in answer.err
    answer = assay("study", written(tmp_path), "--plots", "drawn")
    assert answer.status == 2 and "the study draws no plot" in answer.err


def test_none_leaves_a_key_out(tmp_path: Path) -> None:
    """As in a variant: what a topology does not have is left out, and a text is only a text."""
    machine = open_described("fat-tree-hdr", {"network.children": "none", "network.parents": "none",
                                              "network.topology": "crossbar", "network.nodes": "8"})  # fmt: skip
    assert "children" not in (machine.network or {})
    answer = assay("run", "echo", "--on", "fat-tree-hdr", "--set", "machine.network.topology=none")
    assert answer.status == 2 and "none" in answer.err


def test_a_model_that_failed_is_refused_unless_forced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """10 of 20 cells within intervals of 90% are fewer than by chance; a model that changed since is not known."""
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "[sweep]\nranks = [2, 64]", covered=10, draws=4)
    answer = assay("study", path)
    assert answer.status == 2 and not answer.out and answer.err.count("\n") == 1
    assert "10 of 20 cells" in answer.err and "--force" in answer.err and f"{path}: machine.on" in answer.err
    forced = assay("study", path, "--force", "--json").document
    assert "10 of 20 cells" in forced["forced"] and len(forced["points"]) == 2
    assert "forced: " in assay("study", path, "--force").out
    assert assay("study", written(tmp_path), "--json").document["forced"] is None
    file = tmp_path / "line.toml"
    file.write_text(file.read_text().replace("0.7 us/B", "0.6 us/B"))
    assert "was changed since" in assay("study", path).err
