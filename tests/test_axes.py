"""Axes in people's units: every tick as a person would write it, enough of them, and none that is bare."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.render import axes, plots, tables
from made_documents import figure, section


@pytest.mark.parametrize(
    ("values", "unit", "said"),
    [
        ([8, 8192], "B", ["8 B", "32 B", "128 B", "512 B", "2 KiB", "8 KiB"]),
        ([1e-9, 150e-9], "s", ["1 ns", "10 ns", "100 ns", "1 µs"]),
        ([1e-4, 2e-3], "s", ["100 µs", "200 µs", "500 µs", "1 ms", "2 ms"]),
        ([1e6, 3e10], "B/s", ["1 MB/s", "10 MB/s", "100 MB/s", "1 GB/s", "10 GB/s", "100 GB/s"]),
        ([0.02, 0.9], "%", ["2%", "5%", "10%", "20%", "50%", "100%"]),
    ],
)
def test_decades_and_powers_of_two(values: list[float], unit: str, said: list[str]) -> None:
    assert axes._written(axes.log(values, unit), unit)[1] == said


@pytest.mark.parametrize("unit", ["s", "B/s", "B", "flop/s", "1/s", "%", "Hz"])
@pytest.mark.parametrize("low", [1e-9, 3.3e-4, 1.0, 7e6])
@pytest.mark.parametrize("span", [1.0, 1.02, 1.7, 12.0, 3e4, 1e9])
def test_every_axis_has_three_ticks_or_more_and_not_too_many(unit: str, low: float, span: float) -> None:
    if unit == "B":
        low = max(1.0, low)
    for kind in (axes.log, axes.linear):
        found = kind([low, low * span], unit)
        assert (span == 1.0 or len(found) >= 2) and len(found) <= 12 and found == sorted(set(found))
        assert all(tick > 0 for tick in found) or kind is axes.linear
        inside = [tick for tick in found if low * 0.999 <= tick <= low * span * 1.001]
        assert len(inside) >= 2 or span < 1.1 or unit == "B"


def test_no_number_stands_alone_at_an_axis() -> None:
    made = [figure("time", 3e-6 * n, "s", bytes=n) | {"headline": True} for n in (1, 16, 256, 4096, 65536)]
    (drawn,) = plots.curves(section("b", made))
    for axis, unit in (("xaxis", "B"), ("yaxis", "s")):
        texts = drawn["layout"][axis]["ticktext"]
        assert texts and all(text == "0" or text.endswith(unit) for text in texts)
    both = drawn["ticks"]["y"]
    assert both["linear"][1][0] == "0" and both["log"][1] == drawn["layout"]["yaxis"]["ticktext"]
    steps = {round(b - a, 12) for a, b in itertools.pairwise(both["linear"][0])}
    assert len(steps) == 1


def test_bandwidth_by_level_draws_bandwidth_and_not_the_size_of_working_sets() -> None:
    made = [figure("size", 1e6 * n, "B", level=f"L{n}") for n in (1, 2, 3)]
    made += [figure("rate", 1e9 * n, "B/s", level=f"L{n}") | {"headline": True} for n in (1, 2, 3)]
    drawn = plots.points(section("levels", made))
    assert drawn is not None and drawn["layout"]["title"]["text"] == "rate" and drawn["data"][0]["x"] == [1e9, 2e9, 3e9]


def test_long_names_of_cases_leave_room_for_their_points() -> None:
    """A name is broken into lines, for which the picture is higher, and so few ticks that they do not meet."""
    about = "page cache (memory, not storage)"
    made = [figure("rate", 10.0**n, "B/s", bytes=4096 * n, source=f"{about} {n}") for n in (7, 8, 9)]
    drawn, plain = (
        plots.points(section("b", made)),
        plots.points(section("b", [f | {"params": {"n": i}} for i, f in enumerate(made)])),
    )
    assert drawn is not None and plain is not None
    lines = [name.split("<br>") for name in drawn["data"][0]["y"]]
    assert all(len(of) == 2 and max(map(len, of)) <= 28 for of in lines)
    assert [" ".join(of) for of in lines] == [f"bytes {4 * n} KiB, {about} {n}" for n in (7, 8, 9)]
    assert drawn["layout"]["height"] > plain["layout"]["height"]
    assert sum(9e6 <= tick <= 1.1e9 for tick in drawn["ticks"]["x"]["log"][0]) == 3


@given(st.floats(1e-9, 1e9), st.floats(1.0, 1e6), st.integers(3, 8))
def test_a_logarithmic_axis_has_no_more_ticks_than_fit(low: float, ratio: float, most: int) -> None:
    found = axes.log([low, low * ratio], "s", most)
    assert len([tick for tick in found if low <= tick <= low * ratio]) <= most + 1


@pytest.mark.parametrize("unit", ["s", "B/s", "B", "flop/s", "1/s", "%"])
@given(low=st.floats(1e-3, 1e9), ratio=st.floats(1.01, 10.0), most=st.integers(3, 8))
def test_values_within_a_decade_have_two_ticks_among_them(unit: str, low: float, ratio: float, most: int) -> None:
    """As of dots from 410 to 960 Mflop/s, where a picture has room for three."""
    low = max(low, 1024.0) if unit == "B" else low
    ticks, texts = axes._written(axes.log([low, low * ratio], unit, most), unit)
    assert sum(low <= tick <= low * ratio for tick in ticks) >= 2
    assert len(set(texts)) == len(texts) <= 24


def test_equal_values_have_a_tick_below_and_one_above() -> None:
    for unit in ("s", "B"):
        below, above = axes.log([64.0, 64.0], unit)
        assert below < 64 < above


def test_two_cases_make_no_plot_and_an_invalid_one_no_point() -> None:
    made = [figure("rate", 1e9 * n, "B/s", level=f"L{n}") for n in (1, 2, 3)]
    assert plots.points(section("b", made[:2])) is None
    made[1]["state"] = "invalid"
    assert plots.points(section("b", made)) is None
    assert plots.points(section("b", [figure("rate", 1.0, "s", at=n) for n in map(str, range(41))])) is None


def test_fits_that_share_a_name_share_an_entry_of_the_legend() -> None:
    made = [figure("time", 3e-6 * n, "s", bytes=n) for n in (8, 16, 256, 4096)]
    line = {"law": "alpha_beta", "figure": "time", "params": {"placement": "same core"}, "alpha": 1e-6, "beta": 1e-9}
    pieces = [{**line, "estimator": "relative, piecewise", "over": over} for over in ([8, 16], [16, 256], [256, 4096])]
    lines = [{**line, "estimator": name, "over": [8, 4096]} for name in ("relative", "ordinary")]
    (drawn,) = plots.curves(section("b", made, fits=[*lines, *pieces]))
    shown = [trace["name"] for trace in drawn["data"] if trace.get("showlegend", True)]
    assert len(shown) == len(set(shown)) == 4
    (alone,) = plots.curves(section("b", made, fits=lines))
    visible = {trace["name"]: trace.get("visible", True) for trace in alone["data"]}
    assert visible["fit"] is True and visible["least squares, as the papers"] == "legendonly"


def test_counts_have_their_thousands_apart_and_rates_their_prefix() -> None:
    assert axes._written([1.0, 100.0, 1e4, 1e6], "")[1] == ["1", "100", "10,000", "1,000,000"]
    assert axes._written([1e6], "B/s")[1] == ["1 MB/s"] and axes._written([1e9], "1")[1] == ["1e+09"]


def test_a_best_reading_that_is_the_median_is_listed_once() -> None:
    once = [figure("ulp", 2.5, "1", kind, function="exp") for kind in ("median", "best")]
    twice = [figure("time", value, "s", kind, function="exp") for value, kind in ((2.0, "median"), (1.5, "best"))]
    shown = [(each.name, each.statistic) for each in tables.listed(section("b", [*once, *twice]))]
    assert shown == [("time", "median"), ("time", "best"), ("ulp", "median")]
