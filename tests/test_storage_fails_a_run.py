"""A storage fault while a run is measured: it is not done, the message says what is kept, and a resumption goes on."""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.execute import session
from assay.stored import journal, lines, provenance, tables
from assay.stored.launch_file import LaunchFiles
from by_night import by_night
from command_line import Answer, assay
from described_echo import MACHINE

pytestmark = pytest.mark.usefixtures("own_folder")
WRITERS: dict[str, tuple[Any, str, int]] = {  # what writes or reads, and which of its calls fails
    "journal": (journal, "append", 4),
    "provenance": (provenance, "write_whole", 1),
    "launches": (LaunchFiles, "content", 2),
    "tables": (tables, "write", 1),
    "run.json": (lines, "write_whole", 3),
}
FAULTS = (errno.EIO, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOENT, errno.ESTALE, errno.EACCES)
ALWAYS = list(zip(itertools.cycle(WRITERS), FAULTS, strict=False))  # each of them at least once


def evaluated(folder: Path) -> Answer:
    """Several benchmarks on a small described machine: some of them it has no place for."""
    (folder / "constant.toml").write_text(MACHINE)
    words = ("--on", str(folder / "constant.toml"), "--only", "messages", "--launches", "1", "-q")
    return assay("evaluate", *words, "--out", str(folder / "run"))


def state(folder: Path) -> str:
    return str(json.loads((folder / "run" / "run.json").read_text())["state"])


@pytest.mark.parametrize(
    ("what", "fault"),
    by_night(itertools.product(WRITERS, FAULTS), ALWAYS),
    ids=lambda each: each if isinstance(each, str) else errno.errorcode[each],
)
def test_a_fault_ends_the_run_with_what_is_kept_and_a_resumption_finishes_it(
    what: str, fault: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name, failing = WRITERS[what]
    works: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def fails(*words: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls >= failing:
            raise OSError(fault, os.strerror(fault), str(tmp_path / "run" / what))
        return works(*words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fails)
        answer = evaluated(tmp_path)
    assert calls >= failing
    assert answer.status == 1, answer.err
    last = answer.err.splitlines()[-1]
    assert "stored" in last and f"assay evaluate --resume {tmp_path / 'run'}" in last and "Traceback" not in answer.err
    assert state(tmp_path) != "done"
    resumed = assay("evaluate", "--resume", str(tmp_path / "run"), "-q")
    assert resumed.status == 0 and state(tmp_path) == "done", resumed.err


@pytest.mark.parametrize("inner", ["provenance", "launches", ""])
def test_a_folder_that_is_removed_meanwhile_leaves_no_run_that_is_done(
    inner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = session._do_one
    launches = 0

    def removing(*words: Any) -> Any:
        nonlocal launches
        launches += 1
        if launches == 3:
            shutil.rmtree(tmp_path / "run" / inner)
        return made(*words)

    with monkeypatch.context() as patch:
        patch.setattr(session, "_do_one", removing)
        answer = evaluated(tmp_path)
    assert answer.status == 1 and "Traceback" not in answer.err, answer.err
    if not inner:
        assert "nothing of it is left" in answer.err.splitlines()[-1]
        return
    assert state(tmp_path) != "done"
    resumed = assay("evaluate", "--resume", str(tmp_path / "run"), "-q")
    assert resumed.status == 0 and state(tmp_path) == "done", resumed.err


def test_circumstances_that_are_gone_at_the_end_leave_no_run_that_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = session.do

    def last(run: Any, *words: Any, **more: Any) -> Any:
        made = works(run, *words, **more)
        shutil.rmtree(run.folder / "provenance")
        return made

    with monkeypatch.context() as patch:
        patch.setattr(session, "do", last)
        answer = evaluated(tmp_path)
    assert answer.status == 1 and state(tmp_path) == "failed", answer.err
    assert "circumstances of its launches are not known" in answer.err
