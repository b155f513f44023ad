"""Folders that launches make for their files: removed however they end, and nothing of the user's is touched."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from assay.execute import ledger
from assay.execute.ledger import MARK, Subfolder
from command_line import assay
from compiled import WARNINGS, compile_to
from file_faults import faulty

pytestmark = pytest.mark.usefixtures("own_folder")
SOURCE = Path(__file__).parent / "native" / "own_folder.cpp"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_to(tmp_path_factory.mktemp("program") / "own_folder", SOURCE, *WARNINGS)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A folder with files of the user's, which must be as they are at the end."""
    folder = tmp_path / "scratch"
    (folder / "theirs").mkdir(parents=True)
    (folder / "theirs" / "data").write_text("precious")
    (folder / "data").write_text("precious, too")
    return folder


def as_it_was(scratch: Path) -> bool:
    found = sorted(str(path.relative_to(scratch)) for path in scratch.rglob("*"))
    kept = (scratch / "theirs" / "data").read_text() + (scratch / "data").read_text()
    return found == ["data", "theirs", "theirs/data"] and kept == "preciousprecious, too"


def started(
    program: Path, scratch: Path, of: Subfolder, how: str = "wait", **env: str
) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [program, scratch, f"{of.name}:{of.token}", how],
        env=os.environ | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # the tests may run under nohup
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().split()[0])


@pytest.mark.parametrize("how", ["end", "throw"])
def test_it_is_removed_at_the_end(program: Path, scratch: Path, how: str) -> None:
    ended = subprocess.run([program, scratch, "", how], capture_output=True, text=True, timeout=60)
    folder, room = ended.stdout.split()
    assert Path(folder).parent == scratch
    assert Path(folder).name.startswith(ledger.PREFIX)
    free = os.statvfs(scratch).f_bavail * os.statvfs(scratch).f_frsize
    assert int(room) <= free / 4 * 1.05
    assert as_it_was(scratch)


def test_a_storage_that_does_not_answer_holds_no_signal_up(program: Path, scratch: Path) -> None:
    """The folder's removal hangs: the process ends by its signal all the same, with a line."""
    hangs = faulty("stuck", ASSAY_FILES_PATIENCE=0.3)
    process, folder = started(program, scratch, Subfolder.within(str(scratch)), **hangs)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=20)
    assert process.returncode == -signal.SIGINT
    assert complaint == (
        f"{folder.name}: cannot be removed: the storage does not answer; it goes when Assay starts next\n"
    )
    assert [path.name for path in folder.iterdir()] == [MARK]
    shutil.rmtree(folder)
    assert as_it_was(scratch)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_is_removed_on_signals(program: Path, scratch: Path, number: signal.Signals) -> None:
    process, folder = started(program, scratch, Subfolder.within(str(scratch)))
    assert (folder / MARK).is_file()
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    process.send_signal(number)
    assert process.wait(60) == -number
    assert as_it_was(scratch)


def test_a_fault_ends_the_program_at_once_and_who_waits_removes_the_folder(program: Path, scratch: Path) -> None:
    """A handler of SIGSEGV would run in a process whose memory may be damaged: it is left alone."""
    for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL):
        of = Subfolder.within(str(scratch))
        with ledger.track_folders([of]):
            process, folder = started(program, scratch, of)
            process.send_signal(number)
            assert process.wait(60) == -number
            assert (folder / MARK).is_file() and (folder / "data").is_file()
        assert as_it_was(scratch)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_the_next_start_clears_what_a_kill_or_a_fault_left(
    program: Path, scratch: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """The waiting process is killed as well: a child enters the folder, starts the program and is killed with it."""
    of = Subfolder.within(str(scratch))
    child = os.fork()
    if child == 0:
        with ledger.track_folders([of]):
            process, _ = started(program, scratch, of)
            process.send_signal(number)
            process.wait()
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert Path(of.path, MARK).is_file()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "data").write_text("precious")
    (Path(of.path) / "link").symlink_to(outside)
    (Path(of.path) / "file").symlink_to(outside / "data")
    answer = assay("version")
    assert answer.status == 0
    assert answer.err == f"assay: removed {of.path}, which a run that was killed had left\n"
    assert as_it_was(scratch)
    assert (outside / "data").read_text() == "precious"
    assert assay("version").err == ""
    assert list((tmp_path / "state" / "assay" / "folders").iterdir()) == []


@pytest.mark.parametrize("foreign", [False, True])
def test_what_nodes_left_goes_by_their_marks(scratch: Path, foreign: bool) -> None:
    """Each node's folder has its name behind; one of another launch stays, and the entry with it."""
    of = Subfolder.within(str(scratch), by_node=True)
    made = {node: Path(f"{of.path}-{node}") for node in ("n1", "n2", "n10.site")}
    for node, path in made.items():
        (path / "below").mkdir(parents=True)
        (path / "below" / "data").write_text("ours")
        (path / MARK).write_text("another's" if foreign and node == "n2" else of.token)
    unlike = Path(of.path[:-1])
    unlike.mkdir()
    assert ledger.remove(of) is not foreign
    assert [node for node, path in made.items() if path.exists()] == (["n2"] if foreign else [])
    assert unlike.is_dir()


def test_what_a_living_process_holds_is_left_alone(program: Path, scratch: Path) -> None:
    of = Subfolder.within(str(scratch))
    with ledger.track_folders([of]):
        process, folder = started(program, scratch, of)
        assert assay("version").err == ""
        assert folder.is_dir()
        process.kill()
        process.wait()
        assert folder.is_dir()
    assert as_it_was(scratch)


def entered(scratch: Path, **changed: object) -> Subfolder:
    """An entry of a process that is gone, with a folder of that name that a user made."""
    of = Subfolder.within(str(scratch))
    entry = ledger._enter(of)
    assert entry is not None
    about = json.loads(entry.read_text())
    entry.write_text(json.dumps(about | {"began": 1} | changed))
    return of


@pytest.mark.parametrize("mark", [None, "another", "link", "folder"])
def test_only_a_folder_with_its_mark_is_removed(scratch: Path, mark: str | None) -> None:
    of = entered(scratch)
    Path(of.path).mkdir()
    Path(of.path, "data").write_text("precious")
    if mark == "another":
        Path(of.path, MARK).write_text("0" * 32)
    elif mark == "link":
        (scratch / "token").write_text(of.token)
        Path(of.path, MARK).symlink_to(scratch / "token")
    elif mark == "folder":
        Path(of.path, MARK).mkdir()
    assert assay("version").status == 0
    assert Path(of.path, "data").read_text() == "precious"


def test_a_link_of_its_name_is_not_followed(scratch: Path, tmp_path: Path) -> None:
    of = entered(scratch)
    target = tmp_path / "target"
    target.mkdir()
    (target / MARK).write_text(of.token)
    (target / "data").write_text("precious")
    Path(of.path).symlink_to(target)
    assert assay("version").status == 0
    assert (target / "data").read_text() == "precious"


@pytest.mark.parametrize(
    "changed", [{"version": 99}, {"host": "elsewhere"}, {"name": "theirs"}, {"parent": "."}, {"process": "x"}]
)
def test_entries_that_are_not_ours_to_clear_are_left(scratch: Path, changed: dict[str, object]) -> None:
    of = entered(scratch, **changed)
    Path(of.path).mkdir()
    Path(of.path, MARK).write_text(of.token)
    if changed != {"process": "x"}:
        assert assay("version").err == ""
        assert Path(of.path, MARK).is_file()
        shutil.rmtree(of.path)
    else:
        assert assay("version").status == 0
    assert (scratch / "theirs" / "data").read_text() == "precious"


def test_a_folder_cut_short_before_its_mark_is_removed(scratch: Path) -> None:
    of = entered(scratch)
    Path(of.path).mkdir()
    assert "removed" in assay("version").err
    assert as_it_was(scratch)


def test_another_joins_only_with_the_token(program: Path, scratch: Path) -> None:
    of = Subfolder.within(str(scratch))
    process, _ = started(program, scratch, of)
    for token, status in ((of.token, 0), ("0" * 32, 2)):
        words = [program, scratch, f"{of.name}:{token}", "join"]
        assert subprocess.run(words, capture_output=True, timeout=60).returncode == status
    process.terminate()
    process.wait(60)
    assert as_it_was(scratch)


def test_a_name_that_is_there_is_never_taken_over(program: Path, scratch: Path) -> None:
    of = Subfolder.within(str(scratch))
    Path(of.path).mkdir()
    Path(of.path, "data").write_text("precious")
    ended = subprocess.run(
        [program, scratch, f"{of.name}:{of.token}", "end"], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 2
    assert ended.stderr == (
        f"folder {scratch}: cannot make {of.name} in it: File exists; expected a folder that you may write in\n"
    )
    assert Path(of.path, "data").read_text() == "precious"
