"""Bandwidth of pairs: closed forms by direction and pairs, one-sided data on described machines and MPI, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from assay.execute.build import build
from command_line import assay
from mpis_here import MPI, start_ranks
from started import play, words

A, B, WINDOW = 1e-5, 1e-9, 16
MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
).for_core()


def events(machine: dict[str, Any], ranks: int, *given: str) -> list[dict[str, Any]]:
    set_words = [word for each in given for word in ("--set", each)]
    return [json.loads(line) for line in play("bandwidth", machine, ranks, set_words).splitlines()]


@pytest.mark.parametrize("means", ["message", "put", "get"])
@pytest.mark.parametrize("length", [8, 1000, 65536])
def test_two_directions_take_as_long_as_one_where_nothing_is_shared(length: int, means: str) -> None:
    """A sender's messages follow one another at A + B n; then a word back, unless it knows. Pairs begin together."""
    found = events(MACHINE, 9, f"means={means}", f"bytes={length}")
    times = {(e["case"]["directions"], e["case"]["pairs"]): e["values"] for e in found if e["event"] == "block"}
    window = WINDOW * (A + B * length)
    assert times[1, 1] == [pytest.approx(window + (A if means == "message" else 0))]
    assert times[2, 1] == [pytest.approx(window + A)]
    assert set(times) == {(directions, pairs) for directions in (1, 2) for pairs in (1, 2, 3, 4)}
    for (directions, _), time in times.items():
        assert time == times[directions, 1]
    assert all(e["passed"] for e in found if e["event"] == "check")


def test_the_rate_is_that_of_all_directions() -> None:
    """On the example of 70 us and 0.4 us per byte: a window and a word back."""
    where = ("--on", str(Path(__file__).parent.parent / "examples" / "constant.toml"), "-n", "2")
    made = assay("run", "bandwidth", *where, "--set", "means=message", "--set", "bytes=1000", "--json")
    assert made.status == 0, made.err
    rates = {f["params"]["directions"]: f["value"] for f in made.document["figures"] if f["name"] == "rate"}
    window = WINDOW * (70e-6 + 1000 * 0.4e-6)
    assert rates == {d: pytest.approx(d * WINDOW * 1000 / (window + 70e-6)) for d in (1, 2)}


def test_one_sided_access_where_the_description_prices_it() -> None:
    machine = open_described("paragon-mp", {}).for_core(1)
    found = events(machine, 6, "means=put,get", "bytes=8,4096", "pairs=1,3")
    checks = [e for e in found if e["event"] == "check"]
    assert len(checks) == 2 * 2 * 2 * 2 and all(e["passed"] for e in checks)


@pytest.mark.parametrize(
    ("machine", "means", "said"),
    [
        ("fat-tree-hdr", "put", "not described: .one_sided."),
        ("paragon-mp", "accumulate", "adding to another's memory takes is not described"),
    ],
)
def test_what_is_not_described_is_refused_in_one_line(machine: str, means: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        events(open_described(machine, {}).for_core(1), 4, f"means={means}")
    assert "\n" not in str(caught.value)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_right_data_by_every_means_on_mpi() -> None:
    """1004 bytes are no whole words: accumulates leave them out, and say so."""
    assert MPI is not None
    program = build([benchmark("bandwidth")], mpi=MPI)["bandwidth"].path
    given = ["--set", "bytes=8,1004,20000", "--blocks", "1", "--repetitions", "2", "--deadline", "100"]
    ended = start_ranks(MPI, 5, program, *words("bandwidth", *given))
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert ended.returncode == 0, ended.stderr
    checks = [e for e in found if e["event"] == "check"]
    cases = {tuple(e["case"][key] for key in ("means", "bytes", "directions", "pairs")) for e in checks}
    lengths = {means: {8, 1004, 20000} for means in ("message", "put", "get")} | {"accumulate": {8, 20000}}
    assert cases == {(m, b, d, p) for m, of in lengths.items() for b in of for d in (1, 2) for p in (1, 2)}
    assert all(e["passed"] for e in checks)
    assert any("whole 8-byte words" in e["text"] for e in found if e["event"] == "skip")
