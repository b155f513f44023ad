"""A run that is killed loses no finished sample and leaves no process; resumed, it ends as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.benchmark.record import shipped
from assay.store import Run
from command_line import assay
from described_echo import MACHINE


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


def processes_naming(text: str) -> list[str]:
    """Command lines of the live processes that mention `text`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in words and str(os.getpid()) != path.parent.name:
            found.append(words)
    return found


def wait_for(condition: object, seconds: float, what: str) -> None:
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < until, f"no {what} within {seconds:g} s"
        time.sleep(0.05)


def finished_lines(folder: Path) -> int:
    return sum(p.read_bytes().count(b'"event":"block"') for p in (folder / "launches").glob("*.jsonl"))


@pytest.mark.parametrize("words", [("sieve",), pytest.param(("echo", "-n", "2"), marks=pytest.mark.mpi)])
def test_a_kill_loses_no_finished_sample_and_a_resumed_run_ends_well(words: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert assay("run", *words, "--launches", "1", "--out", str(tmp_path / "warm")).status == 0  # compiled before
    command = [sys.executable, "-m", "assay", "run", *words, "--launches", "2", "--out", str(folder), "--json"]
    victim = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: folder.exists() and finished_lines(folder) >= 1, 120, "block")
    finally:
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
    wait_for(lambda: not processes_naming(str(folder)), 20, "end of the orphans")
    run = Run.open(folder)
    whole = sum(p.read_bytes().count(b"\n") for p in (folder / "launches").glob("*.jsonl"))
    kept = run.connect().execute("SELECT count(*) FROM blocks").fetchone()
    assert kept is not None and kept[0] == finished_lines(folder) and whole >= kept[0] > 0

    answer = assay("evaluate", "--resume", str(folder), "--json")
    assert answer.status in (0, 1), answer.err  # on a busy host its times may not stand; its tasks must have ended
    assert answer.document["run"] == run.about["id"]
    ended = {e["task"] for e in Run.open(folder).entries() if e.get("event") == "ended" and e["status"] == 0}
    assert ended == {f"00{i}-{words[0]}" for i in range(2)}
    launches = Run.open(folder).connect().execute("SELECT launch FROM launches WHERE complete ORDER BY 1").fetchall()
    assert launches == [(0,), (1,)]


def test_the_document_of_a_run_keeps_the_contract(tmp_path: Path) -> None:
    answer = assay("run", "sieve", "--launches", "2", "--out", str(tmp_path / "run"), "--json")
    document = answer.document
    if document["state"] == "invalid":
        pytest.skip(f"this host is too busy to measure on: {document['warnings']}")
    assert answer.status == 0, answer.err
    for key in ("benchmark", "machine", "valid", "state", "warnings", "provenance", "samples", "figures"):
        assert key in document
    assert document["benchmark"] == "sieve" and document["valid"] is True
    assert bool(document["warnings"]) is (document["state"] != "clean")
    assert Path(document["samples"]).exists()
    for figure in document["figures"]:
        assert {"name", "value", "unit", "ci95", "range", "scope", "statistic", "params"} <= set(figure)
        assert figure["ci95"] is None  # two launches carry no interval
    first = document["figures"][0]
    assert first["statistic"] == ("best" if first["state"] == "bound" else "median") and "launch" in first["scope"]
    assert first["state"] == "bound" or first["range"][0] <= first["value"] <= first["range"][1]


def test_a_described_machine_answers_by_its_own_formula(tmp_path: Path) -> None:
    machine = tmp_path / "constant.toml"
    machine.write_text(MACHINE)
    answer = assay("run", "echo", "--on", str(machine), "--set", "bytes=8,1000", "--json", "--out", str(tmp_path / "r"))
    assert answer.status == 0, answer.err
    halves = {
        f["params"]["bytes"]: f["value"]
        for f in answer.document["figures"]
        if f["name"] == "half_round_trip" and f["statistic"] == "median"
    }
    assert halves == pytest.approx({8: 70e-6 + 8 * 0.4e-6, 1000: 70e-6 + 1000 * 0.4e-6})
    rates = {f["params"]["bytes"]: f["value"] for f in answer.document["figures"] if f["name"] == "rate"}
    assert rates[1000] == pytest.approx(1000 / (70e-6 + 400e-6))


def test_a_failing_check_is_invalid_and_never_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sieve = shipped("sieve")
    assert sieve is not None
    monkeypatch.setitem(vars(sieve), "flags", ("-DASSAY_BREAK=1",))
    answer = assay("run", "sieve", "--launches", "1", "--out", str(tmp_path / "run"), "--json")
    assert answer.status == 1
    assert answer.document["state"] == "invalid" and answer.document["valid"] is False and answer.document["warnings"]
    assert {f["value"] for f in answer.document["figures"]} <= {None}
