"""`./x bench files`: fio's answer and ours are read right, what is no device's is not compared, nothing is left."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from bench import files

from assay.errors import MeasurementError


def fio_answer(**job: object) -> str:
    about = {"error": 0, "read": {"io_bytes": 1 << 20, "runtime": 250, "bw_bytes": 1}}
    return "fio: a note before the JSON\n" + json.dumps({"fio version": "fio-3.33", "jobs": [about | job]})


def block(value: float, source: str) -> str:
    return json.dumps({"event": "block", "metric": "time", "case": {"source": source}, "values": [value]})


def test_fios_time_per_byte_is_its_runtime_over_its_bytes() -> None:
    assert files.fio_seconds_per_byte(fio_answer(), "read", 1 << 20) == pytest.approx(0.25 / 2**20)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [(fio_answer(error=5), 1 << 20), (fio_answer(), 1 << 21), ("{}", 1), ("nothing", 1), (fio_answer(read={}), 1)],
)
def test_what_fio_did_not_do_is_not_compared(text: str, wanted: int) -> None:
    with pytest.raises(MeasurementError, match="fio"):
        files.fio_seconds_per_byte(text, "read", wanted)


def test_ours_counts_only_where_all_came_from_the_device() -> None:
    assert files.our_seconds_per_byte([block(2e-9, "device")]) == 2e-9
    note = json.dumps({"event": "note", "text": "files there lie in memory"})
    for lines in ([block(1e-9, "cache")], [block(1e-9, "device"), block(1e-9, "unknown")], []):
        with pytest.raises(MeasurementError, match=r"not the device alone.*lie in memory"):
            files.our_seconds_per_byte([*lines, note])
    refused = json.dumps({"event": "note", "text": "io_uring is refused here (ENOSYS)"})
    with pytest.raises(MeasurementError, match="io_uring is refused"):
        files.our_seconds_per_byte([block(1e-9, "device"), refused])


@pytest.mark.skipif(shutil.which("fio") is None or shutil.which("g++") is None, reason="needs fio and g++")
def test_both_move_the_same_bytes_and_leave_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert files.main(["--folder", str(tmp_path), "--launches", "2", "--size", str(1 << 24)]) in (0, 1)
    out = capsys.readouterr().out
    for match in files.MATCHES:
        lines = [line for line in out.splitlines() if line.startswith((f"{match.name},", f"{match.name}:"))]
        compared = len(lines) == 2 and "plain with itself" in lines[0] and "ours over plain" in lines[1]
        assert compared or len(lines) == 1, (
            lines
        )  # one: a file system without O_DIRECT, a host whose devices are not seen
    assert list(tmp_path.iterdir()) == []


def test_without_fio_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert files.main(["--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().out == "fio is not here: apt-get install fio, or --fio PATH\n"
