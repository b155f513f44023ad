"""A process is signalled only where it is still the one that was started: a planted or an old number kills nobody."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.execute import process_signals, supervisor
from command_line import assay
from throughput_folder import end_all_jobs, log_lines, throughput

pytestmark = [pytest.mark.usefixtures("own_folder"), pytest.mark.paced]


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session and a group of its own."""
    made = subprocess.Popen(["sleep", "100"], start_new_session=True)
    yield made
    made.kill()
    made.wait()


@pytest.mark.parametrize("pidfd", [True, False])
def test_a_supervisor_signals_its_own_tree_alone(
    bystander: subprocess.Popen[bytes], pidfd: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its children and what is below them; not one elsewhere whose number it has, as after a number has passed on."""
    if not pidfd:

        def refused(pid: int) -> int:
            raise OSError(errno.ENOSYS, "not here")

        monkeypatch.setattr(os, "pidfd_open", refused)
    monkeypatch.setattr(os, "getpid", lambda: bystander.pid)
    own = subprocess.Popen(["sleep", "100"])
    try:
        supervisor._send(own.pid, signal.SIGKILL)
        time.sleep(0.1)
        assert own.poll() is None
        monkeypatch.undo()
        supervisor._send(own.pid, signal.SIGKILL)
        assert own.wait() == -signal.SIGKILL
        supervisor._send(own.pid, signal.SIGKILL)
    finally:
        own.kill()


def test_a_number_with_another_time_is_another_process(bystander: subprocess.Popen[bytes]) -> None:
    since = process_signals.began(bystander.pid)
    assert since is not None
    for other in (None, since - 1, since + 1):
        assert not process_signals.send(bystander.pid, other, signal.SIGKILL)
    assert bystander.poll() is None
    assert process_signals.send(bystander.pid, since, signal.SIGKILL) and bystander.wait() == -signal.SIGKILL
    assert not process_signals.send(bystander.pid, since, signal.SIGKILL)


def test_a_group_is_ended_in_its_session_and_not_before_its_time(bystander: subprocess.Popen[bytes]) -> None:
    group, since = bystander.pid, process_signals.began(bystander.pid)
    assert since is not None
    assert process_signals.end_group(group, session=os.getsid(0), since=since) == 0
    assert process_signals.end_group(group, session=group, since=since + 1) == 0
    assert process_signals.end_group(group, session=group, since=None) == 0
    assert bystander.poll() is None
    assert process_signals.end_group(group, session=group, since=since) == 1 and bystander.wait() == -signal.SIGKILL


TEST = ("jobs.txt", "--jobs", "table.toml", "--via", "local", "--slots", "2", "-q", "--out", "out")


def interrupted(folder: Path) -> Path:
    """A test of one long job whose submitter and starter were killed; returns the job's record."""
    (folder / "jobs.txt").write_text("0: 1 * one\n")
    (folder / "table.toml").write_text('[one]\nprocessors = 1\ntime = "0.3 s"\nlimit = "60 s"\ncommand = "sleep 20"\n')
    submitter = throughput(*TEST, cwd=folder)
    until = time.monotonic() + 60
    while not (records := [each for each in folder.glob("out/jobs/*/record.jsonl") if b"node" in each.read_bytes()]):
        assert time.monotonic() < until and submitter.poll() is None, submitter.communicate()
        time.sleep(0.05)
    submitter.kill()
    submitter.communicate()
    end_all_jobs(folder / "out")
    assert any(line["event"] == "submitted" for line in log_lines(folder / "out"))
    return records[0]


@pytest.mark.parametrize("taken", ["group", "pid and group", "pid, group and began"])
def test_a_planted_record_ends_no_process_of_another(
    taken: str, tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    record = interrupted(tmp_path)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    lines[0]["group"] = bystander.pid
    if "pid" in taken:
        lines[0]["pid"] = bystander.pid
    if "began" in taken:
        lines[0]["began"] = process_signals.began(bystander.pid)
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert assay("throughput", *TEST).status == 1  # the job was lost
    assert bystander.poll() is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
@pytest.mark.parametrize("whose", ["record", "job", "folder", "plan.json", "log.jsonl"])
def test_a_folder_that_another_may_have_written_is_not_resumed(
    whose: str, tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    record = interrupted(tmp_path)
    named = {"record": record, "job": record.parent, "folder": tmp_path / "out"}
    path = named.get(whose, tmp_path / "out" / whose)
    os.chown(path, 65534, 65534)
    answer = assay("throughput", *TEST)
    assert answer.status == 2 and "not trusted" in answer.err and str(path) in answer.err, answer.err


def test_what_a_killed_starter_left_is_ended(tmp_path: Path) -> None:
    """Its command has a child, which the death of the command does not end."""
    (tmp_path / "jobs.txt").write_text("0: 1 * one\n")
    (tmp_path / "one.py").write_text(
        "import os, time\nif os.fork() == 0:\n    open('child', 'w').write(str(os.getpid()))\n    time.sleep(100)\n"
        "time.sleep(100)\n"
    )
    command = json.dumps([sys.executable, str(tmp_path / "one.py")])
    (tmp_path / "table.toml").write_text(f'[one]\nprocessors = 1\ntime = "1 s"\nlimit = "60 s"\ncommand = {command}\n')
    submitter = throughput(*TEST, cwd=tmp_path)
    until = time.monotonic() + 60
    while not (found := [each for each in tmp_path.glob("out/jobs/*/child") if each.read_text()]):
        assert time.monotonic() < until and submitter.poll() is None, submitter.communicate()
        time.sleep(0.05)
    child = int(found[0].read_text())
    end_all_jobs(tmp_path / "out")
    submitter.communicate(timeout=60)
    assert process_signals.began(child) is None or "Z" in Path(f"/proc/{child}/stat").read_text().rpartition(")")[2][:3]
