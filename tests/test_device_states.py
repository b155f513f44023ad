"""The state of devices over time: lines that are read, blocks that were slowed down, and what a report shows of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis.disturbance import State, judge
from assay.document.json_form import to_json
from assay.report.sections.device_states import KEY, gathered, plots, tables
from assay.stored.device_states import DeviceLook, DeviceStates, device_states
from made_documents import section
from test_analysis_disturbance import quiet_run

LINE: dict[str, Any] = {
    **{"event": "device", "host": "n1", "device": "cuda:0", "name": "Shim", "most": 2e9, "time": [10.0, 10.05, 10.1]},
    **{"clock": [2e9, 1e9, 1e9], "power": [300, 700, 650.5], "others": [0, 0, 2]},
    "limits": ["", "power", "power,temperature"],
}


def test_a_line_is_read_as_looks_in_order_of_time() -> None:
    found = device_states({key: value[::-1] if isinstance(value, list) else value for key, value in LINE.items()})
    assert found == device_states(LINE)
    assert [look.limits for look in found.looks] == [(), ("power",), ("power", "temperature")]
    assert (found.highest, found.looks[2]) == (2e9, DeviceLook(10.1, 1e9, 650.5, 2, ("power", "temperature")))


def test_what_is_not_known_is_no_number() -> None:
    found = device_states(LINE | {"power": [None, 700, None], "others": [None] * 3, "limits": ["", None, None]})
    assert [look.power for look in found.looks] == [None, 700, None]
    assert {look.others for look in found.looks} == {None} and [look.limits for look in found.looks] == [(), None, None]
    bare = device_states(LINE | {"power": [None] * 3, "others": [None] * 3, "limits": [None] * 3})
    for states, cells in (
        (found, ("700 W", "700 W", "nothing", "not known")),
        (bare, ("not known", "not known", "not known", "not known")),
    ):
        shown = section("device-launch", [], derived={KEY: [to_json(each) for each in gathered([states])]})
        (table,) = tables(shown)
        assert table.rows[0][4:] == cells
        assert len(plots(shown)) == (1 if states is bare else 2)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("host", None, "host: got None"),
        ("time", [10.0, 10.05], "expected as many as in time"),
        ("time", [10.0, float("nan"), 11.0], "time: got nan"),
        ("clock", "2e9", "clock: got '2e9'"),
        ("power", [-1.0, 1, 1], "power: got -1.0"),
        ("limits", ["", "", "boredom"], "limits: got 'boredom', expected some of power, temperature, hardware"),
        ("most", None, "most: got None"),
        ("clock", [2e9, None, 1e9], "clock: got None"),
    ],
)
def test_an_impossible_line_is_refused(key: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        device_states(LINE | {key: value})


@given(
    times=st.lists(st.floats(0, 100), min_size=1, max_size=20, unique=True),
    begin=st.floats(0, 100),
    width=st.floats(1e-3, 50),
)
def test_looks_of_a_block_are_those_within_it_or_the_nearest(times: list[float], begin: float, width: float) -> None:
    states = DeviceStates("n1", "cuda:0", "", 0.0, tuple(DeviceLook(at, 1e9, 0, 0, ()) for at in sorted(times)))
    found = [look.time for look in states.within(begin, begin + width)]
    inside = [at for at in sorted(times) if begin <= at < begin + width]
    if inside:
        assert found == inside
    else:
        (only,) = found
        middle = begin + width / 2
        assert abs(only - middle) == min(abs(at - middle) for at in times)


def limited(share: float, slower: float, others: float = 0.0, every: int = 1) -> list[Any]:
    """A quiet run whose blocks, each `every`th, have a device that is slowed down so much: its readings are longer."""
    made = []
    for block in quiet_run():
        accounting = {"device_power": share, "device_slower": slower, "device_others": others}
        touched = block.block % every == 0
        values = block.values * (1 + slower) * (1 + others) if touched else block.values
        made.append(replace(block, values=values, accounting={**block.accounting, **(accounting if touched else {})}))
    return made


def test_a_device_that_is_always_limited_bounds_its_figures() -> None:
    found = judge(limited(1.0, 0.5), 2)
    (reason,) = found.reasons
    assert reason.rule == "throttled" and reason.amount == 0.5
    assert reason.text == "the device was slowed down by its power limit, its clock by up to 33%, all the while"
    for verdict in found.cases.values():
        assert verdict.state in (State.DISTURBED, State.BOUND) and "throttled" in verdict.reasons
        if verdict.disturbance is not None:  # the true value, without the limit, lies within
            assert verdict.disturbance.low <= 0.5 <= verdict.disturbance.high + 1e-9


def test_a_limit_that_slows_nothing_leaves_figures_clean() -> None:
    assert {verdict.state for verdict in judge(limited(1.0, 0.0), 2).cases.values()} == {State.CLEAN}
    assert not judge(limited(0.0, 0.5, every=100), 2).reasons  # a low clock alone, of an idle device, is no limit


def test_blocks_without_a_limit_give_the_figure() -> None:
    plain = judge(quiet_run(), 2)
    found = judge(limited(1.0, 0.5, every=3), 2)
    assert {reason.rule for reason in found.reasons} >= {"throttled"}
    for key, verdict in found.cases.items():
        assert verdict.marked and plain.cases[key].state is State.CLEAN
        assert verdict.state is not State.BOUND  # most blocks have no mark


def test_other_processes_on_the_device_are_named() -> None:
    found = judge(limited(0.0, 0.0, others=1.0), 2)
    (reason,) = found.reasons
    assert (reason.rule, reason.text) == ("shared device", "up to 1 other process was on the device, all the while")
    assert {verdict.state for verdict in found.cases.values()} <= {State.DISTURBED, State.BOUND}


def test_the_report_draws_clock_and_power_and_says_what_limited_them() -> None:
    more = device_states(LINE | {"time": [20.0, 20.05, 20.1], "limits": ["", "", ""], "others": [0, 0, 0]})
    (series,) = gathered([device_states(LINE), more])
    assert (series.launches, series.others, series.highest_clock) == (2, 2, 2e9)
    assert series.limits == {"power": pytest.approx(1 / 3), "temperature": pytest.approx(1 / 6)}
    assert np.sum(series.slowed) > 0 and len(series.clock) == len(series.seconds) == len(series.power)
    shown = section("device-launch", [], derived={KEY: [to_json(series)]})
    (table,) = tables(shown)
    assert table.rows[0][:4] == ("cuda:0", "Shim", "2 GHz", "1 GHz")
    assert table.rows[0][-2:] == ("its power limit 33%, its temperature 17%", "2")
    clock, power = plots(shown)
    assert [plot["data"][0]["name"] for plot in (clock, power)] == ["cuda:0 (Shim)"] * 2
    assert None in clock["data"][0]["x"]  # between the launches nothing is drawn
    assert len(clock["layout"]["shapes"]) == 1 and clock["layout"]["shapes"][0]["x0"] < 0.1
    assert tables(section("device-launch", [])) == [] and plots(section("device-launch", [])) == []
