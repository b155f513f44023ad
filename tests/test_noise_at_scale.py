"""What noise adds to bulk-synchronous steps: its growth with the ranks, with independent exponential detours."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from command_line import assay
from mpis_here import MPI
from pulses import pulses

WORK, RATE, MEAN = 1e-3, 20.0, 2e-5  # s of computing in a step; detours a second of computing, their mean length (s)
TURNS = 8  # launches of the measured pair of ranks
WIDEST = math.log(1.25)  # half of its interval, of logarithms
MACHINE = """name = "noisy"
[network]
topology = "crossbar"
nodes = 1024
cycle = "1 ns"
[[protocol]]
startup = "1 ns"
[barrier]
algorithm = "hardware"
step = "1 ns"
[node]
noise = "trace.jsonl"
"""


def exponential_trace(path: Path, seconds: float, seed: int, cpus: int = 1) -> None:
    """Detours after exponential times of computing, of exponential lengths, on each of so many processors."""
    random = np.random.default_rng(seed)
    with path.open("w") as file:
        for cpu in range(cpus):
            count = int(seconds * RATE)
            lengths = random.exponential(MEAN, count)
            gaps = random.exponential(1 / RATE, count)
            starts = np.cumsum(gaps) + np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
            whole = float(starts[-1] + lengths[-1] + 1 / RATE)
            about = {"event": "trace", "format": "assay noise 1", "case": {"method": "work"}, "block": 0}
            about |= {"thread": cpu, "cpu": cpu, "t0": 0.0, "seconds": whole, "quantum": 1e-6, "least": 1e-7}
            about |= {"tick": None, "start": starts.tolist(), "length": lengths.tolist(), "done": []}
            about |= {"interrupts": {}, "steal": 0.0, "involuntary": 0, "voluntary": 0, "host": "made"}
            file.write(json.dumps(about) + "\n")


def longest_delay(ranks: int) -> float:
    """The mean of the longest of so many independent delays (s), each a Poisson number of exponential detours.

    Detours begin within the computing, or before it and reach into it, which adds their mean length to it.
    """
    expected = RATE * (WORK + MEAN)
    weights = stats.poisson.pmf(np.arange(8), expected)

    def beyond(delay: float) -> float:
        shorter = weights[0] + sum(
            weight * stats.gamma.cdf(delay / MEAN, count) for count, weight in enumerate(weights[1:], 1)
        )
        return float(1 - shorter**ranks)

    return float(integrate.quad(beyond, 0, 40 * MEAN, limit=200)[0])


def steps(folder: Path, ranks: int, count: int, *words: str) -> dict[str, Any]:
    answer = assay(
        "run", "bulk-synchronous", "--on", str(folder / "noisy.toml"), "-n", str(ranks), "--set", f"work={WORK}",
        "--set", f"steps={count}", *words, "--out", str(folder / f"run-{ranks}-{len(words)}"), "--json",
    )  # fmt: skip
    assert answer.status == 0, answer.err
    return {f["name"]: f["value"] for f in answer.document["figures"] if f["statistic"] == "median"}


def test_growth_is_that_of_the_longest_of_independent_exponential_delays(tmp_path: Path) -> None:
    (tmp_path / "noisy.toml").write_text(MACHINE)
    exponential_trace(tmp_path / "trace.jsonl", 500, 1)
    added = {}
    for ranks, count in ((2, 4000), (32, 1000), (1024, 300)):
        found = steps(tmp_path, ranks, count)
        added[ranks] = found["time"] - WORK
        expected = longest_delay(ranks)
        # The longest of n exponential delays varies by about 1.3 of their mean, and each of few delays by its own.
        busy = min(1.0, ranks * RATE * WORK)
        error = 1.3 * MEAN * math.sqrt(busy / count) + 0.03 * expected
        assert added[ranks] == pytest.approx(expected, abs=3 * error), ranks
    assert added[1024] > 1.5 * added[32] > 3 * added[2]


def test_without_noise_a_step_is_its_computing(tmp_path: Path) -> None:
    quiet = MACHINE.replace('[node]\nnoise = "trace.jsonl"\n', "")
    (tmp_path / "noisy.toml").write_text(quiet)
    found = steps(tmp_path, 64, 20)
    assert found["time"] == pytest.approx(WORK, rel=1e-4) and found["slowdown"] == pytest.approx(0, abs=1e-9)


def test_a_study_says_what_noise_adds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without, from the machine's file; what it adds is the ratio of both."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noisy.toml").write_text(MACHINE)
    exponential_trace(tmp_path / "trace.jsonl", 100, 2, cpus=2)
    (tmp_path / "study.toml").write_text(
        '[study]\ntitle = "Noise at scale"\n[machine]\non = "noisy.toml"\n[[program]]\nbenchmark = "bulk-synchronous"\n'
        f"set = {{ work = {WORK}, steps = 200 }}\n[sweep]\nranks = [16, 256]\nnoise = [true, false]\n"
    )
    document = assay("study", "study.toml", "--json").document
    times = {
        (point["setting"]["ranks"], point["setting"]["noise"]): figure["value"]
        for point in document["points"]
        for figure in point["figures"]
        if figure["name"] == "time"
    }
    added = {each["setting"]["ranks"]: each["share"] for each in document["noise"] if each["name"] == "time"}
    assert added == {ranks: pytest.approx(times[ranks, True] / times[ranks, False] - 1) for ranks in (16, 256)}
    assert added[256] > added[16] > 0
    assert times[256, False] == pytest.approx(WORK, rel=1e-4)
    assert "what noise adds:" in assay("study", "study.toml").out


def test_further_nodes_have_the_noise_at_other_moments(tmp_path: Path) -> None:
    """One detour of a tenth of each period: two ranks of one trace are rarely held up by it in the same step."""
    (tmp_path / "noisy.toml").write_text(MACHINE)
    about: dict[str, Any] = {"event": "trace", "format": "assay noise 1", "case": {"method": "work"}, "block": 0}
    about |= {"thread": 0, "cpu": 0, "t0": 0.0, "seconds": 0.1, "quantum": 1e-6, "least": 1e-7, "tick": None}
    about |= {"start": [0.05], "length": [0.01], "done": [], "interrupts": {}, "steal": 0, "involuntary": 0}
    (tmp_path / "trace.jsonl").write_text(json.dumps(about | {"voluntary": 0}) + "\n")
    by_ranks = {ranks: steps(tmp_path, ranks, 1000)["time"] for ranks in (2, 8)}
    for ranks, time in by_ranks.items():  # a period of a rank has one detour; those of others come at other times
        most = WORK + ranks * 0.01 * WORK / 0.09
        assert WORK + 0.01 * WORK / 0.1 < time < most * 1.05
    assert by_ranks[8] > by_ranks[2] + 2 * 0.01 * WORK / 0.1


@pytest.mark.nightly  # a quiet machine
@pytest.mark.measures
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_noise_that_was_measured_gives_the_slowdown_that_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two ranks under planted noise: the simulated step lies in the range that a further launch may have.

    Noise and steps are measured in turn; the interval is that of one more launch, by the logarithms of as many launches
    (Student's t), with those of as many simulated ones in it. Noise is planted as pulses on each processor: beside a
    process that is always busy, a launch depends on which processor the kernel gives that process for seconds.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    (tmp_path / "here.toml").write_text(
        'name = "here"\n[messages]\nstartup = "0.3 us"\nper_byte = "0.1 ns/B"\n[node]\nnoise = "noise"\n'
    )
    measured: list[float] = []
    simulated: list[float] = []
    asked = ("bulk-synchronous", "-n", "2", "--set", f"work={WORK}", "--set", "steps=1000")
    noise = ("noise", "--profile", "standard", "--launches", "1", "--set", "method=work", "-q")
    with pulses():
        for turn in range(TURNS):
            made = assay("run", *noise, "--out", f"noise-{turn}")
            assert made.status in (0, 1), made.err
            on = ("--on", "here.toml", "--set", f"machine.node.noise=noise-{turn}")
            for words, found in ((("--launches", "1"), measured), (on, simulated)):
                answer = assay("run", *asked, *words, "--out", f"{len(words)}-{turn}", "--json")
                figures = {f["name"]: f["value"] for f in answer.document["figures"] if f["statistic"] == "median"}
                assert figures.get("time"), answer.err
                found.append(math.log(figures["time"] / WORK))
    own, other = float(np.var(measured, ddof=1)), float(np.var(simulated, ddof=1))
    half = float(stats.t.ppf(0.975, TURNS - 1)) * math.sqrt(own + (own + other) / TURNS)
    print(f"measured {np.exp(measured)}, simulated {np.exp(simulated)}, half of the interval {half:.3f}")
    assert np.mean(measured) > math.log(1.2)  # or nothing was to be reproduced
    assert half < WIDEST, "launches differ too much: this machine is not quiet"
    assert np.mean(simulated) == pytest.approx(np.mean(measured), abs=half)
