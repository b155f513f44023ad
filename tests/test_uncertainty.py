"""[uncertainty] of a description: read and checked, drawn from, and a description with a draw's values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.described.machine_file import check, load
from assay.described.shipped import open_described
from assay.described.uncertainty import LaunchSpread, Uncertainty, drawn, uncertainty
from assay.errors import InputError
from command_line import assay

TEXT = """name = "mine"
[network]
topology = "crossbar"
nodes = 2
cycle = "0.001 ns"
flit_bytes = 8
flit_ticks = 1000
body_ticks = 1000
head_ticks = 1000
switching = "wormhole"
buffer_flits = 0
[[protocol]]
up_to = "1 KiB"
startup = "2 us"
receive = "2 us"
[[protocol]]
startup = "5 us"
receive = "5 us"
copy = "250 MB/s"
[variant.other]
node = { processors = 2 }
protocol = [{ startup = "9 us" }]
[uncertainty]
level = 0.9
used = "every second length"
keys = [KEYS]
low = ["1.8 us", "100 MB/s", 900, "512 B"]
high = ["2.4 us", "400 MB/s", 1100, "2 KiB"]
covariance = [[0.01, -0.004, 0, 0], [-0.004, 0.04, 0, 0], [0, 0, 0.0025, 0], [0, 0, 0, 0.1]]
not_determined = ["messages of more than 4 MiB: not measured"]
[[uncertainty.launches]]
benchmark = "echo"
figure = "half_round_trip"
up_to = "1 kB"
relative = 0.05
[[uncertainty.launches]]
benchmark = "echo"
figure = "half_round_trip"
relative = 0.02
"""
KEYS = '''"protocol.0.startup, protocol.0.receive", "protocol.1.copy",
"network.flit_ticks, network.body_ticks", "protocol.0.up_to"'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace("KEYS", KEYS))
    return path


def test_a_table_is_read_in_si_units(mine: Path) -> None:
    known = uncertainty(load(mine))
    assert known is not None and known.level == 0.9
    assert known.keys[0] == ("protocol.0.startup", "protocol.0.receive")
    assert known.values == pytest.approx((2e-6, 2.5e8, 1000, 1024))
    assert known.intervals == ((1.8e-6, 2.4e-6), (1e8, 4e8), (900, 1100), (512, 2048))
    assert known.spread("echo", "half_round_trip", 8) == 0.05
    assert known.spread("echo", "half_round_trip", 1001) == 0.02
    assert known.spread("barrier", "time") in (0.02, 0.05)
    assert uncertainty(open_described("ipsc860")) is None


def test_a_simulated_result_does_not_depend_on_it(mine: Path) -> None:
    with_table = load(mine).for_core()
    mine.write_text(TEXT.partition("[uncertainty]")[0])
    assert load(mine).for_core() == with_table


def test_a_draw_is_the_description_with_other_numbers(mine: Path) -> None:
    machine = load(mine)
    draw = {"protocol.0.startup": 3e-6, "protocol.1.copy": 2e8, "network.flit_ticks": 1234.4, "protocol.0.up_to": 99.7}
    made = drawn(machine, draw)
    assert made.protocol[0].startup == pytest.approx(3e-6) and made.protocol[0].receive == 2e-6
    assert made.protocol[1].copy_time == pytest.approx(5e-9)
    assert made.protocol[0].up_to == 100 and made.for_core()["network"]["flit_ticks"] == 1234
    assert drawn(machine, {}).for_core() == machine.for_core()
    assert machine.protocol[0].startup == 2e-6


def known(values: list[float], low: list[float], high: list[float], covariance: Any) -> Uncertainty:
    keys = tuple((f"protocol.{place}.startup",) for place in range(len(values)))
    rows = tuple(tuple(map(float, row)) for row in covariance)
    return Uncertainty(0.9, "", keys, tuple(values), tuple(zip(low, high, strict=True)), rows, (), ())


def test_draws_have_the_covariance_and_the_interval() -> None:
    wide = 1.6449 * 0.1
    of = known([2e-6, 5e-6], [2e-6 * (1 - wide), 5e-6 * (1 - wide)], [2e-6 * (1 + wide), 5e-6 * (1 + wide)],
               [[0.01, -0.008], [-0.008, 0.01]])  # fmt: skip
    draws = np.array([list(each.values()) for each in of.draws(20000, 1)])
    relative = draws / [2e-6, 5e-6] - 1
    assert np.cov(relative.T) == pytest.approx(np.array(of.covariance), rel=0.05)
    inside = (draws[:, 0] >= of.intervals[0][0]) & (draws[:, 0] <= of.intervals[0][1])
    assert inside.mean() == pytest.approx(0.9, abs=0.01)
    assert of.draws(3, 7) == of.draws(3, 7) != of.draws(3, 8)


@given(
    value=st.floats(1e-9, 1e3),
    below=st.floats(0, 1),
    above=st.floats(0, 9),
    deviation=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_draws_are_positive_and_half_of_them_on_either_side(
    value: float, below: float, above: float, deviation: float, seed: int
) -> None:
    """Whatever the interval: also where nothing but an upper bound is known, so that it begins at 0."""
    of = known([value], [value * (1 - below)], [value * (1 + above)], [[deviation**2]])
    draws = np.array([each["protocol.0.startup"] for each in of.draws(400, seed)])
    assert (draws > 0).all()
    assert (draws <= value * (1 + 1e-9)).mean() >= 0.35
    assert (draws > value * (1 + above) * (1 + 1e-9)).mean() <= 0.12
    if deviation == 0:
        assert draws == pytest.approx(np.full(400, value))


def test_a_limit_of_lengths_stays_in_its_interval(mine: Path) -> None:
    of = uncertainty(load(mine))
    assert of is not None
    limits = [each["protocol.0.up_to"] for each in of.draws(500, 0)]
    assert min(limits) >= 512 and max(limits) <= 2048 and len(set(limits)) > 100
    for draw in of.draws(50, 3):
        assert drawn(load(mine), draw).protocol[0].startup == pytest.approx(draw["protocol.0.startup"])


def test_what_was_set_from_outside_is_not_drawn(mine: Path) -> None:
    of = uncertainty(load(mine, {"protocol.0.startup": "3 us"}))
    assert of is not None
    assert of.keys[0] == ("protocol.0.receive",) and len(of.keys) == 4
    both = uncertainty(load(mine, {"protocol.0.startup": "3 us", "protocol.0.receive": "3 us"}))
    assert both is not None and len(both.keys) == 3 and len(both.covariance) == 3


def test_a_variant_has_only_what_it_did_not_replace(mine: Path) -> None:
    """Its protocol is another one; the network is the file's."""
    of = uncertainty(load(mine, {"variant": "other"}))
    assert of is not None
    assert of.keys == (("network.flit_ticks", "network.body_ticks"),)


def test_numbers_of_a_variant_are_that_variant_s(mine: Path) -> None:
    keys = KEYS.replace("protocol.1.copy", "variant.other.protocol.0.startup")
    mine.write_text(TEXT.replace("KEYS", keys).replace('"100 MB/s"', '"8 us"').replace('"400 MB/s"', '"10 us"'))
    base, other = uncertainty(load(mine)), uncertainty(load(mine, {"variant": "other"}))
    assert base is not None and other is not None
    assert [keys[0] for keys in base.keys] == ["protocol.0.startup", "network.flit_ticks", "protocol.0.up_to"]
    assert [keys[0] for keys in other.keys] == ["protocol.0.startup", "network.flit_ticks"]
    assert other.values[0] == pytest.approx(9e-6)


def test_a_launch_spread_without_an_entry_is_that_of_others() -> None:
    of = Uncertainty(0.9, "", (), (), (), (), (LaunchSpread("echo", "rate", 64.0, 0.1),), ())
    assert of.spread("echo", "rate", 1000) == 0.1
    assert of.spread("fan-in", "rate") == 0.1
    assert Uncertainty(0.9, "", (), (), (), (), (), ()).spread("echo", "rate") is None
    assert of.draws(2, 0) == [{}, {}]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"protocol.1.copy"', '"protocol.7.copy"', r"mine.toml:\d+: uncertainty.keys.1: the file has no number"),
        ('"protocol.1.copy"', '"name"', r"the file has no number name"),
        ('"protocol.1.copy"', '"protocol.0.startup"', r"uncertainty.keys: has protocol.0.startup twice"),
        ('"1.8 us"', '"2.1 us"', r"uncertainty.low.0: of protocol.0.startup: 2.1 us leaves the value outside"),
        ('"1.8 us"', '"-1 us"', r"uncertainty.low.0"),
        ('"2.4 us"', '"2.4 B"', r"uncertainty.high.0: of protocol.0.startup: .* not in s"),
        ('"2.4 us"', '"much"', r"uncertainty.high.0: .*is no number"),
        ('"2.4 us", ', "", r"uncertainty.high: has 3 entries for 4 keys"),
        ("0.0025, 0]", "0.0025]", r"uncertainty.covariance: has 3 numbers in row 2"),
        ("[-0.004, 0.04", "[-0.008, 0.04", r"uncertainty.covariance: is not symmetric"),
        ("0, 0.1]", "0, -0.1]", r"uncertainty.covariance: has a negative variance"),
        ("level = 0.9", "level = 1.5", r"uncertainty.level"),
        ("relative = 0.05", "relative = -1", r"uncertainty.launches.0.relative"),
        ('startup = "2 us"', 'startup = "0 us"', r"protocol.0.startup is 0"),
    ],
)  # fmt: skip
def test_a_fault_is_one_line_that_names_the_key(old: str, new: str, said: str, mine: Path) -> None:
    text = TEXT.replace("KEYS", KEYS)
    assert old in text
    mine.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=said) as refused:
        load(mine)
    assert "expected" in str(refused.value)
    made = assay("run", "echo", "--on", str(mine), "--out", str(mine.parent / "run"))
    assert made.status == 2 and len(made.err.splitlines()) == 1


def test_a_table_without_a_file_is_checked_as_well() -> None:
    tables = {"name": "bare", "messages": {"startup": "70 us", "per_byte": "0.4 us/B"}}
    key = {"keys": ["messages.startup"], "low": ["60 us"], "high": ["80 us"], "covariance": [[0.01]]}
    made = check(tables | {"uncertainty": key}, Path("the study"))
    of = uncertainty(made)
    assert of is not None and of.values == pytest.approx((70e-6,))
    assert drawn(made, {"messages.startup": 71e-6}).messages.startup == pytest.approx(71e-6)  # type: ignore[union-attr]
    with pytest.raises(InputError, match=r"the study: uncertainty\.keys\.0"):
        check(tables | {"uncertainty": key | {"keys": ["messages.start"]}}, Path("the study"))
