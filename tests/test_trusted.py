"""Binaries and runs that others may have put there are neither executed nor acted upon, and are named."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import trusted
from assay.benchmark.own import cache_root
from assay.benchmark.record import programs_root, read_record
from assay.errors import InputError
from assay.execute.build import build
from command_line import assay
from compiled import own_cache

pytestmark = pytest.mark.usefixtures("own_folder")
NOBODY, OTHER = 65534, 4242
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
ECHO = ("echo", "--on", "ipsc860", "--set", "bytes=8", "-q")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter, which pytest's own is not."""
    made = Path(tempfile.mkdtemp(prefix="assay-trusted-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def allowed(owner: int, mode: int, above: bool, me: int) -> bool:
    """The rule, written a second time: mine or root's, and others write only above it, and only where it is sticky."""
    return owner in (0, me) and (not mode & 0o022 or (above and bool(mode & stat.S_ISVTX)))


@as_root
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kinds=st.lists(
        st.tuples(
            st.sampled_from([0, NOBODY, OTHER]),
            st.sampled_from([0o755, 0o775, 0o757, 0o777, 0o1777, 0o2775, 0o1775]),
        ),
        min_size=1,
        max_size=3,
    ),
    me=st.sampled_from([0, NOBODY]),
)
def test_the_rule_on_every_folder_above(kinds: list[tuple[int, int]], me: int, open_folder: Path) -> None:
    path = open_folder
    for owner, mode in kinds:
        path = path / "below"
        path.mkdir(exist_ok=True)
        path.chmod(mode)
        os.chown(path, owner, OTHER)
        path.chmod(mode)
    expected = all(allowed(owner, mode, at < len(kinds) - 1, me) for at, (owner, mode) in enumerate(kinds))
    try:
        os.seteuid(me)
        found = trusted.fault(path)
    finally:
        os.seteuid(0)
    assert (found is None) == expected, (found, kinds)
    shutil.rmtree(open_folder / "below")


def test_what_is_not_there_yet_is_trusted_by_what_is_above_it(tmp_path: Path) -> None:
    assert trusted.fault(tmp_path / "not" / "there") is None
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert "everybody" in str(trusted.fault(tmp_path / "open" / "not" / "there"))


def test_a_link_and_what_it_leads_to_both_count(tmp_path: Path) -> None:
    for name in ("mine", "open"):
        (tmp_path / name).mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "mine" / "link").symlink_to(tmp_path / "open")
    (tmp_path / "open" / "link").symlink_to(tmp_path / "mine")
    assert trusted.fault(tmp_path / "mine") is None
    assert trusted.fault(tmp_path / "mine" / "link") is not None
    assert trusted.fault(tmp_path / "open" / "link") is not None


def planted_in(cache: Path, out: Path) -> Path:
    """The program `sieve` of a cache, replaced by one that says so."""
    program = build([sieve()], mpi=None, cache=cache)["sieve"].path
    program.unlink()
    program.write_text(f"#!/bin/sh\ntouch '{out}'\n")
    program.chmod(0o755)
    return program


def sieve():  # type: ignore[no-untyped-def]
    record = read_record(programs_root() / "historical" / "sieve.cpp")
    assert record is not None
    return record


def given_to(folder: Path, owner: int) -> None:
    for each in (folder, *folder.rglob("*")):
        os.chown(each, owner, owner, follow_symlinks=False)


@as_root
def test_a_program_that_another_put_into_ones_cache_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = own_cache(tmp_path / "cache")
    program = planted_in(cache, tmp_path / "executed")
    os.chown(program, NOBODY, NOBODY)
    monkeypatch.setenv("ASSAY_CACHE", str(cache))
    assert assay("run", "sieve", "--launches", "1", "-q").status == 0
    assert not (tmp_path / "executed").exists() and program.stat().st_uid == 0


@as_root
@pytest.mark.parametrize("words", [("run", "sieve"), ("build", "sieve"), ("evaluate", "--only", "processor")])
def test_a_cache_of_another_user_is_refused_by_name_and_nothing_is_left(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = own_cache(tmp_path / "cache")
    planted_in(cache, tmp_path / "executed")
    given_to(cache, NOBODY)
    monkeypatch.setenv("ASSAY_CACHE", str(cache))
    answer = assay(*words, *(("--out", str(tmp_path / "run")) if words[0] != "build" else ()))
    assert answer.status == 2 and str(cache) in answer.err and "belongs to" in answer.err, answer.err
    assert not (tmp_path / "executed").exists() and not (tmp_path / "run").exists()


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_in_a_shared_cache_each_member_builds_in_a_folder_of_its_own(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(mode)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "shared"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert cache_root() == tmp_path / "own" / "assay"
    assert str(tmp_path / "shared") in capsys.readouterr().err


@as_root
def test_a_cache_of_a_project_works_for_its_members(open_folder: Path) -> None:
    (open_folder / "shared").mkdir()
    os.chown(open_folder / "shared", OTHER, OTHER)
    (open_folder / "shared").chmod(0o2775)
    (open_folder / "home").mkdir()
    os.chown(open_folder / "home", NOBODY, NOBODY)
    code = (
        f"import os, sys\nsys.path[:0] = {sys.path!r}\nimport assay.benchmark.own as own\n"
        f"os.setgroups([{OTHER}]); os.setgid({NOBODY}); os.setuid({NOBODY})\nprint(own.cache_root())"
    )
    environment = {"ASSAY_CACHE": str(open_folder / "shared"), "HOME": str(open_folder / "home"), "PATH": os.defpath}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == str(open_folder / "home" / ".cache" / "assay"), done.stderr


def test_an_administrators_cache_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "open"))
    monkeypatch.delenv("ASSAY_CACHE")
    with pytest.raises(InputError, match=r"everybody.*ASSAY_CACHE"):
        cache_root()


SPOILT: dict[str, Callable[[Path], None]] = {
    "owner": lambda run: given_to(run, NOBODY),
    "run.json": lambda run: os.chown(run / "run.json", NOBODY, NOBODY),
    "journal.jsonl": lambda run: os.chown(run / "journal.jsonl", NOBODY, NOBODY),
    "launches": lambda run: (run / "launches").chmod(0o777),
    "mode": lambda run: (run / "run.json").chmod(0o666),
    "above": lambda run: run.parent.chmod(0o777),
}


@as_root
@pytest.mark.parametrize("how", SPOILT)
def test_a_run_that_another_may_have_written_is_read_and_not_resumed(how: str, echo_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "above" / "run"
    run.parent.mkdir()
    shutil.copytree(echo_run, run)
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(about | {"state": "running"}))
    SPOILT[how](run)
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    answer = assay("evaluate", "--resume", str(run), "-q")
    assert answer.status == 2 and "not trusted" in answer.err and str(run.parent) in answer.err, answer.err
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before
    assert assay("query", "SELECT count(*) FROM samples", str(run)).status in (0, 2)
    assert assay("report", str(run), "-o", str(tmp_path / "page.html")).status == 0
    assert how != "owner" or set(run.rglob("*")) == set(before)  # elsewhere the folder itself is this user's


@as_root
def test_a_report_of_anothers_run_writes_nothing_there(echo_run: Path, tmp_path: Path) -> None:
    """A link that lies there under the report's name may lead to a file of this user."""
    run = tmp_path / "run"
    shutil.copytree(echo_run, run)
    (tmp_path / "mine").write_text("mine")
    for name in ("report.html", "report.md", "summary.md", "summary.json"):
        (run / name).unlink(missing_ok=True)
        (run / name).symlink_to(tmp_path / "mine")
    given_to(run, NOBODY)
    refused = assay("report", str(run))
    assert refused.status == 2 and "belongs to" in refused.err and "-o" in refused.err, refused.err
    assert assay("report", str(run), "-o", str(tmp_path / "page.html")).status == 0
    assert (tmp_path / "mine").read_text() == "mine"


def test_what_assay_makes_it_can_resume_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert assay("run", *ECHO, "--out", str(tmp_path / "run")).status == 0
    finally:
        os.umask(before)
    assert all(not path.lstat().st_mode & 0o022 for path in (tmp_path / "run").rglob("*"))
    assert trusted.fault(tmp_path / "run") is None
