"""The barrier of ranks: closed forms on the constant machine, and what a leaky one is told."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmark.record import programs_root, take_in
from assay.described.machine_file import DescribedMachine
from command_line import assay
from compiled import own_cache
from started import play, words

MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "0 s/B"}}
).for_core()


def played(ranks: int, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in play("barrier", MACHINE, ranks, list(arguments)).splitlines()]


def times(events: list[dict[str, Any]]) -> dict[tuple[str, int], float]:
    return {
        (event["case"]["algorithm"], event["case"]["ranks"]): event["values"][0]
        for event in events
        if event["event"] == "block"
    }


@settings(max_examples=25, deadline=None)
@given(ranks=st.integers(2, 150), seed=st.integers(0, 1000))
def test_rounds_are_those_of_the_algorithm(ranks: int, seed: int) -> None:
    """A message costs 10 us whoever sends it; both ways at once where both speak at once."""
    events = played(ranks, "--seed", str(seed))
    assert all(event["passed"] for event in events if event["event"] == "check")
    seen = times(events)
    assert {among for _, among in seen} == {2**k for k in range(1, ranks.bit_length()) if 2**k < ranks} | {ranks}
    for (algorithm, among), time in seen.items():
        rounds, cube = math.ceil(math.log2(among)), among.bit_length() - 1
        folded = 0 if among == 2**cube else 2
        expected = {
            "dissemination": rounds,
            "recursive doubling": cube + folded,
            "dimension exchange": 2 * cube + folded,
            "library": rounds,  # this machine says nothing of one: dissemination by messages
        }
        if algorithm in expected:
            assert time == pytest.approx(1e-5 * expected[algorithm], abs=1e-12), (algorithm, among)
        elif folded == 0:
            assert time == pytest.approx(2e-5 * rounds, abs=1e-12)


def test_one_repetition_or_several_and_ranks_as_given() -> None:
    events = played(9, "--set", "ranks=3,8", "--set", "algorithm=dissemination", "--repetitions", "3")
    blocks = [event for event in events if event["event"] == "block"]
    assert {event["case"]["ranks"] for event in blocks} == {3, 8}
    assert all(event["values"] == [event["values"][0]] * 3 for event in blocks)


@pytest.mark.parametrize("ranks", ["1", "10"])
def test_as_many_as_cannot_take_part_are_refused(ranks: str) -> None:
    with pytest.raises(ValueError, match=rf"ranks: .*; got '{ranks}', expected 0 \(all\), 2 to 9"):
        played(9, "--set", f"ranks={ranks}")


@pytest.mark.nightly
def test_one_that_some_of_very_many_ranks_leave_too_early_is_invalid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round is left out; beyond 65,536 ranks none of them comes late on purpose, so that the witnesses alone know."""
    text = (programs_root() / "ranks" / "barrier.hpp").read_text().replace('name = "barrier"', 'name = "leaky"', 1)
    # Else those that the simulator was compiled with serve both.
    names = ("rows", "barrier_dissemination", "Barrier")
    renamed = "".join(f"#define {name} leaky_{name}\n" for name in names)
    leaky = tmp_path / "leaky.hpp"
    leaky.write_text(f"#define ASSAY_BREAK\n{renamed}{text}")
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache(tmp_path / "cache")))
    monkeypatch.chdir(tmp_path)
    take_in(leaky)
    given = ("machine.network.dimension=17", "algorithm=dissemination", "timing=window,back to back", "repetitions=2")
    sets = [word for each in given for word in ("--set", each)]
    ran = assay("run", "leaky", "--on", "ipsc860", "-n", "131072", "--launches", "1", *sets, "--json")
    assert ran.status == 1, ran.err
    said = [each for each in ran.document["warnings"] if each.startswith("leaky: check failed")]
    assert len(said) == 2 and "2 of the readings had exits before all had entered" in " ".join(said)
    assert [figure["state"] for figure in ran.document["figures"]] == ["invalid"] * 2


def test_a_rank_of_a_large_barrier_is_small() -> None:
    """Bytes a rank at the peak, everything counted, from the growth of this process between two sizes."""
    import subprocess
    import sys

    given = words("barrier", "--set", "algorithm=dissemination")

    def peak(ranks: int) -> int:
        code = (
            "import resource; from assay._core import ranks\n"
            f"ranks.play('barrier', {MACHINE!r}, {ranks}, {given!r})\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        return 1024 * int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)

    assert (peak(70_000) - peak(6_000)) / 64_000 < 2048
