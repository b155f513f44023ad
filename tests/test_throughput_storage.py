"""A throughput test where its storage fails, or its folder is not what it was: said by file, and nothing is lost."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay.stored import lines
from command_line import Answer, assay
from example_inputs import small_mix
from memory_mounts import mounted_in_memory
from unsealed import unsealed

LIVE = ("--via", "local", "--slots", "4", "--compress", "1e6", "--json", "--out")
FILLS = """[fills]
processors = 1
time = "1 s"
command = ["sh", "-c", "head -c 9M /dev/zero > {folder}/disk/fill"]
answer = "x"
[says]
processors = 1
time = "1 s"
command = ["sh", "-c", "head -c 9M /dev/zero > {folder}/disk/fill; echo x; exit 0"]
answer = "x"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_mix(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def throughput(*words: str, schedule: str = "mix", jobs: str = "jobs.toml", out: str = "test") -> Answer:
    return assay("throughput", schedule, "--jobs", jobs, *LIVE, out, *words)


def test_a_log_on_a_full_disk_is_named_and_as_before_and_the_same_command_goes_on(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes half of a line."""
    made: dict[str, Any] = {"lines": 0}
    whole = os.write

    def write(file: int, data: bytes) -> int:
        if not Path(f"/proc/self/fd/{file}").readlink().name.endswith("log.jsonl"):
            return whole(file, data)
        made["lines"] += 1
        if made["lines"] == 4:
            return whole(file, data[: len(data) // 2])
        if made["lines"] > 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return whole(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(lines.os, "write", write)
        full = throughput()
    assert full.status == 1 and len(full.err.strip().splitlines()) == 1
    assert f"{place / 'test' / 'log.jsonl'}: the disk is full" in full.err and "the same command resumes" in full.err
    log = (place / "test" / "log.jsonl").read_text()
    assert log.endswith("\n") and log.count("\n") == 3
    again = throughput()
    assert again.status == 0, again.err
    assert '"completed": 3' in again.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("name", ["result.json", "report.html", "jobs.csv"])
def test_a_result_that_a_full_disk_does_not_take_is_named_and_not_standard_output(place: Path, name: str) -> None:
    assert throughput().status == 0
    (place / "test" / name).unlink(missing_ok=True)
    (place / "test" / name).symlink_to("/dev/full")
    full = throughput()
    assert full.status == 2 and full.err == f"assay: {place}/test/{name}: cannot be written: No space left on device\n"
    (place / "test" / name).unlink()
    assert throughput().status == 0


@pytest.mark.parametrize("left", ["plan.new", ".assay-0123456789abcdef.new", "log.jsonl"])
def test_what_a_killed_start_leaves_before_its_plan_does_not_block_the_same_command(place: Path, left: str) -> None:
    (place / "test").mkdir()
    (place / "test" / left).write_text("")
    answer = throughput()
    assert answer.status == 0, answer.err


def test_relative_and_absolute_paths_are_one_plan_from_any_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert throughput().status == 0
    names = {"schedule": str(place / "mix"), "jobs": str(place / "jobs.toml"), "out": str(place / "test")}
    (place / "elsewhere").mkdir()
    monkeypatch.chdir(place / "elsewhere")
    answer = throughput("--only-resume", **names)
    assert answer.status == 0, answer.err
    (place / "mix").rename(place / "mix2")
    other = throughput(**(names | {"schedule": str(place / "mix2")}))
    assert other.status == 2 and "another plan (differs: workload)" in other.err


def test_a_utilisation_above_one_is_refused_and_its_folder_named(place: Path) -> None:
    assert throughput().status == 0
    unsealed(place / "test")
    for path in (place / "test" / "jobs").glob("*/record.jsonl"):
        events = [json.loads(line) for line in path.read_text().splitlines()]
        for event in events:
            if event["event"] == "start":
                event["time"] -= 1000.0
        path.write_text("".join(json.dumps(event) + "\n" for event in events))
    answer = throughput()
    assert answer.status == 2 and len(answer.err.strip().splitlines()) == 1
    assert f"{place / 'test'}: its records come to a utilisation of" in answer.err and "impossible" in answer.err


@pytest.mark.parametrize("job", ["fills", "says"])
def test_a_job_that_finds_the_disk_full_has_failed_for_that_and_gave_no_wrong_answer(place: Path, job: str) -> None:
    (place / "mix").write_text(f"0: 1 * {job}\n")
    (place / "jobs.toml").write_text(FILLS)
    with mounted_in_memory(place / "disk", "size=2m"):
        full = throughput(out="disk/test")
        assert full.status == 2 and f"{place / 'disk' / 'test'}" in full.err and "No space left on device" in full.err
        (place / "disk" / "fill").unlink()
        answer = throughput(out="disk/test")
        record = next((place / "disk" / "test" / "jobs").glob("*/record.jsonl")).read_text()
    assert '"storage": "No space left on device"' in record
    assert answer.status == 1 and "wrong answer" not in answer.out + answer.err
    assert "No space left on device" in answer.out + answer.err
