"""Noise of the node: its spectrum against synthetic noise of known periods, its causes, its traces and their replay."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal, stats

import started
from assay.analysis.noise_spectrum import Peak, causes, in_step, name_peak, peaks, spectrum
from assay.errors import InputError
from assay.machine.noise_traces import Trace, processors, read_traces
from command_line import assay
from compiled import kept
from test_disturbed_run import hog

pytestmark = pytest.mark.measures

STEP = 2e-4  # s
EVENT: dict[str, Any] = {
    "event": "trace",
    "format": "assay noise 1",
    "case": {"method": "work"},
    "block": 0,
    "thread": 1,
    "cpu": 3,
    "t0": 1.5e9,
    "seconds": 0.5,
    "quantum": 2e-5,
    "least": 1e-6,
    "tick": 250,
    "start": [0.1, 0.2],
    "length": [0.01, 0.001],
    "done": [],
    "interrupts": {"LOC": 125},
    "steal": 0.0,
    "involuntary": 3,
    "voluntary": 0,
}


def pulses(rng: np.random.Generator, count: int, frequency: float, height: float) -> Any:
    """What spans of STEP lose to something that comes `frequency` times a second, at a phase of its own."""
    lost = np.zeros(count)
    times = (rng.random() + np.arange(int(count * STEP * frequency) + 1)) / frequency
    places = (times / STEP).astype(int)
    np.add.at(lost, places[places < count], height)
    return lost


# --- the spectrum -----------------------------------------------------------------------------------------------------


def test_the_periodogram_is_the_library_s() -> None:
    rng = np.random.default_rng(1)
    for count in (1000, 1001):
        series = rng.normal(size=count)
        own = spectrum([series], STEP)
        assert own is not None
        frequency, power = signal.periodogram(series, 1 / STEP, detrend="constant", scaling="spectrum")
        inner = slice(1, len(own.frequency) + 1)  # without zero, and without the highest of an even count
        assert own.frequency == pytest.approx(frequency[inner])
        assert own.power == pytest.approx(power[inner] / power[inner].mean())


@pytest.mark.parametrize("frequency", [40.0, 100.0, 250.0, 333.0, 1000.0])
@pytest.mark.parametrize("blocks", [1, 6])
def test_a_known_period_is_found_in_noise(frequency: float, blocks: int) -> None:
    rng = np.random.default_rng(int(frequency) + blocks)
    series = [pulses(rng, 2000, frequency, 0.03) + 0.001 * rng.normal(size=2000) for _ in range(blocks)]
    of = spectrum(series, STEP)
    assert of is not None
    first = peaks(of)[0]
    assert abs(first.frequency - frequency) <= first.width
    assert first.power > of.limit
    if frequency < 500:
        assert first.harmonics >= 2


def test_two_periods_are_told_apart() -> None:
    rng = np.random.default_rng(5)
    series = [
        pulses(rng, 5000, 250, 0.03) + pulses(rng, 5000, 61, 0.1) + 0.003 * rng.normal(size=5000) for _ in range(4)
    ]
    of = spectrum(series, STEP)
    assert of is not None
    strongest = sorted(peak.frequency for peak in peaks(of)[:2])
    assert strongest == pytest.approx([61, 250], abs=1.01)


@pytest.mark.parametrize("blocks", [1, 8])
def test_where_nothing_is_periodic_nothing_is_found(blocks: int) -> None:
    """White noise passes the limit in one trial of a hundred: as many as a binomial of that allows."""
    rng = np.random.default_rng(7)
    trials = 400
    alarms = 0
    for _ in range(trials):
        of = spectrum([rng.normal(size=512) for _ in range(blocks)], STEP, significance=0.01)
        assert of is not None
        alarms += bool((of.power > of.limit).any())
    assert alarms <= stats.binom.isf(1e-6, trials, 0.01)
    loose = sum(
        bool((of.power > of.limit).any())
        for of in (spectrum([rng.normal(size=512) for _ in range(blocks)], STEP, significance=0.5) for _ in range(200))
        if of is not None
    )
    assert stats.binom.isf(1 - 1e-6, 200, 0.4) <= loose <= stats.binom.isf(1e-6, 200, 0.6)


def test_too_little_or_nothing_gives_no_spectrum() -> None:
    assert spectrum([], STEP) is None
    assert spectrum([np.ones(8)], STEP) is None
    assert spectrum([np.ones(100)], STEP) is None


# --- what causes it ---------------------------------------------------------------------------------------------------


def test_causes_are_named_where_counts_agree_with_a_period() -> None:
    found = causes(
        {"LOC": 2501, "36": 600, "RES": 1, "TLB": 20}, 10.0, tick=250, steal=0.02, involuntary=30, detours=3000
    )
    named = {cause.name: cause.rate for cause in found}
    assert next(iter(named)) == "timer interrupts"
    assert named["timer interrupts"] == pytest.approx(250.1)
    assert named["interrupts of device 36"] == pytest.approx(60)
    assert named["other processes"] == pytest.approx(3) and named["hypervisor"] == pytest.approx(0.002)
    assert "rescheduling interrupts" not in named  # once in ten seconds explains nothing
    assert name_peak(Peak(250.0, 5.0, 40.0, 3), found, 250) == "the kernel's timer tick"
    assert name_peak(Peak(60.5, 1.0, 40.0, 3), found, 250) == "interrupts of device 36"
    assert name_peak(Peak(111.0, 1.0, 40.0, 3), found, 250) is None
    assert causes({}, 0.0, tick=None, steal=0, involuntary=0, detours=0) == []


@given(st.integers(0, 2**32 - 1), st.integers(60, 300), st.floats(0.3, 1.0), st.floats(0.0, 1.0))
def test_what_comes_with_the_tick_is_told_from_what_comes_at_random(
    seed: int, count: int, share: float, phase: float
) -> None:
    rng = np.random.default_rng(seed)
    regular = round(share * count)
    ticks = (rng.choice(5000, regular, replace=False) + phase) / 250 + rng.uniform(-1e-5, 1e-5, regular)
    starts = np.sort(np.concatenate([ticks, rng.uniform(0, 20, count - regular)]))
    assert in_step(starts, 250, 2e-5) == pytest.approx(regular / count, abs=0.08)


def test_without_a_tick_nothing_is_in_step() -> None:
    rng = np.random.default_rng(11)
    trials = 300
    wrong = sum(in_step(np.sort(rng.uniform(0, 1, 100)), 250, 2e-5) > 0 for _ in range(trials))
    assert wrong <= stats.binom.isf(1e-6, trials, 0.01)
    assert in_step(np.array([]), 250, 2e-5) == in_step(np.array([0.1]), 250, 2e-5) == 0
    assert in_step(np.linspace(0, 1, 50), 250, 0.01) == 0  # places too rough to tell


# --- traces -----------------------------------------------------------------------------------------------------------


def test_a_trace_is_read_and_what_is_garbled_is_named(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    launch = {"event": "launch", "placement": [{"rank": 0, "host": "n7"}]}
    file.write_text("\n".join(map(json.dumps, [launch, EVENT, {"event": "done"}])) + "\n" + '{"event":"trace","for')
    (trace,) = read_traces(file)
    assert (trace.host, trace.cpu, trace.thread, trace.method) == ("n7", 3, 1, "work")
    assert trace.start == (0.1, 0.2) and trace.lost == pytest.approx(0.022)
    for change in (
        {"format": "assay noise 9"},
        {"start": [0.1]},
        {"start": [0.2, 0.1]},
        {"length": [0.2, 0.001]},
        {"seconds": 0.2},
        {"cpu": "three"},
        {"interrupts": None},
    ):
        file.write_text("\n" + json.dumps(EVENT | change) + "\n")
        with pytest.raises(InputError, match=r"trace\.jsonl:2: "):
            list(read_traces(file))
    with pytest.raises(InputError, match="cannot be read"):
        list(read_traces(tmp_path / "none.jsonl"))


def made(detours: list[tuple[int, int]], seconds: int) -> Trace:
    """A trace in whole milliseconds: gaps before detours, and their lengths."""
    starts, lengths, at = [], [], 0
    for gap, length in detours:
        starts.append((at + gap) / 1000)
        lengths.append(length / 1000)
        at += gap + length
    extra: dict[str, Any] = {"start": tuple(starts), "length": tuple(lengths), "seconds": (at + seconds) / 1000}
    keys = {name: EVENT[name] for name in EVENT if name not in ("event", "format", "case", *extra)}
    return Trace(method="work", **keys | extra)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_program_s_traces_are_its_figures(tmp_path: Path) -> None:
    program = kept("threads/noise")
    out = tmp_path / "lines.jsonl"
    words = ["--slice", "0.03", "--blocks", "2", "--set", "threads=1", "--out", str(out)]
    subprocess.run([program, *started.words("noise", *words)], check=True)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    figures = {
        (line["case"]["method"], line["block"], line["metric"]): line["values"][0]
        for line in lines
        if line["event"] == "block"
    }
    traces = list(read_traces(out))
    assert len(traces) == 4
    for trace in traces:
        assert figures[trace.method, trace.block, "lost"] == pytest.approx(trace.lost, rel=1e-6, abs=1e-9)
        assert figures[trace.method, trace.block, "detours"] == pytest.approx(len(trace.start) / trace.seconds)
        assert figures[trace.method, trace.block, "largest_detour"] == pytest.approx(max(trace.length, default=0))
        assert len(trace.done) == (150 if trace.method == "time" else 0)
        assert trace.host and trace.seconds >= 0.0299


def test_one_command_gives_figures_and_spectrum_and_a_hog_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with hog(1):
        answer = assay("run", "noise", "--launches", "2", "--out", "run", "--json")
    assert answer.status == 0, answer.err
    document = answer.document
    # what disturbs other benchmarks is what this one measures: it says who took the time
    assert any("another process ran instead" in note for note in document["notes"])
    found = {(f["name"], f["params"]["method"]): f["value"] for f in document["figures"] if f["statistic"] == "median"}
    for method in ("work", "time"):
        assert 0 < found["lost", method] < 1
        assert found["largest_detour", method] >= found["median_detour", method] > 0
    (node,) = document["noise"]
    assert node["spectrum"]["blocks"] >= 4 and len(node["spectrum"]["power"]) > 100
    assert node["causes"] and all(text in document["notes"] for text in node["text"])
    traces = list(read_traces(tmp_path / "run"))
    assert len(traces) == 2 * 2 * 2 * len({trace.cpu for trace in traces})  # launches, blocks, methods


# --- the simulator plays it -------------------------------------------------------------------------------------------

CONSTANT = """name = "constant"
[messages]
startup = "70 us"
per_byte = "0.4 us/B"
"""


def computing_over_communicating(tmp_path: Path, *settings: str) -> tuple[float, float]:
    """A described machine's loop, as long as its exchange, over the exchange that it was made from; and that (s)."""
    (tmp_path / "constant.toml").write_text(CONSTANT)
    words = [word for setting in ("bytes=16777216", *settings) for word in ("--set", setting)]
    answer = assay("run", "overlap", "--on", str(tmp_path / "constant.toml"), "-n", "2", *words, "--json")
    assert answer.status == 0, answer.err
    found = {f["name"]: f["value"] for f in answer.document["figures"] if f["statistic"] == "median"}
    return found["computing"] / found["communicating"], found["communicating"]


def test_the_simulator_plays_what_a_run_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work takes 1 / (1 - lost) of its time, to within what one period loses."""
    monkeypatch.chdir(tmp_path)
    assert computing_over_communicating(tmp_path)[0] == pytest.approx(1, rel=1e-6)
    measured = assay("run", "noise", "--launches", "1", "--set", "threads=1", "--out", "stored", "--json")
    assert measured.status == 0, measured.err
    trace = processors(tmp_path / "stored")[0]
    blocks = [each for each in read_traces(tmp_path / "stored") if each.method == "work"]
    assert trace.seconds == pytest.approx(sum(each.seconds for each in blocks))
    assert trace.lost * trace.seconds == pytest.approx(sum(sum(each.length) for each in blocks))
    ratio, work = computing_over_communicating(tmp_path, "machine.node.noise=stored")
    assert ratio == pytest.approx(1 / (1 - trace.lost), abs=trace.lost * trace.seconds / work / (1 - trace.lost) + 1e-6)


def test_a_stored_detour_holds_the_simulated_loop_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two fifths of every millisecond are taken away: the loop takes five thirds of its time."""
    monkeypatch.chdir(tmp_path)
    taken = EVENT | {"seconds": 1e-3, "start": [1e-4], "length": [4e-4]}
    (tmp_path / "trace.jsonl").write_text(json.dumps(taken) + "\n")
    ratio, work = computing_over_communicating(tmp_path, "machine.node.noise=trace.jsonl")
    assert ratio == pytest.approx(5 / 3, abs=1e-3 / work)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "holds no trace of noise"),
        ([{**EVENT, "start": [0.0], "length": [0.5]}], "no time at all"),
        ([{**EVENT, "format": "another"}], "another format"),
    ],
)
def test_noise_that_cannot_be_played_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[dict[str, Any]], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "constant.toml").write_text(CONSTANT)
    (tmp_path / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for where, what in (("trace.jsonl", said), ("nowhere", "cannot be read")):
        answer = assay("run", "overlap", "--on", "constant.toml", "-n", "2", "--set", f"machine.node.noise={where}")
        assert answer.status == 2 and what in answer.err
