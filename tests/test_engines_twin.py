"""The packet and the flit engine against the twin, message by message, also where lanes share a wire."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

import twin_cases
from by_night import by_night

SEED = 20261121
MESSAGES = 300


def compare(cases: list[twin_cases.Case], folder: Path) -> list[str]:
    expected = twin_cases.play(twin_cases.twin(), cases, folder)
    return twin_cases.differences(cases, expected, twin_cases.play(twin_cases.engine(), cases, folder))


def cases(engine: str, switchings: tuple[str, ...], count: int) -> list[twin_cases.Case]:
    """The first networks whose switching is the engine's, to be played by it."""
    drawn = (twin_cases.case(number, SEED, MESSAGES) for number in range(10 * count))
    found = [one for one in drawn if one.keys["switching"] in switchings][:count]
    for one in found:
        one.keys["engine"] = engine
    return found


@pytest.mark.parametrize("networks", by_night([75, 150], [75]))
def test_the_flit_engine_is_the_twin_where_a_link_has_one_lane(networks: int, tmp_path: Path) -> None:
    given = cases("flit", ("wormhole",), networks)
    assert len({one.keys["topology"] for one in given}) > 9
    assert compare(given, tmp_path) == []


@pytest.mark.parametrize(("networks", "least"), by_night([(75, 10), (150, 20)], [(75, 10)]))
def test_the_packet_engine_is_the_twin_where_a_link_has_one_lane(networks: int, least: int, tmp_path: Path) -> None:
    given = cases("packet", ("cut-through", "store-and-forward"), networks)
    seen = Counter(one.keys.get("buffers") for one in given)
    assert seen["fifo"] > least
    assert seen["output"] > least
    assert sum(one.keys["channels"] != "1" and one.keys["buffer_packets"] in ("2", "3") for one in given) > least
    assert compare(given, tmp_path) == []


@pytest.mark.parametrize("networks", by_night([75, 150], [75]))
def test_lanes_that_share_a_wire_flit_by_flit_do_not_differ(networks: int, tmp_path: Path) -> None:
    given = [twin_cases.case(number, SEED, MESSAGES, twin_cases.LANES) for number in range(networks)]
    assert {one.keys["topology"] for one in given} == {kind.removesuffix("-lanes") for kind in twin_cases.LANES}
    assert compare(given, tmp_path) == []


def native(name: str, *arguments: str) -> int:
    """Messages that a native comparison of engines went through; none of them may differ."""
    library = twin_cases.ROOT / "build" / "core" / "libassay_core.a"
    folder = twin_cases.ROOT / "tests" / "native"
    headers = [*folder.glob("*.hpp"), *(twin_cases.ROOT / "core").rglob("*.hpp"), library]
    options = [f"-I{folder}", str(library), "-O1"]
    program = twin_cases.build(f"{name}-test", [folder / f"{name}.test.cpp"], *options, depends=headers)
    played = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=7000)
    assert played.returncode == 0, played.stderr
    return int(played.stdout.split()[0])


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["flit", "packet"])
def test_plain_engines_of_their_own_agree_on_lanes_headers_and_output_queues(name: str) -> None:
    """tests/native/flits.hpp and packets.hpp look at everything in every tick; also compared with the worm engine."""
    assert native(name) > 50_000


@pytest.mark.timeout(900)
def test_ways_in_two_phases_are_those_of_the_routing_below_and_ugal_takes_the_cheaper() -> None:
    """tests/native/legs.test.cpp: legs that are kept, and those of networks too large for it."""
    assert native("legs") > 20_000


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("networks", "messages"), by_night([(120, 20_000), (600, 100_000)], [(120, 20_000)]))
def test_plans_for_series_of_flits_give_the_ticks_of_every_flit_sent_for_itself(networks: int, messages: int) -> None:
    """tests/native/flit_by_flit.hpp: heads, tails, crossings, deadlocks, loads of links."""
    assert native("flit_plans", str(networks)) > messages


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("networks", "messages"), by_night([(100, 40_000), (400, 200_000)], [(100, 40_000)]))
def test_the_engine_for_links_that_are_alike_gives_the_general_engines_ticks(networks: int, messages: int) -> None:
    """tests/native/alike.test.cpp: heads, tails, open loops, a clock that is set back, and where it is not taken."""
    assert native("alike", str(networks)) > messages


def test_a_link_that_many_wait_for_is_looked_at_once_in_a_cycle() -> None:
    """tests/native/short_clock.test.cpp. Without it, 120,000 cycles of six overloaded nodes took 28 s instead of .1."""
    assert native("short_clock") > 2_000


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_ten_million_messages_of_links_that_are_alike_do_not_differ() -> None:
    assert native("alike", "20000") > 10_000_000


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("name", "networks"), [("flit_plans", 45_000), ("packet", 80)])
def test_ten_million_messages_of_flits_and_of_packets_do_not_differ(name: str, networks: int) -> None:
    """Flits by plans and one by one; packets beside the worm engine and the plain one (that many times the sample)."""
    assert native(name, str(networks)) > 10_000_000


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_a_million_messages_over_shared_wires_do_not_differ(tmp_path: Path) -> None:
    """`./x test --nightly tests/test_engines_twin.py`."""
    for first in range(10_000, 13_400, 200):
        given = [twin_cases.case(number, SEED, MESSAGES, twin_cases.LANES) for number in range(first, first + 200)]
        assert compare(given, tmp_path) == []
