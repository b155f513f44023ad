"""A larger laboratory predicted by a model of a small one, and built: the example, and the whole of it at night."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import laboratories
from command_line import assay

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "laboratory" / "larger.toml"
BENCHMARKS = {"ring": "time", "fan-in": "rate", "alltoall": "time"}
LENGTHS = "bytes=4096,16384"
KEYS = ("bytes", "neighbours")  # of a case, beside the number of ranks
Case = tuple[str, int, tuple[Any, ...]]


def predicted(study: Path, *words: str) -> dict[Case, Mapping[str, Any]]:
    """The study's figures by benchmark, number of ranks and case."""
    answer = assay("study", str(study), *words, "--json")
    assert answer.status == 0, answer.err
    return {
        (each["benchmark"], point["ranks"], tuple(each["params"].get(key) for key in KEYS)): each
        for point in answer.document["points"]
        for each in point["figures"]
    }


def test_the_example_answers_with_intervals() -> None:
    """More hosts take longer for a ring and for all to all, and a rank hears from more neighbours at once."""
    found = predicted(EXAMPLE, "--quick")
    assert {ranks for _, ranks, _ in found} == {4, 8, 16}
    assert all(each["low"] <= each["value"] <= each["high"] for each in found.values())
    for name in ("ring", "alltoall"):
        for length in (4096, 16384):
            times = [found[name, ranks, (length, None)]["value"] for ranks in (4, 8, 16)]
            assert times == sorted(times)


@pytest.mark.nightly
@pytest.mark.paced
@pytest.mark.timeout(1800)
@pytest.mark.skipif(laboratories.OBSTACLE is not None, reason=f"no laboratory: {laboratories.OBSTACLE}")
def test_a_larger_laboratory_does_what_the_small_one_s_model_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ring and fan-in of 8 and 16 hosts: median error at most 10%, worst 30%; all to all is printed without a bar."""
    monkeypatch.chdir(tmp_path)
    with laboratories.up("hypercube:2") as name:
        words = ("--set", "bytes=1024,1448,2048,4096,8192,12000,16384,32768", "--set", "repetitions=5")
        run = assay("run", "echo", "--via", f"lab:{name}", "--launches", "4", *words, "--out", "small")
        assert run.status in (0, 1), run.err
    assert assay("fit", "small", "-o", "small.toml", "-q").status == 0
    checked = assay("predict", "small.toml", "small", "-o", "small.toml", "--json")
    assert checked.status == 0, checked.err
    assert checked.document["refusal"] is None, checked.document["refusal"]
    Path("larger.toml").write_text(EXAMPLE.read_text())
    expected = predicted(Path("larger.toml"))
    errors: dict[str, list[float]] = {each: [] for each in BENCHMARKS}
    covered = 0
    for dimension in (3, 4):
        with laboratories.up(f"hypercube:{dimension}") as name:
            for benchmark, figure in BENCHMARKS.items():
                scheme = ("--set", "scheme=token") if benchmark == "ring" else ()
                words = ("--launches", "1", "--set", LENGTHS, *scheme, "--set", "repetitions=8")
                run = assay("run", benchmark, "--via", f"lab:{name}", *words, "--out", f"{benchmark}-{dimension}",
                            "--json")  # fmt: skip
                assert run.status in (0, 1), run.err
                for each in run.document["figures"]:
                    key = (benchmark, 1 << dimension, tuple(each["params"].get(key) for key in KEYS))
                    if each["name"] != figure or each["statistic"] != "median" or key not in expected:
                        continue
                    of, value = expected[key], each["value"] or each["best"]
                    errors[benchmark].append(of["value"] / value - 1)
                    covered += of["low"] <= value <= of["high"]
    print(json.dumps(errors), f"{covered} of {sum(map(len, errors.values()))} within their intervals")
    judged = sorted(abs(each) for name in ("ring", "fan-in") for each in errors[name])
    assert len(judged) >= 12
    assert judged[len(judged) // 2] < 0.1 and judged[-1] < 0.3
