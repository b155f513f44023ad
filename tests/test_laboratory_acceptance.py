"""Acceptance of laboratories whose truth is known: one with a slowed link is rejected or not shown, never accepted."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import laboratories
from command_line import assay

pytestmark = [
    pytest.mark.paced,
    pytest.mark.nightly,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(laboratories.OBSTACLE is not None, reason=f"no laboratory: {laboratories.OBSTACLE}"),
]
CUBE = [f"n{a}-n{a | 1 << bit}" for a in range(8) for bit in range(3) if not a >> bit & 1]
SHARE = 0.8  # of the twin's rate: with a link at half its rate all to all has two thirds
TRIALS = 4


def contract(folder: Path) -> Path:
    """All to all, whose messages pass over every link, at a part of the rate that the described twin has."""
    with laboratories.up("hypercube:3", "--twin", str(folder / "twin.toml")):
        pass
    words = ("--set", "bytes=65536", "--out", str(folder / "twin"), "--json")
    played = assay("run", "alltoall", "--on", str(folder / "twin.toml"), "-n", "8", *words)
    assert played.status == 0, played.err
    rate = next(each["value"] for each in played.document["figures"] if each["name"] == "rate")
    file = folder / "contract.toml"
    file.write_text(
        '[[requirement]]\nname = "all links"\nbenchmark = "alltoall"\nfigure = "rate"\ncase = { bytes = 65536 }\n'
        f'at_least = "{SHARE * rate:.6g} B/s"\nindifference = "15%"\nspread = "3%"\n'
    )
    return file


def acceptance(file: Path, folder: Path, *slow: str) -> Any:
    with laboratories.up("hypercube:3", *slow) as name:
        answer = assay("accept", str(file), "--via", f"lab:{name}", "--out", str(folder), "--json")
    assert answer.status in (0, 3, 4), answer.err
    return answer.document


def test_a_slowed_link_is_never_accepted(tmp_path: Path) -> None:
    """Any link; and as a laboratory without one is not rejected, that is no contract that nothing meets."""
    file, dice = contract(tmp_path), random.Random(5)
    clean = acceptance(file, tmp_path / "clean")
    assert clean["verdict"] != "rejected", clean
    for trial, slow in enumerate(dice.sample(CUBE, TRIALS)):
        found = acceptance(file, tmp_path / f"slow{trial}", "--slow", f"{slow}=0.5")
        print(slow, found["verdict"], found["requirements"][0]["value"], found["requirements"][0]["limit"])
        assert found["verdict"] in ("rejected", "not shown"), (slow, found)
