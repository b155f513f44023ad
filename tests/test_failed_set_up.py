"""A set-up that fails (compiler, cache, MPI) is refused with status 2 and leaves nothing that blocks a next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import assay

FAULTS = {
    "a compiler that is not there": {"CXX": "nosuch"},
    "a compiler that is none": {"CXX": "/bin/false"},
    "a compiler whose words do not close": {"CXX": 'g++ "'},
    "flags whose words do not close": {"CXXFLAGS": '-O2 "'},
    "flags that are none": {"CXXFLAGS": "-fno-such-flag"},
    "a cache in a file": {"ASSAY_CACHE": "file"},
    "a cache where nothing can be made": {"ASSAY_CACHE": "/proc/nosuch"},
}


@pytest.mark.parametrize("words", [(), ("--out", "here")], ids=["default", "--out"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    "verb",
    [("run", "sieve"), ("evaluate", "--only", "processor"), ("build", "sieve")],
    ids=["run", "evaluate", "build"],
)
def test_nothing_is_left(
    verb: tuple[str, ...], fault: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    for key, value in FAULTS[fault].items():
        monkeypatch.setenv(key, str(tmp_path / value) if value == "file" else value)
    answer = assay(*verb, *(words if verb[0] != "build" else ()), "-q")
    assert (answer.status, answer.out) == (2, ""), answer.err
    assert answer.err.startswith("assay: ") and len(answer.err.splitlines()) == 1, answer.err
    assert {path.name for path in tmp_path.iterdir()} <= {"file", "state", "cache"}
    assert assay("runs", "-q").out.startswith("0 runs")
