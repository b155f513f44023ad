"""Who worked beside a launch: other processes by name, never our own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from assay.machine.bystanders import ProcessLook, bystanders, look
from command_line import assay

pytestmark = pytest.mark.measures

HERTZ = os.sysconf("SC_CLK_TCK")


def test_shares_are_processors_by_name_and_what_descends_from_us_is_left_out() -> None:
    before = ProcessLook(10.0, {1: ("init", 5, 0), 7: ("hog", 100, 1), 8: ("assay", 50, 1), 9: ("mpiexec", 0, 8)})
    after = ProcessLook(
        12.0,
        {
            1: ("init", 5, 0),
            7: ("hog", 100 + HERTZ, 1),
            8: ("assay", 50 + HERTZ, 1),
            9: ("mpiexec", HERTZ, 8),
            10: ("sieve", HERTZ, 9),
            11: ("hog", 2 * HERTZ, 7),  # new: all its time was meanwhile
            12: ("kworker/0:1", 1, 2),
        },
    )
    assert bystanders(before, after, own=8) == [{"name": "hog", "count": 2, "share": 1.5}]


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs Linux's /proc")
def test_a_real_busy_process_is_named(tmp_path: Path) -> None:
    name = "assay-hog-here"
    (tmp_path / name).symlink_to(shutil.which("bash") or "/bin/bash")
    before = look()
    hog = subprocess.Popen([str(tmp_path / name), "-c", "while :; do :; done"], start_new_session=True)
    try:
        time.sleep(0.5)
        found = {each["name"]: each for each in bystanders(before, look(), own=-1)}
    finally:
        hog.kill()
        hog.wait()
    assert found[name]["share"] > 0.05 and found[name]["count"] == 1


def test_the_session_writes_who_worked_beside_each_launch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    answer = assay("run", "sieve", "--launches", "1", "--out", "run", "--json")
    assert answer.status in (0, 1), answer.err
    entries = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines()]
    (ended,) = [entry for entry in entries if entry.get("event") == "ended"]
    assert isinstance(ended["beside"], list)
    assert all(each["share"] >= 0.02 and each["name"] != "sieve" for each in ended["beside"])
