"""`assay cache` says what is there; it removes what Assay made, nothing else, and nothing that a command works with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import left_names
from command_line import assay

NOBODY = 65534
KEY = "0123456789abcdef0123"
MADE = (
    *(f"programs/stream-{KEY}", f"programs/exchange-{KEY}.so", f"programs/units/timing-clock-{KEY}.o"),
    *(f"programs/trial/{KEY}", f"programs/units/.timing-clock-{KEY}.o.lock"),
    *(f"tests/world-{KEY}.o", f"tests/ring-{KEY}"),
    *("checkouts/0123456789abcdef/build/core.log", "checkouts/0123456789abcdef/.venv/bin/python"),
)
OTHERS = (
    *("mine", "own.json", "programs/notes.txt", f"programs/{KEY}", "programs/units/a.o", f"units/x-{KEY}.o"),
    *("checkouts/mine/file", f"stream-{KEY}", "programs/trial/0", f"programs/stream-{KEY}.txt", "runs/1/run.json"),
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    return tmp_path / "cache"


def laid(folder: Path, names: set[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode() * 100)


def files(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: content for name, content in found.items() if name != ".in-use"}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.sets(st.sampled_from(MADE)), others=st.sets(st.sampled_from(OTHERS)))
def test_what_assay_made_goes_and_nothing_else(
    made: set[str], others: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    monkeypatch.setenv("ASSAY_CACHE", str(folder))
    laid(folder, made | others)
    shown = assay("cache", "--json").document["parts"]
    assert sum(each["files"] for each in shown if each["kept"] is None) == len(made)
    assert assay("cache", "--remove").status == 0
    assert files(folder) == {name: name.encode() * 100 for name in others}
    assert not (folder / "checkouts" / "0123456789abcdef").exists()
    shutil.rmtree(folder)


def test_sizes_are_those_on_disk_and_what_was_removed_is_said(cache: Path) -> None:
    laid(cache, {*MADE, "mine"})
    wanted = int(
        subprocess.check_output(["du", "-s", "--block-size=1", "--apparent-size", cache / "programs"]).split()[0]
    )
    assert wanted > 0
    on_disk = sum((cache / name).stat().st_blocks * 512 for name in MADE)
    before = assay("cache", "--json").document
    assert sum(each["bytes"] for each in before["parts"]) == on_disk
    after = assay("cache", "--remove", "--json").document
    assert sum(each["bytes"] for each in after["removed"]) == on_disk
    assert [each["name"] for each in after["parts"]] == ["not made by Assay"]
    assert after["cache"] == str(cache)
    assert assay("cache", "-q").out == "0.0 MB\n"


def test_an_empty_and_a_missing_cache_are_answered(cache: Path) -> None:
    assert assay("cache").status == assay("cache", "--remove").status == 0
    assert not cache.exists()


@pytest.mark.nightly
def test_a_program_that_was_built_is_built_again_after_a_removal(cache: Path) -> None:
    built = [sys.executable, "-m", "assay", "build", "sieve", "-q"]
    for _ in range(2):
        done = subprocess.run(built, env=os.environ, capture_output=True, text=True)
        assert done.stdout == "1 programs: 1 compiled, 0 up to date, 0 skipped\n", done.stderr
        assert assay("cache", "--remove").status == 0
        assert files(cache) == {}


def test_a_cache_that_a_command_works_with_is_left_as_it_is(cache: Path) -> None:
    laid(cache, set(MADE))
    code = (
        "import sys; from pathlib import Path; from assay.execute import cache_content\n"
        "cache_content.mark_in_use(Path(sys.argv[1])); print(1, flush=True); input()"
    )
    words = [sys.executable, "-c", code, str(cache / "programs")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as using:
        assert using.stdout is not None and using.stdout.readline() == "1\n"
        answer = assay("cache", "--remove")
        assert answer.status == 2 and f"is in use by process {using.pid}: nothing was removed" in answer.err
        assert set(files(cache)) == set(MADE)
        assert assay("cache").status == 0  # looking is no harm
        using.communicate("\n")
    assert assay("cache", "--remove").status == 0
    assert files(cache) == {}


def test_an_environment_that_a_process_runs_from_stays(cache: Path) -> None:
    laid(cache, {"checkouts/0123456789abcdef/a", "checkouts/fedcba9876543210/b"})
    program = cache / "checkouts" / "0123456789abcdef" / "sleep"
    shutil.copy("/bin/sleep", program)
    with subprocess.Popen([program, "60"]) as running:
        answer = assay("cache", "--remove", "--json")
        running.kill()
    assert answer.status == 0 and set(files(cache)) == {
        "checkouts/0123456789abcdef/a",
        "checkouts/0123456789abcdef/sleep",
    }
    assert [each["kept"] for each in answer.document["parts"]] == ["in use"]


def test_what_a_killed_process_left_goes_and_what_one_works_in_stays(cache: Path) -> None:
    own = left_names.marked(".sieve-")
    with subprocess.Popen(["/bin/true"]) as gone:
        dead = own.replace(f"-{os.getpid()}-", f"-{gone.pid}-")
    laid(cache, {f"programs/{own}/sieve", f"programs/{dead}/sieve", f"{dead.replace('.sieve', 'exchange')}/log"})
    assert assay("cache", "--remove").status == 0
    assert set(files(cache)) == {f"programs/{own}/sieve"}


def test_links_are_not_followed(cache: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    laid(elsewhere, {f"timing-clock-{KEY}.o", f"{KEY}"})
    (cache / "programs").mkdir(parents=True)
    (cache / "programs" / "units").symlink_to(elsewhere)
    (cache / "programs" / f"stream-{KEY}").symlink_to(elsewhere / KEY)
    assert assay("cache", "--remove").status == 0
    assert len(files(elsewhere)) == 2 and (cache / "programs" / "units").is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give files to another user")
def test_a_cache_of_another_user_is_refused_and_left_as_it_is(cache: Path) -> None:
    laid(cache, set(MADE))
    for each in (cache, *cache.rglob("*")):
        os.chown(each, NOBODY, NOBODY)
    for words in (["cache"], ["cache", "--remove"]):
        answer = assay(*words)
        assert answer.status == 2 and "belongs to" in answer.err and str(cache) in answer.err
    assert set(files(cache)) == set(MADE)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give files to another user")
def test_a_file_that_another_put_into_ones_cache_stays(cache: Path) -> None:
    laid(cache, set(MADE))
    os.chown(cache / MADE[0], NOBODY, NOBODY)
    assert assay("cache", "--remove").status == 0
    assert set(files(cache)) == {MADE[0]}


def test_no_run_is_removed(cache: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert assay("run", "echo", "--on", "ipsc860", "--out", str(run), "-q").status == 0
    before = files(run)
    listed = assay("runs", "--json").document["runs"]
    assert assay("cache", "--remove").status == 0
    assert files(run) == before and assay("runs", "--json").document["runs"] == listed != []
