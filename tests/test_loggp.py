"""LogGP's probes find what a description says, each parameter by itself; on MPI they are of one host."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analysis.figures import CaseSamples, figures
from assay.benchmark.record import benchmark
from assay.case import Case
from assay.described.machine_file import DescribedMachine, load
from assay.report.derive.positivity import not_positive
from command_line import assay
from mpis_here import MPI
from started import play

FLITS = 10e-9  # s, more than two flits of 64 B at 25 GB/s take
CATALOGUE = Path(__file__).resolve().parent.parent / "src" / "assay" / "catalogue" / "machines"


def found(machine: Any, *given: str) -> dict[int, dict[str, float]]:
    """Each parameter's value by length."""
    made: dict[int, dict[str, float]] = {}
    for line in play("loggp", machine, 2, [word for each in given for word in ("--set", each)]).splitlines():
        event = json.loads(line)
        assert event["event"] != "check" or event["passed"], event
        if event["event"] == "block":
            made.setdefault(event["case"]["bytes"], {})[event["metric"]] = event["values"][0]
    return made


def test_a_processor_that_carries_each_message_has_no_latency() -> None:
    """The constant machine: o_s = alpha + beta N, the gap, too; nothing is left for the way or the receiver."""
    machine = DescribedMachine.model_validate({"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}})
    for length, of in found(machine.for_core(), "bytes=0,100,5000").items():
        one = 1e-5 + 1e-9 * length
        assert of["send_overhead"] == pytest.approx(one, rel=1e-6)
        assert of["gap"] == pytest.approx(one, rel=1e-6) and of["round_trip"] == pytest.approx(2 * one)
        assert not {"receive_overhead", "latency"} & set(of)


@pytest.mark.parametrize(("startup", "receive"), [("0.35 us", "0.25 us"), ("1.4 us", "0.25 us"), ("0.35 us", "2 us")])
def test_each_overhead_is_its_own_and_the_way_stays_the_same(startup: str, receive: str) -> None:
    """Of InfiniBand's fat tree: the sender's start-up, the receiver's share, and a way that depends on neither."""
    path = CATALOGUE / "fat-tree-hdr.toml"
    given = {"protocol.0.startup": startup, "protocol.0.receive": receive}
    usual, changed = (found(load(path, each).for_core(), "bytes=8")[8] for each in ({}, given))
    sends, receives = (1e-6 * float(text.split()[0]) for text in (startup, receive))
    assert sends <= changed["send_overhead"] <= sends + FLITS  # the call returns when the message has left
    assert changed["receive_overhead"] == pytest.approx(receives, rel=1e-3)
    assert changed["latency"] == pytest.approx(usual["latency"], abs=1e-10) and usual["latency"] > 0
    assert changed["gap"] == pytest.approx(max(sends, receives), rel=0.02)


def test_the_line_through_the_gaps_is_shown_with_the_parameters(own_folder: None) -> None:
    machine = str(CATALOGUE.parents[3] / "examples" / "constant.toml")
    made = assay("run", "loggp", "--on", machine, "-n", "2", "--json")
    assert made.status == 0, made.err
    assert {each["name"] for each in made.document["figures"]} == {"gap", "send_overhead", "round_trip"}
    line = next(each for each in made.document["fits"] if each["law"] == "alpha_beta")
    assert line["figure"] == "gap"
    assert (line["alpha"], line["beta"]) == (pytest.approx(70e-6, rel=1e-3), pytest.approx(0.4e-6, rel=1e-3))


def test_a_latency_that_is_none_is_not_given() -> None:
    """Three launches whose half round trips are less than both overheads by 20 to 50 ns; one length where more."""
    record = benchmark("loggp")
    launches = {bytes_: {("here", i): np.array([value]) for i, value in enumerate(values)}
                for bytes_, values in ((0, (-5e-8, -2e-8, -3e-8)), (8, (2e-7, 3e-7, 1e-7)))}  # fmt: skip
    cells = [CaseSamples("latency", Case({"bytes": each}), values, [], 1) for each, values in launches.items()]
    (made,) = [figure for figure in figures(record, cells) if figure.statistic == "median"]
    assert made.params["bytes"] == 8 and made.value == pytest.approx(2e-7)
    cells += [replace(cells[0], case=Case({"bytes": each})) for each in (1024, 64)]
    (line,) = not_positive(record, cells, [made])
    assert line.startswith("left out: latency of bytes 0 B, 64 B, 1 KiB: o_s and o_r hold the way itself")


@pytest.mark.measures
@pytest.mark.skipif(MPI is None, reason="needs an MPI")
def test_lengths_without_a_latency_are_named(own_folder: None) -> None:
    """Ranks of one host, whose calls copy the data themselves: what is given is more than nothing."""
    made = assay("run", "loggp", "-n", "2", "--launches", "1", "--set", "bytes=8,262144", "--json")
    assert made.status in (0, 1), made.err
    given = {each["params"]["bytes"]: each["value"] for each in made.document["figures"] if each["name"] == "latency"}
    assert all(value is None or value > 0 for value in given.values())  # None: invalid
    said = [note for note in made.document["notes"] if note.startswith("left out: latency of ")]
    gone = {8, 262144} - set(given)
    assert len(said) == bool(gone) and all(f"bytes {each}" in said[0] or "256" in said[0] for each in gone)
