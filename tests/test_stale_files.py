"""What a killed process of Assay left in /tmp and /dev/shm goes with the next start, and nothing else does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.execute import stale_files, supervisor
from assay.execute.private_folder import _HOLD
from test_launchers import alive

GONE = f"{os.uname().nodename} {{boot}} {{space}} 4194303 1\n"  # no process has this number and began then


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The only place that is looked at."""
    monkeypatch.setattr(stale_files, "places", lambda: [str(tmp_path)])
    yield tmp_path


def words() -> list[str]:
    return supervisor.mark_words().split()


def made(place: Path, name: str, mark: list[str] | None) -> Path:
    folder = place / name
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "file").write_text("x")
    if mark is not None:
        (folder / supervisor.MARK).write_text(" ".join(mark) + "\n")
    return folder


def changed(at: int, value: str) -> list[str]:
    """A mark of a process that is gone, with one more word changed."""
    found = [*words()[:3], "4194303", "1"]
    found[at] = value
    return found


def test_the_folder_of_a_process_that_is_gone_is_removed_and_links_are_not_followed(place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "file").write_text("x")
    folder = made(place, "assay-1", changed(3, "4194303"))
    (folder / "link").symlink_to(place / "mine")
    assert stale_files.clear() == [str(folder)]
    assert [path.name for path in place.iterdir()] == ["mine"] and (place / "mine" / "file").exists()


def test_of_worker_processes_only_what_has_a_mark_is_removed(place: Path) -> None:
    made(place, "pymp-other", None)
    folder = made(place, "pymp-own", changed(3, "4194303"))
    assert stale_files.clear() == [str(folder)]


KEPT: dict[str, Callable[[], list[str] | None]] = {
    "no mark": lambda: None,
    "alive": lambda: words(),
    "another host": lambda: changed(0, "elsewhere"),
    "another container": lambda: changed(2, "pid:[1]"),
    "another boot, and younger than this one": lambda: changed(1, "0"),
    "no number": lambda: changed(3, "-1"),
    "fewer words": lambda: words()[:4],
}


@pytest.mark.parametrize("why", KEPT)
def test_other_folders_stay(why: str, place: Path) -> None:
    folder = made(place, "assay-1", KEPT[why]())
    assert stale_files.clear() == [] and (folder / "below" / "file").exists()


def test_of_a_boot_before_this_one_what_is_older_is_removed(place: Path) -> None:
    folder = made(place, "assay-1", changed(1, "0"))
    os.utime(folder / supervisor.MARK, (1e9, 1e9))
    assert stale_files.clear() == [str(folder)] and not folder.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
@pytest.mark.parametrize("what", ["folder", "mark"])
def test_what_belongs_to_another_stays(what: str, place: Path) -> None:
    folder = made(place, "assay-1", changed(3, "4194303"))
    os.chown(folder if what == "folder" else folder / supervisor.MARK, 65534, 65534)
    assert stale_files.clear() == [] and (folder / "below" / "file").exists()


def test_a_link_under_such_a_name_stays_with_what_it_leads_to(place: Path) -> None:
    target = made(place, "mine", changed(3, "4194303"))
    (place / "assay-1").symlink_to(target)
    assert stale_files.clear() == [] and (target / "below" / "file").exists()


def waited(for_what: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not for_what():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.paced
@pytest.mark.parametrize("how", ["supervisor", "assay", "script"])
def test_what_a_kill_leaves_is_removed_at_the_next_start(how: str, tmp_path: Path) -> None:
    """The supervisor of a tree, a process with a temporary folder, the script that holds a folder on a node."""
    folder = tmp_path / "assay-scratch"
    code = {
        "supervisor": f"from pathlib import Path\nfrom assay.execute import process_tree\n"
        f"held = process_tree.ProcessTree([process_tree.Command(('sleep', '100'))], scratch=[Path({str(folder)!r})])\n"
        "import time; print(held._supervisor.pid, flush=True); time.sleep(100)",
        "assay": "import os, time\nfrom assay.execute.stale_files import temporary_folder\n"
        "with temporary_folder('assay-scratch'):\n    print(os.getpid(), flush=True)\n    time.sleep(100)",
    }.get(how)
    argv = ["sh", "-c", "echo $$; " + _HOLD, "assay", str(folder)] if code is None else [sys.executable, "-c", code]
    environment = os.environ | {"TMPDIR": str(tmp_path), "ASSAY_RUNS": str(tmp_path / "state")}
    process = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
    )
    assert process.stdout is not None
    number = int(process.stdout.readline())
    waited(lambda: bool(list(tmp_path.glob("assay-scratch*/.assay-process"))))
    (found,) = tmp_path.glob("assay-scratch*")
    (found / "file").write_text("x")
    command = [sys.executable, "-m", "assay", "version"]
    assert subprocess.run(command, env=environment, capture_output=True, text=True).stderr == ""
    assert (found / "file").exists()
    os.kill(number, signal.SIGKILL)
    waited(lambda: not alive(number))
    if how != "supervisor":
        process.wait()
    process.kill()
    process.communicate()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and not found.exists()
    shutil.rmtree(tmp_path / "state", ignore_errors=True)
