"""What a fit takes of other benchmarks than the echo: the division of a message's time, and kernels' rates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.described.machine_file import DescribedMachine, check
from assay.described.node_model import node_kernel
from assay.document.section import Section
from assay.fitting.from_run import FitSubject, FittedRun, fit_sections
from assay.published.cells.answers import play
from made_documents import section

SETTINGS: dict[str, dict[str, Any]] = {
    "echo": {"on_ranks": 2},
    "message-rate": {"on_ranks": 2},
    "loggp": {"on_ranks": 2},
    "fan-in": {"on_ranks": 4, "neighbours": 3},
    "bandwidth": {"on_ranks": 2},
    "self": {"on_ranks": 1},
    "linpack": {},
    "vectors": {},
}


def machine(startup: float, receive: float, copy: float, wire: float, **more: Any) -> DescribedMachine:
    """A crossbar of four nodes: times in ns and ns/B."""
    ticks = dict.fromkeys(("flit_ticks", "body_ticks", "head_ticks"), f"{wire} ns")
    network = {"topology": "crossbar", "nodes": 4, "switching": "wormhole", "buffer_flits": 0, "cycle": "0.001 ns",
               "flit_bytes": 1.0, **ticks}  # fmt: skip
    protocol = {"startup": f"{startup} ns", "receive": f"{receive} ns", "copy": f"{copy} ns/B"} | more
    return check(
        {
            "name": "truth", "network": network, "protocol": [protocol], "progress": {"kind": "hardware"},
            "self": [{"startup": "300 ns", "copy": "0.2 ns/B"}],
            "compute": {"rate": {"linpack": "700 Mflop/s", "add": "120 Mflop/s"}},
        },
        Path("truth"),
    )  # fmt: skip


def measured(of: DescribedMachine, benchmark: str) -> Section:
    figures = play(of, benchmark, SETTINGS[benchmark]).figures
    return replace(section(benchmark, []), figures=[replace(each, benchmark=benchmark) for each in figures])


def fitted(of: DescribedMachine, *benchmarks: str) -> FittedRun:
    found = fit_sections([measured(of, each) for each in ("echo", *benchmarks)], FitSubject("truth", "r", 4))
    assert found is not None
    return found


def error(of: DescribedMachine, found: FittedRun, benchmark: str, figure: str) -> float:
    """The greatest relative error of the fitted description in all cells of a benchmark."""
    again = {
        str(dict(each.params)): each.value
        for each in measured(
            check(found.as_tables() | {"progress": {"kind": "hardware"}}, Path("fit")), benchmark
        ).figures
        if each.name == figure and each.main
    }
    truth = [each for each in measured(of, benchmark).figures if each.name == figure and each.main and each.value]
    return max(abs((again[str(dict(each.params))] or 0) / (each.value or 1) - 1) for each in truth)


def test_without_another_benchmark_halves_are_assumed_and_named() -> None:
    found = fitted(machine(1500, 500, 0, 1))
    entry = found.tables["protocol"][0]
    assert entry["startup"] == entry["receive"]
    assert any("how a message's start-up divides" in each for each in found.known.not_determined)
    assert error(machine(1500, 500, 0, 1), found, "message-rate", "message_rate") > 0.3


@pytest.mark.parametrize("by", ["message-rate", "loggp", "bandwidth"])
def test_a_gap_gives_the_message_rate(by: str) -> None:
    truth = machine(1500, 500, 0, 1)
    found = fitted(truth, by)
    assert error(truth, found, "echo", "half_round_trip") < 0.01
    assert error(truth, found, "message-rate", "message_rate") < 0.06
    assert not any("divides" in each for each in found.known.not_determined)
    (keys,) = [each for each in found.known.numbers if each.keys == ("protocol.0.startup",)]
    assert keys.interval[0] / 1.06 <= 1.5e-6 <= keys.interval[1] * 1.06


def test_a_slow_receiver_is_shown_by_fan_in_and_by_its_overhead() -> None:
    truth = machine(1000, 3000, 0, 1)
    for by in (("fan-in",), ("loggp",), ("message-rate", "loggp", "fan-in", "bandwidth")):
        found = fitted(truth, *by)
        assert error(truth, found, "fan-in", "rate") < 0.06, by
        assert error(truth, found, "message-rate", "message_rate") < 0.06, by


def test_a_send_that_returns_early_is_buffered() -> None:
    assert fitted(machine(1500, 500, 0, 1, buffered=True), "loggp").tables["protocol"][0]["buffered"] is True
    assert "buffered" not in fitted(machine(1500, 500, 0, 1), "loggp").tables["protocol"][0]


def test_bytes_that_pass_faster_in_a_stream_than_alone_are_copied_before() -> None:
    """The echo has 1.5 ns for a byte; in a stream the sender copies one message while another passes in 1 ns a byte."""
    truth = machine(1000, 500, 0.5, 1)
    found = fitted(truth, "bandwidth")
    assert float(found.tables["network"]["flit_ticks"].split()[0]) == pytest.approx(1, rel=0.02)
    assert float(found.tables["protocol"][0]["copy"].split()[0]) == pytest.approx(0.5, rel=0.05)
    assert error(truth, found, "bandwidth", "rate") < 0.06
    assert error(truth, found, "echo", "half_round_trip") < 0.02


def test_a_rank_s_own_messages_and_its_kernels_are_described() -> None:
    truth = machine(1500, 500, 0, 1)
    found = fitted(truth, "self", "linpack", "vectors")
    assert error(truth, found, "self", "time") < 0.01
    described = check(found.as_tables(), Path("fit"))
    for kernel, rate in (("linpack", 700e6), ("add", 120e6)):
        takes = node_kernel(described, kernel)
        assert not isinstance(takes, str) and takes.rate() == pytest.approx(rate, rel=0.01), kernel
    names = {key for each in found.known.numbers for key in each.keys}
    assert {"self.0.startup", "self.0.copy", "compute.rate.linpack", "compute.rate.add"} <= names


def test_messages_within_a_node_and_between_nodes_are_two_paths() -> None:
    """Both were measured: those between nodes are the protocol, those within one [[self]]."""
    far, close = measured(machine(5000, 5000, 0, 1), "echo"), measured(machine(100, 100, 0, 0.1), "echo")
    figures = [
        replace(each, params=each.params | {"placement": where})
        for of, where in ((far, "other node"), (close, "same socket"))
        for each in of.figures
    ]
    found = fit_sections([replace(far, figures=figures)], FitSubject("truth", "r", ranks=4, nodes=3))
    assert found is not None
    assert found.tables["node"] == {"processors": 4} and found.tables["network"]["nodes"] == 3
    described = check(found.as_tables(), Path("fit"))
    for per_node, truth in ((1, far), (2, close)):
        settings = {"on_ranks": 2, "per_node": per_node, "bytes": (8, 1024, 65536)}
        times = {each.params["bytes"]: each.value for each in play(described, "echo", settings).figures
                 if each.name == "half_round_trip" and each.main}  # fmt: skip
        expected = {each.params["bytes"]: each.value for each in truth.figures if each.name == "half_round_trip"}
        assert times == {size: pytest.approx(expected[size], rel=0.02) for size in times}
