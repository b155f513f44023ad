"""Runs are named by id, the beginning of one, a label or latest, and ~N counts back; in every verb."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import store
from assay.errors import InputError
from assay.stored.run_names import RunName, chosen
from command_line import assay
from test_asking_runs import run_named

pytestmark = pytest.mark.usefixtures("own_folder")
IDS = ("20260101-120000-aaaaaa", "20260101-120001-bbbbbb", "20260202-120000-cccccc")

names = st.builds(
    RunName,
    id=st.from_regex(r"2026(01|02)[0-2][1-8]-12000[0-3]-[0-9a-f]{6}", fullmatch=True),
    label=st.sampled_from([None, "before", "after"]),
    ended=st.booleans(),
)


@given(st.lists(names, min_size=1, max_size=12, unique_by=lambda run: run.id), st.data())
def test_each_name_means_the_run_that_counting_finds(runs: list[RunName], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(runs) - 1))
    assert chosen(runs[at].id, runs) == at
    for name, members in (
        ("latest", [place for place, run in enumerate(runs) if run.ended]),
        ("before", [place for place, run in enumerate(runs) if run.label == "before"]),
    ):
        back = data.draw(st.integers(0, 13))
        spelt = [f"{name}~{back}"] + [name] * (back == 0)
        for each in spelt:
            if back < len(members):
                assert chosen(each, runs) == members[len(members) - 1 - back]
            else:
                with pytest.raises(InputError):
                    chosen(each, runs)
    length = data.draw(st.integers(4, len(runs[at].id) - 1))
    prefix = runs[at].id[:length]
    if sum(run.id.startswith(prefix) for run in runs) == 1:
        assert chosen(prefix, runs) == at
        if at:
            assert chosen(f"{prefix}~1", runs) == at - 1
    else:
        with pytest.raises(InputError, match="several ids"):
            chosen(prefix, runs)


@pytest.fixture
def three(echo_run: Path, tmp_path: Path) -> list[Path]:
    folders = [run_named(echo_run, tmp_path / f"r{number}", identity) for number, identity in enumerate(IDS)]
    for number, folder in enumerate(folders):
        about = json.loads((folder / "run.json").read_text()) | {"created": 1.7e9 + number}
        (folder / "run.json").write_text(json.dumps(about))
        store._remember(folder)
    return folders


def ids_of(name: str) -> set[str]:
    asked = assay("query", "SELECT DISTINCT run FROM samples", "--run", name, "--json")
    assert asked.status == 0, asked.err
    return {row[0] for row in asked.document["rows"]}


def test_a_label_given_later_names_the_run_everywhere(three: list[Path]) -> None:
    assert assay("runs", "latest~2", "--label", "before-upgrade").out.split() == ["before-upgrade:", IDS[0]]
    assert ids_of("before-upgrade") == ids_of("20260101-120000") == {IDS[0]}
    assert ids_of("latest") == ids_of("2026020") == {IDS[2]} and ids_of("latest~1") == ids_of("2026020~1") == {IDS[1]}
    listed = {each["id"]: each["label"] for each in assay("runs", "--json").document["runs"]}
    assert listed == {IDS[0]: "before-upgrade", IDS[1]: None, IDS[2]: None}
    assert "before-upgrade" in assay("runs").out
    compared = assay("compare", "before-upgrade", "latest", "--json").document
    assert compared["run"] == IDS[0] and compared["comparisons"][0]["with"] == IDS[2]
    assert assay("export", "before-upgrade", "--quiet").status == assay("report", "latest", "--json").status == 0
    again = assay("runs", "latest", "--label", "before-upgrade", "--json").document["runs"]
    assert again[0]["id"] == IDS[2] and ids_of("before-upgrade") == {IDS[2]}
    assert ids_of("before-upgrade~1") == {IDS[0]}


def test_a_label_given_beforehand_is_the_runs(echo_run: Path) -> None:
    made = assay("run", "echo", "--on", "ipsc860", "--label", "first", "--json")
    assert made.status == 0, made.err
    assert [each["label"] for each in assay("runs", "--json").document["runs"]] == ["first"]
    assert ids_of("first") == ids_of("latest")


@pytest.mark.parametrize("label", ["", "latest", "2026", "a b", "a~1", "a/b", "mine.toml", "-x", "a" * 65, "é\x1b"])
def test_a_label_that_could_not_name_a_run_is_refused_before_anything_is_made(label: str, tmp_path: Path) -> None:
    for command in (["run", "echo", "--on", "ipsc860"], ["evaluate", "--on", "ipsc860", "--only", "messages"]):
        answer = assay(*command, f"--label={label}")
        assert (answer.status, answer.out) == (2, "") and "--label: is not a label" in answer.err, answer
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "latest~3"], "goes back further than the 3 runs of that name; got 'latest~3'"),
        (["report", "20260101"], f"is the beginning of several ids: {IDS[0]}, {IDS[1]}; got '20260101'"),
        (["report", "nowhere"], "no such run; got 'nowhere'"),
        (["runs", "--label", "x"], "--label: has no effect without the other"),
        (["runs", "latest"], "RUN: has no effect without the other"),
        (["runs", "nowhere", "--label", "x"], "no such run; got 'nowhere'"),
    ],
)
def test_what_names_no_run_is_one_line(three: list[Path], words: list[str], said: str) -> None:
    answer = assay(*words)
    assert answer.status == 2 and answer.out == "" and said in answer.err, answer
    assert len(answer.err.strip().splitlines()) == 1


def test_a_folder_that_holds_a_run_is_meant_before_a_label(three: list[Path], tmp_path: Path) -> None:
    assay("runs", IDS[2], "--label", "here")
    shutil.copytree(three[0], tmp_path / "here")
    assert ids_of("here") == {IDS[0]}


def test_a_run_that_another_process_writes_gets_no_label(three: list[Path]) -> None:
    writing = store.Run.open(three[1])
    writing.hold()
    answer = assay("runs", IDS[1], "--label", "mine")
    assert answer.status == 2 and "another process writes into this run" in answer.err
    assert assay("runs", "--json").document["runs"][1]["label"] is None
