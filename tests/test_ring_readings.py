"""Readings of a ring's step follow one another on a described machine: ranks that share links drift apart."""

from __future__ import annotations

import json
from pathlib import Path

from assay.laboratory.specification import specification
from assay.laboratory.twin import text
from command_line import assay


def readings(folder: Path, scheme: str) -> list[float]:
    """Ten of 9 ranks on a mesh, where some ways of the Gray-code ring share links (s)."""
    (folder / "mesh.toml").write_text(text(specification("lab", "mesh:3x3", "4Mbit", None, [])))
    words = ("--set", "bytes=32768", "--set", f"scheme={scheme}", "--set", "repetitions=10")
    run = folder / scheme
    answer = assay("run", "ring", "--on", str(folder / "mesh.toml"), "-n", "9", *words, "--out", str(run))
    assert answer.status == 0, answer.err
    lines = [json.loads(line) for file in (run / "launches").glob("*.jsonl") for line in file.read_text().splitlines()]
    return [value for each in lines if each["event"] == "block" for value in each["values"]]


def test_steps_of_a_ring_queue_behind_earlier_ones(tmp_path: Path) -> None:
    """As measured on a laboratory, in ms: 71.4, 71.5, 71.9, 73.5, 72.8, 140, 145, 147, 215, 142."""
    steps = readings(tmp_path, "shift")
    measured = [0.0714, 0.0715, 0.0719, 0.0735, 0.0728, 0.1403, 0.1447, 0.1466, 0.2147, 0.1415]
    assert all(abs(step / wanted - 1) < 0.05 for step, wanted in zip(steps, measured, strict=True)), steps
    tokens = readings(tmp_path, "token")
    assert max(tokens) < 1.001 * min(tokens)
