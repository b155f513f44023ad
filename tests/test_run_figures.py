"""A finished run is judged once: what is stored in its folder serves until the run, or Assay, is another."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.decide import run_figures as stored
from assay.decide.run_figures import FILE, run_figures
from assay.report.derive.document import document
from assay.report.judge.comparison import compared
from assay.store import Run


@pytest.fixture
def run(echo_run: Path, tmp_path: Path) -> Run:
    return Run.open(shutil.copytree(echo_run, tmp_path / "run"))


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders of the runs that were read and judged."""
    folders: list[Path] = []

    def counted(run: Run) -> Any:
        folders.append(run.folder)
        return document(run)

    monkeypatch.setattr(stored, "document", counted)
    return folders


def test_a_run_is_judged_once_and_the_second_answer_is_the_first(run: Run, judged: list[Path]) -> None:
    first, second = run_figures(run), run_figures(run)
    assert len(judged) == 1 and first == second
    assert first.figures == compared(document(run)) and first.figures
    main = {figure.figure.name for section in document(run).benchmarks for figure in section.headlines}
    assert {key[1] for key in first.headlines} == main


def test_another_request_or_another_assay_is_judged_again(
    run: Run, judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run_figures(run)
    about = json.loads((run.folder / "run.json").read_text())
    (run.folder / "run.json").write_text(json.dumps(about, indent=1))
    assert run_figures(run) == before and len(judged) == 2
    monkeypatch.setattr(stored, "_assay", lambda: "another version")
    assert run_figures(run) == before and len(judged) == 3


@pytest.mark.parametrize("damage", ["a digit", "cut short", "empty", "no JSON"])
def test_a_damaged_file_is_made_again(run: Run, judged: list[Path], damage: str) -> None:
    before = run_figures(run)
    path = run.folder / FILE
    text = path.read_text()
    at = text.index('"value": ') + len('"value": ')
    flipped = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
    damaged = {"a digit": flipped, "cut short": text[:-9], "empty": "", "no JSON": "{"}
    path.write_text(damaged[damage])
    assert run_figures(run) == before and len(judged) == 2
    assert path.read_text() == text


def test_a_run_that_may_be_continued_or_not_be_written_is_not_stored(
    run: Run, judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(stored, "write_whole", full)
        before = run_figures(run)
    assert not (run.folder / FILE).exists()
    run.about["state"] = "interrupted"
    assert run_figures(run) == before and not (run.folder / FILE).exists()
