"""Words of the simulated paper are judged by what its print allows: definitions, grids, runs, and errors shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.document import split_pages
from assay.machine import catalogue
from assay.network.study import file
from assay.network.study.results import Bracket, Point, Results
from assay.published.cells import allowance
from assay.validation.claims import sensitivity
from assay.validation.ghosh import claims, judging, page
from assay.validation.ghosh.points import close_on_plot, rises, span

DOCS = Path(__file__).resolve().parent.parent / "docs"


def judged(name: str, study: str, points: list[Point], brackets: list[Bracket] | None = None) -> dict[str, list[str]]:
    """Outcomes and numbers of one claim's parts."""
    claim = claims.published()[name]
    parts = judging.JUDGES[name](Results(file.load(study), points, brackets or []), claim)
    return {"outcomes": [str(part.outcome) for part in parts], "numbers": [part.numbers for part in parts]}


def width(m: int, read: float) -> Point:
    means = {"read": [read * (1 + 0.001 * i) for i in range(10)]}
    return Point({"io.m": m, "io.interval": 3120.0}, 1000 / 156, means, False, (0, 0))


def test_the_gain_of_a_second_channel_is_of_header_latencies() -> None:
    """As everywhere else: 40% of the header latencies hold, 40% of something longer does not."""
    found = judged("ghosh.m2-gain", "width-m", [width(1, 100.0), width(2, 60.0), width(4, 59.0)])
    assert found["outcomes"] == ["holds", "holds"]
    found = judged("ghosh.m2-gain", "width-m", [width(1, 116.0), width(2, 15.7), width(4, 7.7)])
    assert found["outcomes"] == ["differs", "differs"]
    assert "m = 2 gains 86%" in found["numbers"][0]
    assert "with the transfer it would be 31%" in found["numbers"][0]


def test_around_a_rate_is_half_way_to_the_next_that_is_printed() -> None:
    for bracket, outcome in (((21.0, 22.0), "holds"), ((19.4, 20.0), "differs"), ((20.0, 21.0), "inconclusive")):
        one = Bracket({"io.b": 0}, [bracket])
        assert judged("ghosh.saturation-b0-simulation", "table2", [], [one])["outcomes"] == [outcome]


def located(b: int, locality: float, read: float) -> Point:
    means = {kind: [value * (1 + 0.001 * i) for i in range(10)] for kind, value in (("read", read), ("pe_pe", 4.0))}
    return Point({"io.b": b, "io.locality": locality, "io.interval": 3120.0}, 1000 / 156, means, False, (0, 0))


def test_little_difference_is_the_same_everywhere() -> None:
    """Reads 16% of the plot's range apart are not little different, those 1% apart are."""
    near = [located(b, at, 10.0 + 0.1 * (1 - at)) for b in (2, 3, 4) for at in (0.0, 1.0)]
    far = [located(b, at, 10.0 + 14.0 * (1 - at)) for b in (2, 3, 4) for at in (0.0, 1.0)]
    control = [located(0, at, 10.0 + 90.0 * (1 - at)) for at in (0.0, 1.0)]
    assert set(judged("ghosh.locality-indifferent-b2", "fig8", [*near, *control])["outcomes"]) == {"holds"}
    assert "differs" in judged("ghosh.locality-indifferent-b2", "fig8", [*far, *control])["outcomes"]
    known = claims.published()
    little = {known[name].tol_rel for name in ("ghosh.locality-indifferent-b2", "ghosh.n3-enough")}
    assert little == {allowance.LITTLE}


def analysed(b: int, rate: float, simulated: float, predicted: float | None) -> Point:
    means = {"io_pe": [simulated * (1 + 0.001 * i) for i in range(10)]}
    drawn = {"io_pe": simulated} | ({} if predicted is None else {"io_pe section 6": predicted})
    return Point({"io.b": b, "io.interval": 20000.0 / rate}, rate, means, False, (0, 0), drawn)


def test_agreement_of_the_analysis_is_judged_and_its_errors_are_printed() -> None:
    close = [analysed(b, rate, 10.0, 10.5) for b in (1, 2) for rate in (1.0, 2.0)]
    found = judged("ghosh.analysis-agrees", "fig14", close)
    assert found["outcomes"] == ["holds"] * 4
    assert all("by analysis 10.5 us (+5%), by the general method" in text for text in found["numbers"])
    far = judged("ghosh.analysis-agrees", "fig14", [*close[:3], analysed(2, 2.0, 10.0, 13.0)])
    assert far["outcomes"] == ["holds", "holds", "holds", "differs"]
    gone = judged("ghosh.analysis-agrees", "fig14", [*close[:3], analysed(2, 2.0, 10.0, None)])
    assert "by analysis saturated already" in gone["numbers"][-1]


@pytest.mark.parametrize("name", sorted(file.shipped()))
def test_figures_of_the_paper_have_its_ten_runs_or_more(name: str) -> None:
    study = file.load(name)
    if "Figure" in study.head.figure or study.head.claims:
        for _, described in study.points():
            assert (described.method.replications or 0) >= 10


def test_a_printed_number_allows_half_of_its_last_digit() -> None:
    known = claims.published()
    assert allowance.slack(known["ghosh.pe-pe-3cube"]) == pytest.approx(0.05)
    assert allowance.slack(known["ghosh.saturation-b1-analysis"]) == pytest.approx(0.05)
    assert allowance.slack(known["ghosh.saturation-b0-simulation"]) == pytest.approx(1.4)
    assert {c.id for c in catalogue.load().claims if c.id.startswith("ghosh.") and c.tol_rel == 0.15} == set()


def test_the_page_shows_what_became_of_them() -> None:
    page = split_pages.read(DOCS, "ghosh")
    assert "48 of the paper's 48 claims" in page
    assert "m = 2 gains 86%" in page
    assert "✗ differs**: Latencies by the analysis agree closely" in page
    assert "| ✗ differs | There is little difference between n = 3 and arbitrarily large n. |" in page


def rated(rate: float, io_io: float, spread: float = 0.001, b: int = 4, key: str = "io.io_rate") -> Point:
    means = {"io_io": [io_io * (1 + spread * (i - 4.5)) for i in range(10)]}
    return Point({"io.b": b, key: rate, "io.interval": 3120.0}, 1000 / 156, means, False, (0, 0))


def test_a_drawn_curve_rises_as_a_whole_and_falls_nowhere_that_is_seen() -> None:
    """A floor, where a step is smaller than any interval, is no reason to leave a rising curve open."""
    floor = [rated(0.01, 0.2071), rated(0.03, 0.2070), rated(0.05, 0.22), rated(0.1, 0.36)]
    assert {part.outcome for part in rises(floor, "io_io", "io_rate", 0.05)} == {"holds"}
    level = [rated(0.01, 0.2), rated(0.03, 0.2)]
    assert rises(level, "io_io", "io_rate", 0.05)[-1].outcome == "differs"  # exactly as high at the end
    falls = [rated(0.01, 0.2), rated(0.03, 0.18), rated(0.05, 0.4)]
    assert [part.outcome for part in rises(falls, "io_io", "io_rate", 0.05)] == ["differs", "holds", "holds"]
    noisy = [rated(0.01, 0.2), rated(0.03, 0.2, spread=0.1), rated(0.05, 0.4)]
    assert "inconclusive" in {part.outcome for part in rises(noisy, "io_io", "io_rate", 0.05)}


def cubes(six: tuple[float, float]) -> list[str]:
    brackets = [Bracket({"network.dimension": d, "io.b": 1}, [ends])
                for d, ends in ((3, (28.0, 28.1)), (4, (28.0, 28.1)), (5, (28.0, 28.1)), (6, six))]  # fmt: skip
    return judged("ghosh.b1-same-saturation-all-cubes", "cubes-close", [], brackets)["outcomes"]


def test_the_mean_of_the_cubes_is_known_no_better_than_its_brackets() -> None:
    assert set(cubes((27.0, 27.1))) == {"holds"}
    assert cubes((20.0, 20.1))[-1] == "differs"
    assert cubes((23.2, 23.9))[-1] == "inconclusive"


def test_the_page_says_which_verdicts_rest_on_our_choices() -> None:
    """A read 7% longer at n = 3: little difference with 10%, not with half of it."""

    def width_n(n: int, read: float) -> Point:
        means = {"read": [read * (1 + 0.001 * i) for i in range(10)]}
        return Point({"io.b": 2, "io.n": n, "io.interval": 1560.0}, 1000 / 78, means, False, (0, 0))

    results = Results(file.load("fig13"), [width_n(3, 10.7), width_n(64, 10.0)], [])
    found = sensitivity.changed(lambda: claims.evaluate(results))
    assert found["ghosh.n3-enough"] == ("differs", "holds", "holds")
    text = "\n".join(page.page([results]))
    assert "| `ghosh.n3-enough` | differs | holds | holds |" in text
    written = split_pages.read(DOCS, "ghosh")
    assert "## Allowances that no print gives" in written
    assert "✓ holds (input) | By analysis the control cube" in written


def test_a_reading_chosen_by_a_number_makes_it_an_input() -> None:
    found = {one.claim: one for one in claims.evaluate(Results(file.load("section6"), [], []))}
    inputs = {name for name, one in found.items() if one.mark == "input"}
    chosen = {"ghosh.saturation-b1-analysis", "ghosh.saturation-b2-analysis", "ghosh.saturation-b0-bound"}
    assert inputs == chosen
    assert found["ghosh.saturation-b0-bound"].document()["mark"] == "input"
    assert "mark" not in found["ghosh.bisection-b1"].document()


def cube(d: int, b: int, t_a: float, read: float, pe_pe: float = 3.0, saturated: bool = False) -> Point:
    means = {key: [value * (1 + 1e-4 * i) for i in range(10)] for key, value in (("read", read), ("pe_pe", pe_pe))}
    setting = {"network.dimension": d, "io.b": b, "io.interval": 20 * t_a}
    return Point(setting, 1000 / t_a, means, saturated, (0, 0))


def test_curves_are_as_close_as_a_plot_of_their_range_shows() -> None:
    """Twice as long is 7% of four decades and 30% of one; of a linear plot to 1,000 us 10 us are 1%."""
    one, other = cube(3, 3, 78, 20.0), cube(3, 2, 78, 10.0)
    wide = span([cube(3, 1, 78, 0.1), cube(3, 1, 39, 1000.0)], "read")
    narrow = span([cube(3, 1, 78, 10.0), cube(3, 1, 39, 100.0)], "read")
    found = [close_on_plot(one, other, "read", ("a", "b"), 0.1, whole) for whole in (wide, narrow)]
    assert [part.outcome for part in found] == ["holds", "differs"] and "7.5% of the plot's range" in found[0].numbers
    linear = span([cube(3, 1, 78, 1.0), cube(3, 1, 39, 1001.0)], "read", logarithmic=False)
    part = close_on_plot(one, other, "read", ("a", "b"), 0.1, linear, logarithmic=False)
    assert part.outcome == "holds" and "1.0% of the plot's range" in part.numbers


def test_saturated_cubes_are_compared_at_the_rates_that_the_paper_ran() -> None:
    rising = [cube(d, 1, t_a, d * 1000.0) for d in (3, 4, 5, 6) for t_a in (39, 78)]
    beyond = [cube(d, 1, 30, 1000.0 / d) for d in (3, 4, 5, 6)]
    name = "ghosh.larger-cubes-worse-once-saturated"
    assert set(judged(name, "cubes", [*rising, *beyond], [])["outcomes"]) == {"holds"}


def test_saturation_is_abrupt_where_latency_outgrows_the_rate() -> None:
    brackets = [Bracket({"network.dimension": d, "io.b": 1}, [(15.0, 16.0)]) for d in (3, 4, 5, 6, 7)]

    def outcomes(above: float) -> set[str]:
        points = [cube(d, 1, t_a, read) for d in (3, 4, 5, 6, 7) for t_a, read in ((78, 10.0), (39, above))]
        return set(judged("ghosh.abrupt-saturation", "cubes", points, brackets)["outcomes"])

    assert outcomes(1000.0) == {"holds"}
    assert outcomes(30.0) == {"differs"}  # twice the rate: by less than 2 / 0.6


def test_the_distance_is_compared_with_the_whole_message() -> None:
    points = [cube(d, 2, t_a, 10.0, pe_pe=1.5 + 0.05 * d) for d in (3, 6) for t_a in (625, 78)]
    assert judged("ghosh.distance-insensitive", "cubes", points, [])["outcomes"] == ["holds", "holds"]
    far = [cube(d, 2, 625, 10.0, pe_pe=0.5 * d) for d in (3, 6)]
    assert judged("ghosh.distance-insensitive", "cubes", far, [])["outcomes"] == ["holds", "differs"]
