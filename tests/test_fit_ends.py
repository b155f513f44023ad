"""What a fit takes of several things at once: both directions, threads, overlap, a processor that takes in messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.described.machine_file import DescribedMachine, check
from assay.described.node_model import node_kernel
from assay.document.section import Section
from assay.fitting.chosen_cells import chosen_cells
from assay.fitting.from_run import FitSubject, FittedRun, fit_sections
from assay.published.cells.answers import play
from made_documents import section

PROCESSOR = {"node": {"intake": "processor"}, "progress": {"kind": "interrupt", "interrupt": "2 us"}}
HARDWARE = {"progress": {"kind": "hardware"}}


def machine(protocol: Sequence[Mapping[str, Any]], wire: float, **more: Any) -> DescribedMachine:
    """A crossbar of four nodes, `wire` ns for a byte."""
    ticks = dict.fromkeys(("flit_ticks", "body_ticks", "head_ticks"), f"{wire} ns")
    network = {"topology": "crossbar", "nodes": 4, "switching": "wormhole", "buffer_flits": 0, "cycle": "0.001 ns",
               "flit_bytes": 1.0, **ticks}  # fmt: skip
    return check(
        {"name": "truth", "network": network, "protocol": [dict(each) for each in protocol]} | more, Path("truth")
    )


def measured(of: DescribedMachine, benchmark: str) -> Section:
    """All figures of a benchmark on the machine."""
    settings: dict[str, Any] = {} if benchmark == "stream" else {"on_ranks": 2}
    if benchmark == "message-rate":
        settings["bytes"] = (8, 64, 128, 512, 2048, 4096, 16384)
    figures = play(of, benchmark, settings).figures
    return replace(section(benchmark, []), figures=[replace(each, benchmark=benchmark) for each in figures])


def fitted(of: DescribedMachine, *benchmarks: str) -> FittedRun:
    found = fit_sections([measured(of, each) for each in ("echo", *benchmarks)], FitSubject("truth", "r", 4))
    assert found is not None
    return found


def errors(of: DescribedMachine, found: FittedRun, benchmark: str, figure: str) -> dict[str, float]:
    """The relative error of the fitted description in each cell that the fit did not use."""
    sections = [measured(of, "echo"), measured(of, benchmark)]
    used = {each.key for each in chosen_cells(sections, 4).all}
    tables = found.as_tables()
    played = measured(check(HARDWARE | tables, Path("fit")), benchmark).figures
    again = {each.params: each.value or 0.0 for each in played if each.name == figure and each.main}
    truth = [each for each in sections[1].figures if each.name == figure and each.main and each.value]
    return {
        str(dict(each.params)): abs(again[each.params] / (each.value or 1) - 1)
        for each in truth
        if each.key not in used
    }


def named(found: FittedRun, what: str) -> list[str]:
    return [each for each in found.known.not_determined if what in each]


@pytest.mark.parametrize(("copy", "receive_copy", "wire"), [(0.4, 0.4, 0.2), (0.5, 0.3, 0.2), (0.1, 0.0, 0.9)])
def test_both_directions_at_once_show_what_both_ends_copy(copy: float, receive_copy: float, wire: float) -> None:
    """A byte takes 1 ns alone in the first two, and 0.8 ns both ways at once, as a processor copies for both."""
    protocol = {
        "startup": "1000 ns",
        "receive": "600 ns",
        "copy": f"{copy} ns/B",
        "receive_copy": f"{receive_copy} ns/B",
    }
    truth = machine([protocol], wire)
    found = fitted(truth, "bandwidth")
    missed = errors(truth, found, "bandwidth", "rate")
    assert any("'directions': 2" in each for each in missed) and max(missed.values()) < 0.08, missed
    assert max(errors(truth, found, "echo", "half_round_trip").values()) < 0.01
    entry = found.tables["protocol"][0]
    if receive_copy:
        assert float(entry["copy"].split()[0]) == pytest.approx(copy, rel=0.1)
        assert float(entry["receive_copy"].split()[0]) == pytest.approx(receive_copy, rel=0.1)
        assert ("protocol.0.receive_copy",) in {each.keys for each in found.known.numbers}
    assert not named(found, "both directions")


def test_without_both_directions_their_absence_is_named() -> None:
    plain = {"startup": "1000 ns", "receive": "600 ns"}
    assert named(fitted(machine([plain], 1.0), "message-rate"), "both directions at once: no bandwidth")


def test_a_processor_that_takes_in_what_comes_is_shown_by_its_gaps() -> None:
    """Messages of more than 256 B ask first, which interrupts the receiver; their gap has that, and the receive."""
    eager = {"up_to": "256 B", "startup": "1 us", "receive": "3 us"}
    truth = machine([eager, {"startup": "3 us", "receive": "3 us", "handshake": True}], 1.0, **PROCESSOR)
    found = fitted(truth, "message-rate", "loggp")
    assert found.tables["node"]["intake"] == "processor"
    assert found.tables["protocol"][-1]["handshake"] is True and "handshake" not in found.tables["protocol"][0]
    (interrupt,) = [each for each in found.known.numbers if each.keys == ("progress.interrupt",)]
    assert interrupt.value == pytest.approx(2e-6, rel=0.15)
    assert max(errors(truth, found, "message-rate", "message_rate").values()) < 0.05
    assert max(errors(truth, found, "echo", "half_round_trip").values()) < 0.03


def test_an_interface_that_takes_in_what_comes_is_not_taken_for_a_processor() -> None:
    for startup, receive in ((1, 3), (3, 1), (2, 2)):
        truth = machine([{"startup": f"{startup} us", "receive": f"{receive} us"}], 1.0)
        assert "intake" not in fitted(truth, "message-rate", "loggp", "fan-in").tables.get("node", {})


@pytest.mark.parametrize("kind", ["calls", "hardware"])
def test_overlap_shows_how_messages_progress(kind: str) -> None:
    """Where requests are answered only inside of calls, a computation does not hide the data of long messages."""
    eager = {"up_to": "1 KiB", "startup": "1 us", "receive": "1 us"}
    truth = machine([eager, {"startup": "1.5 us", "receive": "1 us", "handshake": True}], 1.0, progress={"kind": kind})
    found = fitted(truth, "message-rate", "overlap")
    assert found.tables["progress"]["kind"] == kind
    assert max(errors(truth, found, "overlap", "together").values()) < 0.1
    assert max(errors(truth, found, "echo", "half_round_trip").values()) < 0.02
    assert not named(found, "beside a computation")


def test_threads_share_the_memory_that_the_most_of_them_reach() -> None:
    truth = machine([{"startup": "1 us"}], 1.0, node={"threads": 8}, compute={
        "rate": {"stream": "10000 MB/s"}, "shared": {"stream": "25000 MB/s"}})  # fmt: skip
    found = fitted(truth, "stream")
    assert found.tables["node"]["threads"] == 8
    described = check(found.as_tables(), Path("fit"))
    takes = node_kernel(described, "stream")
    assert not isinstance(takes, str)
    assert [takes.rate(each) for each in (1, 2, 3, 8)] == pytest.approx([10e9, 20e9, 25e9, 25e9], rel=0.001)
    missed = errors(truth, found, "stream", "rate")
    assert any("'threads': 2" in each for each in missed) and max(missed.values()) < 0.001
    assert {("compute.rate.stream",), ("compute.shared.stream",)} <= {each.keys for each in found.known.numbers}
    free = machine([{"startup": "1 us"}], 1.0, node={"threads": 4}, compute={"rate": {"stream": "10000 MB/s"}})
    assert "shared" not in fitted(free, "stream").tables["compute"]


def test_what_pairs_do_at_once_and_what_no_description_has_are_named_with_their_numbers() -> None:
    truth = machine([{"startup": "1 us", "receive": "1 us"}], 1.0)
    rates = measured(truth, "message-rate")
    two = [replace(each, params=each.params | {"pairs": 2}) for each in rates.figures]
    found = fit_sections(
        [measured(truth, "echo"), replace(rates, figures=[*rates.figures, *two])], FitSubject("t", "r", 4)
    )
    assert found is not None
    (text,) = named(found, "several pairs at once")
    assert "2 pairs passed 1 times what one does" in text
    assert named(found, "bus that messages and computing share") and named(found, "spread between runs")
