"""The pictures of a node in the report: what they show is checked against closed forms, on sections made by hand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmarks
from assay.document.json_form import from_json
from assay.document.reported_figure import Headline
from assay.document.section import Section
from assay.report.judge import bounds
from assay.report.render import page, plots, tables
from assay.report.sections import matrices, noise_spectrum, roof, shares, speedups
from made_documents import document, figure, headline, section

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


def levels() -> Section:
    made = []
    for threads in (1, 2, 4):
        for level, rate in (("L1", 100e9), ("memory", 10e9)):
            made.append(figure("rate", rate * threads, "B/s", "best", level=level, threads=threads, kernel="read"))
            made.append(figure("rate", rate * threads / 2, "B/s", "best", level=level, threads=threads, kernel="triad"))
    return section("slopes", made, roof={"bandwidth": "rate", "by": "level"})


def peak() -> Section:
    rates = [figure("rate", rate, "flop/s", "best", type=kind) for kind, rate in (("single", 90e9), ("double", 50e9))]
    return section("flat", rates, roof={"ceiling": "rate", "where": "type=double"})


def kernel() -> Section:
    rates = [figure("rate", 1.5e9 * t, "flop/s", threads=t, by="threads", size=8) for t in (1, 2, 4)]
    return section("axpy", rates, roof={"figure": "rate", "flops": "size", "bytes": "6 * size", "where": "by=threads"})


def test_the_roof_is_the_least_of_slope_and_peak_and_kernels_lie_at_their_intensity() -> None:
    one, four = roof.plots(document(levels(), peak(), kernel()))
    assert [drawn["layout"]["title"]["text"] for drawn in (one, four)] == [
        "roof of 1 thread",
        "roof of 4 threads",
    ]
    for drawn, threads in ((one, 1), (four, 4)):
        first, memory, flat, point = drawn["data"]
        assert first["name"].startswith("L1: ") and memory["name"].startswith("memory: ")
        for trace, rate in ((first, 100e9), (memory, 10e9)):
            assert trace["y"] == pytest.approx([x * rate * threads for x in trace["x"]])
            assert trace["x"][1] == pytest.approx(50e9 / rate)  # where the slope meets the peak
        assert flat["y"] == [50e9 * threads] * 2 and flat["x"][0] == pytest.approx(0.5)
        assert point["x"] == pytest.approx([1 / 6]) and point["y"] == [1.5e9 * threads]


def test_the_bound_of_arithmetic_follows_from_the_clock_that_was_measured() -> None:
    clock = section("ticks", [figure("frequency", 4e9, "Hz")], roof={"clock": "frequency"})
    host = {"frequency": 2e9, "flags": ["avx2", "fma"]}
    one, _ = roof.plots(document(levels(), peak(), kernel(), clock, host=host))
    (bound,) = [trace for trace in one["data"] if trace["name"].startswith("bound")]
    assert bound["y"] == [4e9 * 4 * 2 * 2] * 2 and "4.00 GHz measured" in bound["name"]
    without, _ = roof.plots(document(levels(), peak(), kernel(), host=host))
    assert not any(trace["name"].startswith("bound") for trace in without["data"])


@pytest.mark.parametrize(
    ("clock", "value", "basis"),
    [
        (
            4e9,
            64e9,
            "4 lanes x 2 (multiply-add) x 2 units x 4.00 GHz measured",
        ),  # 50 Gflop/s are more than one unit gives
        (6.4e9, 51.2e9, "4 lanes x 2 (multiply-add) x 1 unit x 6.40 GHz measured"),  # one unit is enough
        (
            2e9,
            50e9,
            "best reading of this run, above 4 lanes x 2 (multiply-add) x 2 units x 2.00 GHz measured",
        ),  # neither: it is the bound
    ],
)
def test_how_many_units_compute_is_found_by_measurement(clock: float, value: float, basis: str) -> None:
    """No figure may stand above its roof: where the measured peak passes what flags and clock give, it is the bound."""
    ticks = section("ticks", [figure("frequency", clock, "Hz")], roof={"clock": "frequency"})
    run = document(peak(), ticks, host={"flags": ["avx2", "fma"]})
    assert bounds.peak_float64(run) == (pytest.approx(value), basis)
    by_peak = bounds.share(from_json(Headline, headline("h", 40e9, "flop/s", bound="peak_measured")), run)
    assert by_peak is not None and by_peak.share == pytest.approx(40 / 50)


def test_without_a_measured_peak_the_bound_is_the_most_that_processors_have_and_says_so() -> None:
    ticks = section("ticks", [figure("frequency", 4e9, "Hz")], roof={"clock": "frequency"})
    run = document(kernel(), ticks, host={"flags": ["avx2", "fma"]})
    assert bounds.peak_float64(run) == (
        pytest.approx(64e9),
        "at most 4 lanes x 2 (multiply-add) x 2 units x 4.00 GHz measured",
    )


def test_a_disturbed_clock_bounds_by_its_best_reading_and_says_so() -> None:
    """A processor at 4.3 GHz whose loop was interrupted read 3.7 GHz in the median: 22% of a peak that was too low."""
    medians = [figure("frequency", 3.7e9, "Hz", type=each) | {"state": "disturbed"} for each in "ab"]
    best = figure("frequency", 4.3e9, "Hz", "best", type="a") | {"state": "disturbed"}
    host = {"flags": ["avx2", "fma"]}

    def basis(*figures: Any) -> tuple[float, str] | None:
        clock = section("ticks", list(figures), roof={"clock": "frequency"})
        return bounds.peak_float64(document(kernel(), clock, host=host))

    words = "at most 4 lanes x 2 (multiply-add) x 2 units x"
    assert basis(*medians, best) == (pytest.approx(4.3e9 * 16), f"{words} 4.30 GHz measured, best reading")
    clean = figure("frequency", 4e9, "Hz", type="c"), figure("frequency", 4.4e9, "Hz", "best", type="c")
    assert basis(*clean) == (pytest.approx(4e9 * 16), f"{words} 4.00 GHz measured")
    assert basis(*clean, *medians, best) == (pytest.approx(4.3e9 * 16), f"{words} 4.30 GHz measured, best reading")
    only = figure("frequency", 4.2e9, "Hz", "best") | {"state": "bound"}
    assert basis(only) == (pytest.approx(4.2e9 * 16), f"{words} 4.20 GHz measured, best reading")


def test_the_share_of_a_measured_peak_says_that_it_is_of_the_best_reading() -> None:
    """Beside a median of 134 Gflop/s stood 271 for two threads, which nothing on the page doubled to."""
    two = from_json(Headline, headline("h", 80e9, "flop/s", bound="peak_measured") | {"params": {"threads": 2}})
    found = bounds.share(two, document(peak()))
    assert found is not None and found.basis == "2 times the best reading of this run's arithmetic peak"


def test_there_is_no_roof_without_slopes_or_without_anything_under_them() -> None:
    assert roof.plots(document(peak(), kernel())) == []
    assert roof.plots(document(levels())) == []


def test_no_roof_lies_below_what_the_same_run_measured_of_that_level_and_a_bound_is_marked() -> None:
    """As on a machine that others use: two threads read memory slower than one did, and streams reached more."""
    bounded = {"state": "bound"}
    by_level = [figure("rate", 100e9 * t, "B/s", "best", level="L1", threads=t) for t in (1, 2)]
    by_level += [
        figure("rate", 48e9, "B/s", "best", level="memory", threads=1),
        figure("rate", 34e9, "B/s", "best", level="memory", threads=2) | bounded,
        figure("rate", 99e9, "B/s", "best", level="memory", threads=2) | {"state": "invalid"},
    ]
    slopes = section("slopes", by_level, roof={"bandwidth": "rate", "by": "level"})
    one, two = roof.plots(document(slopes, peak()))
    assert one["data"][1]["name"] == "memory: 48 GB/s" and one["data"][1]["line"]["dash"] == "solid"
    assert two["data"][1]["name"] == "memory: 48 GB/s (by 1 thread)"
    assert two["data"][1]["y"][0] == pytest.approx(48e9 * two["data"][1]["x"][0])
    streams = [figure("rate", rate, "B/s", "best", threads=t) | bounded for t, rate in ((1, 18e9), (2, 52e9))]
    beside = section("streams", streams, roof={"bandwidth": "rate", "level": "memory"})
    for made, name, dash in zip(
        roof.plots(document(slopes, beside, peak())),
        ("memory: 48 GB/s", "memory: 52 GB/s (bound only)"),
        ("solid", "dash"),
        strict=True,
    ):
        assert (made["data"][1]["name"], made["data"][1]["line"]["dash"]) == (name, dash)


def processors() -> Section:
    made = [figure("rate", 10e9 * t**0.5, "B/s", threads=t, kernel="copy", vector=0) for t in (1, 2, 3)]
    parts = [(2, 0, 8e9), (2, 1, 6e9), (3, 0, 7e9), (3, 1, 5e9), (3, 2, 5e9)]
    made += [figure("share", rate, "B/s", threads=t, thread=which, kernel="copy", vector=0) for t, which, rate in parts]
    return section("sharing", made, shares={"parts": ["share"], "each": "thread", "over": "threads", "sum": "rate"})


def test_each_threads_own_speed_stands_beside_what_all_reach_together_and_nothing_is_stacked() -> None:
    (drawn,) = shares.plots(processors())
    assert drawn["layout"]["barmode"] == "group"
    assert drawn["layout"]["title"]["text"] == "each thread's own speed, and all together, by threads"
    found = {trace["name"]: dict(zip(trace["x"][1], trace["y"], strict=True)) for trace in drawn["data"]}
    assert found["thread 0"] == {"1": 10e9, "2": 8e9, "3": 7e9}
    assert found["thread 1"] == {"2": 6e9, "3": 5e9} and found["thread 2"] == {"3": 5e9}
    assert found["all together"]["1"] == 10e9 and found["all together"]["2"] == pytest.approx(10e9 * 2**0.5)
    made = shares.table(processors())
    assert made is not None and made.rows[2][2] == "7 GB/s, 5 GB/s, 5 GB/s"


def test_best_readings_of_threads_are_drawn_hatched_and_an_invalid_one_is_not_drawn() -> None:
    """As of a machine that others use: of thread 0 only the best reading is known, of the third nothing."""
    made = [figure("rate", 36e9, "B/s", "best", threads=3) | {"state": "bound"}]
    speeds = (("best", 18e9, "bound"), ("median", 15e9, "disturbed"), ("median", 9e9, "invalid"))
    made += [
        figure("share", speed, "B/s", statistic, threads=3, thread=which) | {"state": state}
        for which, (statistic, speed, state) in enumerate(speeds)
    ]
    wanted = {"parts": ["share"], "each": "thread", "over": "threads", "sum": "rate"}
    disturbed = section("sharing", made, shares=wanted)
    first, second, together, said = shares.plots(disturbed)[0]["data"]
    assert [(bar["name"], bar["y"], bar["marker"]["pattern"]["shape"]) for bar in (first, second)] == [
        ("thread 0", [18e9], ["/"]),
        ("thread 1", [15e9], [""]),
    ]
    assert together["y"] == [36e9] and together["marker"]["symbol"] == ["diamond-open"]
    assert said["name"] == "hatched or hollow: best reading (bound only)" and said["y"] == [None]
    table = shares.table(disturbed)
    assert table is not None
    assert table.rows == (("3", "36 GB/s (best reading)", "18 GB/s (best reading), 15 GB/s (disturbed)"),)


def test_a_case_without_a_thread_of_its_own_has_no_bar_but_what_all_reach() -> None:
    """Not the rate of two threads as that of thread 0."""
    made = [figure("rate", 30e9, "B/s", threads=2), figure("rate", 20e9, "B/s", threads=1)]
    wanted = {"parts": ["share"], "each": "thread", "over": "threads", "sum": "rate"}
    bar, together = shares.plots(section("sharing", made, shares=wanted))[0]["data"]
    assert bar["name"] == "thread 0" and dict(zip(bar["x"][1], bar["y"], strict=True)) == {"1": 20e9}
    assert dict(zip(together["x"][1], together["y"], strict=True)) == {"1": 20e9, "2": 30e9}


def test_many_cases_lie_beside_their_names() -> None:
    made = [
        figure("rate", 1e9 * t, "B/s", threads=t, kernel=f"{'long ' * k}name", vector=k)
        for t in (1, 2)
        for k in range(9)
    ]
    wanted = {"parts": ["share"], "each": "thread", "over": "threads", "sum": "rate"}
    (drawn,) = shares.plots(section("many", made, shares=wanted))
    bars, together = drawn["data"]
    assert bars["orientation"] == "h" and drawn["layout"]["yaxis"]["type"] == "category"
    assert dict(zip(bars["y"], bars["x"], strict=True))["name, 0, threads 1"] == 1e9 and len(bars["y"]) == 9
    assert dict(zip(together["y"], together["x"], strict=True))["name, 0, threads 2"] == 2e9
    assert len(together["y"]) == 18


def test_two_sides_of_a_bus_stand_side_by_side_and_the_sum_is_of_both() -> None:
    rates = [("stream", "alone", 10e9), ("stream", "both", 7e9), ("messages", "alone", 4e9), ("messages", "both", 2e9)]
    made = [figure(side, rate, "B/s", load=load, form="put") for side, load, rate in rates]
    made.append(figure("sum", 9e9, "B/s", form="put"))
    wanted = {"parts": ["stream", "messages"], "over": "load", "sum": "sum"}
    (drawn,) = shares.plots(section("two", made, shares=wanted))
    assert drawn["layout"]["barmode"] == "group"
    found = {trace["name"]: dict(zip(trace["x"][1], trace["y"], strict=True)) for trace in drawn["data"]}
    assert found == {
        "messages": {"alone": 4e9, "both": 2e9},
        "stream": {"alone": 10e9, "both": 7e9},
        "sum": {"both": 9e9},
    }


def test_points_are_named_by_what_tells_them_apart() -> None:
    made = [figure("time", 1e-9 * t, "s", threads=t, update=kind, size=7) for t in (1, 2) for kind in ("one", "own")]
    drawn = plots.points(section("spots", made))
    assert drawn is not None
    assert drawn["data"][0]["y"] == ["threads 1, one", "threads 1, own", "threads 2, one", "threads 2, own"]


def test_what_all_cases_have_alike_is_said_once() -> None:
    made = tables.figures(processors())
    assert made.note == "All with kernel copy, vector 0."
    assert [row[1] for row in made.rows if row[0] == "rate"] == ["threads 1", "threads 2", "threads 3"]
    alone = tables.figures(section("one", [figure("rate", 1e9, "B/s", size=8)]))
    assert alone.headings[:2] == ("case", "rate, median") and alone.rows[0][0] == "size 8" and alone.note == ""


def square(values: dict[tuple[int, int], float | None]) -> Section:
    made = [figure("time", value, "s", **{"from": a, "to": b, "size": 8}) for (a, b), value in values.items()]
    return section("square", made, matrix=["from", "to"])


def test_a_matrix_is_drawn_whole_and_pairs_measured_once_are_mirrored() -> None:
    (drawn,) = matrices.plots(square({(0, 0): 1e-9, (0, 1): 5e-9, (1, 1): 2e-9, (1, 10): 7e-9}))
    (trace,) = drawn["data"]
    assert trace["x"] == trace["y"] == ["0", "1", "10"]  # as numbers, not as words
    assert trace["z"] == [[1e-9, 5e-9, None], [5e-9, 2e-9, 7e-9], [None, 7e-9, None]]
    (made,) = matrices.tables(square({(0, 0): 1e-9, (0, 1): 5e-9, (1, 0): 6e-9}))
    assert made.rows == (("0", "1 ns", "5 ns"), ("1", "6 ns", "–"))
    assert made.title == "time: size 8"


def test_no_matrix_is_drawn_of_what_is_invalid_or_was_not_asked_for() -> None:
    assert matrices.plots(square({(0, 0): None, (0, 1): None})) == []
    assert matrices.plots(replace(square({(0, 1): 1e-9}), matrix=None)) == []


def sped() -> Section:
    estimates = [
        {"value": value, "range": [value - 0.1, value + 0.1], "ci95": None, "launches": 3, "scope": ""}
        for value in (1.0, 1.8, 2.4)
    ]
    about = {"benchmark": "k", "figure": "time", "params": {"by": "threads"}, "base": "the same program on 1 thread"}
    law = {"coefficients": {"sigma": 0.1, "kappa": 0.02}, "residuals": [], "text": ""}
    fits = [
        {**about, "law": "speedup", "processors": [1, 2, 4], "speedup": estimates, "text": ""},
        {**about, **law, "law": "amdahl", "coefficients": {"sigma": 0.25}},
        {**about, **law, "law": "universal"},
    ]
    return section("k", [], fits=fits)


def test_speedups_stand_with_perfect_speedup_and_the_laws() -> None:
    (drawn,) = speedups.plots(sped())
    perfect, points, amdahl, universal = drawn["data"]
    assert perfect["y"] == perfect["x"] == [1, 4]
    assert points["x"] == [1, 2, 4] and points["y"] == [1.0, 1.8, 2.4]
    assert amdahl["y"][-1] == pytest.approx(1 / (0.25 + 0.75 / 4)) and amdahl["visible"] == "legendonly"
    assert universal["y"][-1] == pytest.approx(4 / (1 + 0.1 * 3 + 0.02 * 4 * 3)) and universal["visible"] is True
    assert speedups.plots(section("k", [])) == []


def heard() -> Section:
    """A flat spectrum of 5,000 frequencies with a line at 1,234 Hz."""
    power = [40.0 if f == 1234 else 0.5 for f in range(1, 5001)]
    peaks = [{"frequency": 1234.0, "width": 1.0, "power": 40.0, "harmonics": 0, "cause": "a <made> cause"}]
    of = {"frequency": [float(f) for f in range(1, 5001)], "power": power, "blocks": 8, "limit": 3.0}
    node = {"host": "n1", "spectrum": of, "peaks": peaks}
    return section("hum", [figure("lost", 0.1, "1")], noise=[node, {"host": "n2", "spectrum": None, "peaks": []}])


def test_a_spectrum_keeps_its_peaks_when_it_is_thinned_and_names_them() -> None:
    (made,) = noise_spectrum.plots(heard())
    line, limit, named = made["data"]
    assert len(line["x"]) == len(line["y"]) <= noise_spectrum.MOST_POINTS
    assert (1234.0, 40.0) in zip(line["x"], line["y"], strict=True) and line["y"].count(40.0) == 1
    assert limit["y"] == [3.0, 3.0] and (limit["x"][0], limit["x"][1]) == (line["x"][0], line["x"][-1])
    assert named["x"] == [1234.0] and named["text"] == ["1234 Hz"] and named["hovertext"] == ["a <made> cause"]
    assert noise_spectrum.plots(section("quiet", [])) == []


def test_no_benchmarks_name_stands_in_the_pictures() -> None:
    for module in (matrices, roof, shares, speedups):
        text = Path(str(module.__file__)).read_text()
        assert [name for name in benchmarks() if f'"{name}"' in text] == []


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
def test_a_browser_draws_every_picture(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    made = [levels(), peak(), kernel(), processors(), square({(0, 0): 1e-9, (0, 1): 5e-9}), sped(), heard()]
    written = tmp_path / "report.html"
    written.write_text(page.html(document(*made)), encoding="utf-8")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        opened = chromium.new_page()
        opened.goto(written.as_uri())
        opened.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        drawn = "[...document.querySelectorAll('.plot')].every(each => each.dataset.drawn === 'done')"
        opened.wait_for_function(drawn)
        opened.wait_for_selector("[data-plot='roof-1'] .scatterlayer")
        opened.wait_for_selector("[data-plot='square-0'] .heatmaplayer image")
        assert opened.evaluate("document.querySelectorAll('.plot').length") == opened.evaluate(
            "document.querySelectorAll('.js-plotly-plot').length"
        )
        assert opened.evaluate("document.querySelectorAll('.undrawn').length") == 0
        assert opened.evaluate("document.querySelectorAll('[data-plot=sharing-0] .barlayer .point').length") >= 6
        chromium.close()
