"""Studies: files validated, points independent of who runs them, verdicts by statistics, shipped ones complete."""

from __future__ import annotations

import json
import math
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.document import split_pages
from assay.errors import InputError
from assay.network import prediction, workers
from assay.network.study import document, file, plots, running
from assay.network.study.results import Bracket, Point, Results, rate_of
from assay.published.judge import fact, verdict, within
from assay.validation.ghosh import answered, claims, judging
from assay.validation.ghosh import page as paper
from assay.validation.ghosh.choices import CHOICES
from assay.validation.ghosh.points import alike, less, ratio, trend, value

DOCS = Path(__file__).resolve().parent.parent / "docs"
SMALL = """
[study]
title = "A small one"
claims = ["ghosh.b1-saturates-before-b0", "ghosh.no-such"]
judge_cycles = 40000
[network]
topology = "hypercube"
dimension = 3
[io]
interval = "156 us"
[method]
cycles = 20000
warmup_cycles = 1000
replications = 3
[sweep]
"io.b" = [0, 1]
"io.locality" = [0.2, 1.0]
[saturation]
precision = 0.35
seeds = 1
cycles = 5000
[saturation.sweep]
"io.b" = [0, 1]
[[plot]]
title = "Reads"
y = "read"
x = "locality"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def points(*means: list[float]) -> list[Point]:
    return [Point({"io.b": at}, 1.0, {"read": list(m)}, False, (1.0, 1.0)) for at, m in enumerate(means)]


def test_a_study_end_to_end_and_gone_on_with(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "points.jsonl"
    study = file.load(str(small))
    first = running.make(study, None, out)
    assert [point.setting["io.b"] for point in first.points] == [0, 0, 1, 1]
    assert all(len(point.means["pe_pe"]) == 3 for point in first.points)
    assert [len(one.brackets) for one in first.brackets] == [1, 1]
    assert first.bracket(b=0).low < first.bracket(b=0).high
    kept = out.read_text()
    again = running.make(study, None, out)  # nothing is made anew
    assert out.read_text() == kept
    assert answered.document(again) == answered.document(first)
    with workers.executor("threads", 2) as pool:
        threaded = running.make(study, pool)
    assert [point.means for point in threaded.points] == [point.means for point in first.points]
    found = answered.document(first)
    json.dumps(found, allow_nan=False)
    assert found["claims"][1]["outcome"] == "inconclusive"
    assert "A small one" in answered.words(first)
    svg = plots.draw(first, study.plots[0])
    assert svg.startswith("<svg") and "Reads" in svg


def test_total_latency_is_the_header_latency_and_the_constant_c(small: Path) -> None:
    point = Point({}, 6.4, {"pe_pe": [3.0, 3.0], "io_pe": [9.0, 9.0]}, False, (0, 0))
    # c = 200 us + (size - 1) 0.05 us
    assert document.totals(point) == pytest.approx({"pe_pe": 204.55, "io_pe": 413.75})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('"io.b" = [0, 1]\n"io.locality"', '"io.c" = [0, 1]\n"io.locality"'),
        ('title = "A small one"', ""),
        ("[sweep]", "[sweeps]"),
        ('y = "read"', 'z = "read"'),
        ("seeds = 1", "seeds = 0"),
        ('"io.locality" = [0.2, 1.0]', '"io.locality" = [0.2, 1.5]'),
        ('"io.b" = [0, 1]', '"b" = [0, 1]'),
        ('"io.b" = [0, 1]', '"io.b" = []'),
    ],
)
def test_what_is_wrong_in_a_file_is_said(small: Path, change: str, words: str) -> None:
    small.write_text(SMALL.replace(change, words, 1))
    with pytest.raises(InputError, match=r"small\.toml"):
        list(file.load(str(small)).points())


def test_a_study_without_messages_of_the_network_says_nothing_of_them(small: Path) -> None:
    made = Results(file.load(str(small)), [], [])
    assert "messages" not in document.words(made) and "messages" not in document.brief(made)
    made.messages, made.cpu_seconds = 1500, 0.25
    assert document.words(made).endswith("1,500 messages, 0.2 CPU s")
    assert document.brief(made).endswith("1,500 messages, 0.2 CPU s")


def test_an_unknown_study_names_those_that_are_known() -> None:
    with pytest.raises(InputError, match="fig4"):
        file.load("fig99")


def test_shipped_studies_describe_themselves_and_answer_every_claim_once() -> None:
    studies = [file.load(name) for name in file.shipped()]
    answered = [claim for study in studies for claim in study.head.claims]
    assert sorted(answered) == sorted(claims.published())
    for study in studies:
        assert study.head.text
        for _, described in [*study.points(), *study.saturations()]:
            assert described.io is not None or study.name in ("networks", "wires")
        assert len(study.plots) <= 6
        points = [Point(setting, rate_of(described), {}, False, (0, 0)) for setting, described in study.points()]
        for plot in study.plots:
            drawn = [point for point in points if point.has(**plot.where)]
            curves = len({point.value(plot.series) for point in drawn})
            assert len({(point.value(plot.series), point.value(plot.x)) for point in drawn}) == len(drawn) > curves
    figures = " ".join(study.head.figure for study in studies)
    assert all(name in figures for name in ("4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "Table 2"))
    claims.evaluate(Results(studies[0], [], []))
    assert set(judging.JUDGES) == set(claims.published())


def test_figure_4_has_the_points_of_the_paper() -> None:
    study = file.load("fig4")
    experiment = next(
        one
        for one in tomllib.loads(
            (Path(str(file.files("assay.catalogue"))) / "published" / "ghosh_parallel_io.toml").read_text()
        )["experiment"]
        if one["id"] == "fig4"
    )
    found = [(d.io.b, d.io.interval * d.cycle * 1e3) for _, d in study.points() if d.io is not None]
    expected = [(b, t) for b in experiment["sweep"]["b"] for t in experiment["sweep"]["t_a_ms"]]
    assert found == [(b, pytest.approx(t)) for b, t in expected]


def test_every_open_point_of_the_paper_has_a_choice() -> None:
    from assay.machine import catalogue, published

    open_points = {one.id for one in catalogue.load().of(published.Ambiguity) if one.paper == paper.PAPER}
    assert open_points == set(CHOICES)


def test_verdicts_need_the_whole_interval() -> None:
    assert within((1, 2), (0.5, 3)) == "holds"
    assert within((1, 2), (1.5, 3)) == "inconclusive"
    assert within((1, 2), (2.5, 3)) == "differs"
    assert within((-math.inf, math.inf), (0, 1)) == "inconclusive"
    low, high, other = points([1.0, 1.1, 0.9, 1.0], [2.0, 2.1, 1.9, 2.0], [1.11, 1.01, 1.01, 0.91])
    assert less(low, high, "read", ("a", "b")).outcome == "holds"
    assert less(high, low, "read", ("a", "b")).outcome == "differs"
    assert less(low, other, "read", ("a", "b")).outcome == "inconclusive"
    assert alike(low, high, "read", ("a", "b"), 0.1).outcome == "differs"
    assert alike(low, other, "read", ("a", "b"), 0.5).outcome == "holds"
    assert alike(low, other, "read", ("a", "b"), 0.05).outcome == "inconclusive"
    assert value(low, "read", 1.0, 0.2, "a").outcome == "holds"
    assert value(low, "read", 3.0, 0.2, "a").outcome == "differs"
    assert [part.outcome for part in trend([low, high], "read", "b", rising=True)] == ["holds"]
    assert [part.outcome for part in trend([low, high], "read", "b", rising=False)] == ["differs"]
    parts = [fact(True, ""), fact(False, "")]
    assert verdict("x", parts).outcome == "differs"
    assert verdict("x", parts[:1]).outcome == "holds"
    assert verdict("x", []).outcome == "inconclusive"


def test_the_ratio_is_students_on_logarithms() -> None:
    from scipy.stats import ttest_ind, ttest_rel

    rng = np.random.default_rng(5)
    a, b = rng.lognormal(1, 0.1, 10), rng.lognormal(1.2, 0.3, 10)
    one, other = points(list(a), list(b))
    middle, (low, high) = ratio(one, other, "read")
    paired = ttest_rel(np.log(a), np.log(b)).confidence_interval(0.95)
    assert (np.log(low), np.log(high)) == pytest.approx((paired.low, paired.high))
    welch = ttest_ind(np.log(a[:7]), np.log(b), equal_var=False).confidence_interval(0.95)
    _, (low, high) = ratio(points(list(a[:7]))[0], other, "read")
    assert (np.log(low), np.log(high)) == pytest.approx((welch.low, welch.high))
    assert middle == pytest.approx(np.exp(np.log(a).mean() - np.log(b).mean()))


@settings(max_examples=50)
@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=10), st.floats(0.5, 2))
def test_the_interval_holds_the_ratio_and_turns_with_it(means: list[float], factor: float) -> None:
    one, other = points(means, [factor * mean for mean in means])
    middle, (low, high) = ratio(one, other, "read")
    assert middle == pytest.approx(1 / factor)
    assert low <= middle * (1 + 1e-12) and middle <= high * (1 + 1e-12)
    back, _ = ratio(other, one, "read")
    assert back == pytest.approx(factor)


def test_claims_about_saturation_are_judged_by_brackets() -> None:
    def judge(one: tuple[float, float], none: tuple[float, float]) -> str:
        study = file.load("table2")
        brackets = [Bracket({"io.b": 1}, [one]), Bracket({"io.b": 0}, [none])]
        found = {verdict.claim: verdict.outcome for verdict in claims.evaluate(Results(study, [], brackets))}
        assert found["ghosh.saturation-b2-simulation"] == "inconclusive"
        return found["ghosh.b1-saturates-before-b0"]

    assert judge((11, 12), (19, 20)) == "holds"
    assert judge((21, 22), (19, 20)) == "differs"
    assert judge((18, 22), (19, 20)) == "inconclusive"


@pytest.mark.parametrize("dimension", [3, 7])
def test_queues_predict_what_is_simulated_at_low_traffic(dimension: int) -> None:
    from assay.network.tasks import task

    tree: dict[str, Any] = {"network": {"topology": "hypercube", "dimension": dimension}}
    tree["io"] = {"interval": 600_000.0, "b": 2}
    described = file.description.parse(tree, file.Source(Path("x"), ""))
    run = task(described, 0, 10_000, 2_000_000_000).make()
    predicted = prediction.predict(described)
    for kind, share in (("pe_pe", 0.1), ("pe_io", 0.03), ("io_io", 0.05), ("io_pe", 0.25)):
        simulated = run.latencies[f"{kind}_latency"].mean * 0.05
        assert predicted[kind] == pytest.approx(simulated, rel=share), kind


def test_exact_rates_give_the_papers_bound_for_b_0() -> None:
    tree: dict[str, Any] = {"network": {"topology": "hypercube", "dimension": 7}, "io": {"b": 0}}
    found = prediction.saturation(file.description.parse(tree, file.Source(Path("x"), "")))
    assert found["busiest"] == pytest.approx(26.3, rel=0.02)  # 26.67: requests and local replies counted as they go
    assert found["saturation"] < found["busiest"]


def test_with_messages_over_one_channel_apart_the_queues_give_table_2() -> None:
    for b, published in ((1, 11.3), (2, 23.7)):
        tree: dict[str, Any] = {"network": {"topology": "hypercube", "dimension": 7}, "io": {"b": b}}
        found = prediction.saturation(file.description.parse(tree, file.Source(Path("x"), "")), apart=True)
        assert found["saturation"] == pytest.approx(published, rel=0.03)


@pytest.mark.parametrize(
    ("network", "load"),
    [
        ({"topology": "hypercube", "dimension": 6}, 0.2),
        ({"topology": "mesh", "extents": [8, 8]}, 0.1),
        ({"topology": "k-ary-n-tree", "radix": 4, "levels": 2, "up": "random"}, 0.1),
        ({"topology": "hyperx", "extents": [4, 4]}, 0.3),
        ({"topology": "mesh", "extents": [4, 4], "head_ticks": 5, "node_head_ticks": 9}, 0.01),
    ],
)
def test_queues_predict_other_networks_too(network: dict[str, Any], load: float) -> None:
    from assay.network.tasks import task

    tree = {"network": network, "traffic": {"load": load}}
    described = file.description.parse(tree, file.Source(Path("x"), ""))
    simulated = task(described, 0, 5000, 300_000).make().latencies["header_latency"].mean * described.cycle * 1e6
    assert prediction.predict(described, apart=True)["header"] == pytest.approx(simulated, rel=0.08)


def test_every_table_of_the_page_is_as_wide_as_its_head() -> None:
    page = split_pages.read(DOCS, "ghosh")
    for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        widths = [len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()]
        assert set(widths) == {widths[0]}, table[:200]


def test_saturation_is_in_the_unit_of_the_study() -> None:
    bracket = Bracket({"label": "a mesh"}, [(0.2, 0.3)], 0.25, 0.5)
    text = "\n".join(paper.page([Results(file.load("networks"), [], [bracket])]))
    assert "| machine | flits per node per cycle | seeds | queues | busiest channel full |" in text
    assert "| a mesh | 0.2 to 0.3 | 1 | 0.25 | 0.5 |" in text


@pytest.mark.parametrize("picture", sorted((DOCS / "ghosh").glob("*.svg")), ids=lambda path: path.stem)
def test_curves_fill_their_picture(picture: Path) -> None:
    """Marks of the points are spread over a good part of the height, whatever saturated networks and queues reach."""
    root = ElementTree.parse(picture).getroot()
    curves = [str(path.get("d")) for path in root.iter() if path.get("clip-path")]  # those of the legend have none
    heights = [float(down) for path in curves for down in re.findall(r"M-?[\d.]+ ?(-?[\d.]+)h0", path)]
    whole = float(str(root.get("viewBox")).split()[3])
    inside = [height for height in heights if 0 <= height <= whole]
    assert max(inside) - min(inside) > 0.2 * whole


def test_the_page_names_what_differs(small: Path) -> None:
    study = file.load(str(small))
    low, high = points([1.0, 1.1], [2.0, 2.1])
    text = "\n".join(paper.page([Results(study, [low, high], [Bracket({"io.b": 1}, [(1, 2)])])]))
    assert "A small one" in text and "1 to 2" in text
    assert all(f"**{name}**" in text for name in CHOICES)
