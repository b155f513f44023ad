"""`assay runs --keep N --remove`: old runs go, named ones and others' files stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.store import Run, known_runs
from command_line import assay
from made_history import made

pytestmark = pytest.mark.usefixtures("own_folder")


def ids() -> list[str]:
    return [run.about["id"] for run in known_runs()]


def test_the_newest_of_each_machine_and_labelled_ones_stay(tmp_path: Path) -> None:
    mine, others = made(tmp_path / "a", [1e-5] * 5), made(tmp_path / "b", [1e-5] * 2, host="there")
    Run.open(mine[0]).give_label("before-upgrade")
    Run.open(mine[1]).give_label("watch")
    old = [run["id"] for run in assay("runs", "--keep", "2", "--json").document["runs"]]
    assert old == [mine[1], mine[2]] and set(ids()) == {*mine, *others}
    answer = assay("runs", "--keep", "2", "--remove")
    assert answer.status == 0 and answer.out == "2 runs removed\n", answer.err
    assert set(ids()) == {mine[0], mine[3], mine[4], *others}
    assert {path.name for path in (tmp_path / "a").iterdir()} == {mine[0], mine[3], mine[4]}
    assert assay("runs", "--keep", "2", "--remove").out == "0 runs removed\n"
    assert " ".join(assay("runs", "--keep", "9").out.split()) == (
        "No run may go: all are among the newest 9 of their machines, have a label, or are being written."
    )


def test_a_run_with_files_of_a_person_or_that_is_being_written_stays(tmp_path: Path) -> None:
    first, second, third = made(tmp_path / "a", [1e-5] * 3)
    (tmp_path / "a" / first / "notes.txt").write_text("mine")
    held = Run.open(second)
    held.hold()
    try:
        answer = assay("runs", "--keep", "1", "--remove")
    finally:
        held._release()
    assert answer.out == "0 runs removed\n" and ids() == [first, second, third]
    assert "notes.txt" in answer.err and "another process writes into this run" in answer.err
    assert (tmp_path / "a" / first / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--remove",), "--remove: has no effect alone"),
        (("--keep", "1", "--last", "2"), "--last: has no effect with --keep"),
        (("latest", "--label", "x", "--keep", "1"), "RUN: has no effect with --keep"),
    ],
)
def test_what_contradicts_is_refused(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    made(tmp_path / "a", [1e-5])
    answer = assay("runs", *words)
    assert answer.status == 2 and said in answer.err and len(ids()) == 1
