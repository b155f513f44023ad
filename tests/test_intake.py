"""A receiving processor that takes in what comes, one at a time ([node] intake): laws, and what the papers find."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.described.machine_file import DescribedMachine
from assay.published.cells.answers import Played, play
from assay.validation.claims.streams import FANNED

FLIT = 40e-9  # s, a byte
INTERRUPT = 9e-6


def machine(startup: float, receive: float, long: bool, intake: str) -> DescribedMachine:
    network = {"topology": "crossbar", "nodes": 8, "switching": "circuit", "cycle": "1 ns", "flit_ticks": "40 ns",
               "head_ticks": "100 ns"}  # fmt: skip
    protocol = {"startup": f"{startup * 1e6} us", "receive": f"{receive * 1e6} us", "handshake": long}
    given: dict[str, Any] = {"name": "m", "network": network, "protocol": [protocol]}
    given |= {"node": {"intake": intake}, "progress": {"kind": "interrupt", "interrupt": "9 us"}}
    return DescribedMachine.model_validate(given)


def value(made: DescribedMachine, benchmark: str, figure: str, **more: Any) -> float:
    (found,) = (one.value for one in play(made, benchmark, more).figures if one.name == figure and one.value)
    return float(found)


micro = st.integers(1, 80).map(lambda us: us * 1e-6)


@settings(max_examples=20, deadline=None)
@given(startup=micro, receive=micro, long=st.booleans(), size=st.integers(1, 3000))
def test_an_echo_takes_as_long_but_for_the_interrupt_of_a_request(
    startup: float, receive: float, long: bool, size: int
) -> None:
    """Nothing else is under way: the parts follow each other, whoever moves the data."""
    by = [value(machine(startup, receive, long, intake), "echo", "half_round_trip", bytes=(size,), partner=1)
          for intake in ("processor", "interface")]  # fmt: skip
    assert by[0] - by[1] == pytest.approx(INTERRUPT if long else 0.0, abs=2e-9)


@settings(max_examples=20, deadline=None)
@given(startup=micro, receive=micro, long=st.booleans(), size=st.integers(1, 3000))
def test_many_senders_reach_what_the_processor_can_do_one_after_another(
    startup: float, receive: float, long: bool, size: int
) -> None:
    """A message costs it its bytes, its part of the receive and, where asked for, an interrupt: by hand, no simulator.

    Seven senders keep it busy where each takes at most four times as long; else the rate is less. Of the 84 messages
    that are timed each sender's first may have had its interrupt before.
    """
    each = size * FLIT + receive + (INTERRUPT if long else 0.0)
    rate = value(machine(startup, receive, long, "processor"), "fan-in", "rate", bytes=(size,), neighbours=(7,))
    ahead = 1 / (1 - 7 / 84) if long else 1.0
    assert rate <= size / each * ahead * 1.001
    if startup + 3 * size * FLIT + 1e-6 <= 4 * each:
        assert rate >= size / each * 0.98


def test_a_processor_that_takes_in_is_interrupted_and_is_no_interface_with_a_rate() -> None:
    network = {"topology": "crossbar", "nodes": 8, "cycle": "1 ns", "flit_ticks": 1, "head_ticks": 1}
    given: dict[str, Any] = {"name": "m", "network": network, "protocol": [{"startup": "1 us"}]}
    for kind, node in (("hardware", {}), ("interrupt", {"interface": "1 MB/s"})):
        made = {**given, "progress": {"kind": kind}, "node": {"intake": "processor", **node}}
        with pytest.raises(ValueError, match="interface has a rate" if node else "interrupted"):
            DescribedMachine.model_validate(made)


def ratio(machine: str, size: int, most: int, **where: int) -> float:
    found = Played().ask(machine, "fan-in", "rate", bytes=(size,), neighbours=(1, most), **where)
    one, all_of_them = sorted(found, key=lambda answer: answer.params["neighbours"])
    return all_of_them.value / one.value


@pytest.mark.parametrize("size", FANNED)
def test_further_senders_help_the_ncube_and_hardly_the_ipsc860(size: int) -> None:
    """Hypercube report, section 4.4: slightly, and markedly, for various sizes."""
    assert ratio("ipsc860", size, 6) < 1.25 < ratio("ncube6400", size, 6)


def test_on_the_delta_they_help_below_a_segment_alone() -> None:
    gains = {size: ratio("delta", size, 4, middle=33) for size in (16, 256, 512, 1024, 4096, 8192)}
    assert min(gains[16], gains[256]) > 1.2
    assert max(gains[size] for size in gains if size > 476) < 1.05


def test_a_request_of_the_delta_costs_the_printed_interrupt_and_gives_the_printed_rates() -> None:
    """11.9 MB/s chose which segments ask; 13.1 follow from 17 MB/s and 50 us, in both readings. It rises to 8 KiB."""
    played = Played()
    for name in ("delta", "delta:text"):
        found = {a.params["bytes"]: a.value for a in played.ask(name, "echo", "rate", bytes=(8192, 100000), hops=(1,))}
        assert found[8192] == pytest.approx(11.9e6, abs=0.05e6)
        assert found[100000] == pytest.approx(13.1e6, abs=0.05e6 if name == "delta" else 0.11e6)
    lengths = tuple(1 << power for power in range(3, 14))
    rates = [played.ask("delta", "echo", "rate", bytes=(size,), hops=(1,))[0].value for size in lengths]
    assert rates == sorted(rates)
