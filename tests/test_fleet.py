"""Nodes of a fleet that differ: false names at most at the stated rate, a slow node of 64 found, how it is shown."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from assay.analysis.figures import CaseSamples
from assay.analysis.nodes import FALSE_NAMES, MARGIN, family_size, named_of, odd_nodes
from assay.benchmark.record import Benchmark, Figure, Metric
from assay.case import Case
from assay.document.cause import DisturbanceCause
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.drain import drain_line
from assay.report.derive.fleet import fleet as of_fleet
from assay.report.render import page, terminal
from assay.report.render.markdown import markdown
from assay.report.sections import node_levels, node_outliers
from by_night import by_night
from made_documents import document

Noise = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
NOISE: dict[str, Noise] = {
    "normal": lambda dice, shape: dice.normal(0, 0.03, shape),
    "heavy tails": lambda dice, shape: 0.03 * dice.standard_t(3, shape),
    "interference": lambda dice, shape: (
        0.02 * dice.random(shape) + (dice.random(shape) < 0.15) * dice.exponential(1, shape)
    ),
    "coarse clock": lambda dice, shape: np.round(dice.normal(0, 0.03, shape), 1),
}
RECORD = Benchmark(
    name="triad", title="Triad", part="memory", kind="node", summary="", cost="", check="", source="", path=Path(),
    metrics={"time": Metric("time", "s", "")},
    figures={"rate": Figure("rate", "time", "B/s", "", "8 / value", "higher", headline=True)},
)  # fmt: skip
EDGE = 0.999 * math.log1p(MARGIN)


def samples(levels: np.ndarray, case: int = 0) -> CaseSamples:
    """One benchmark's times on nodes, from logarithms (launches, nodes)."""
    times = np.exp(levels)
    launches = {(f"n{node}", at): times[at, node : node + 1] for at, node in np.ndindex(times.shape)}
    return CaseSamples("time", Case({"case": case}), launches, (), 1)


def named(cells: list[CaseSamples]) -> list[str]:
    odd = odd_nodes(cells)
    sure = named_of([node.p for node in odd], family_size(cells))
    return [node.host for node, each in zip(odd, sure, strict=True) if each]


@pytest.mark.parametrize("noise", by_night(NOISE, ["normal", "interference"]))
@pytest.mark.parametrize(("nodes", "launches", "fleets"), [(8, 10, 300), (64, 6, 60)])
def test_of_healthy_fleets_at_most_the_stated_share_has_a_node_named(
    noise: str, nodes: int, launches: int, fleets: int
) -> None:
    """The worst case: a node in four is slower by all of the margin, and all launches have noise."""
    dice = np.random.default_rng([7, nodes])
    slower = np.where(np.arange(nodes) % 4 == 1, EDGE, 0.0)
    count = sum(
        bool(named([samples(NOISE[noise](dice, (launches, nodes)) + slower, case) for case in range(3)]))
        for _ in range(fleets)
    )
    assert count <= stats.binom.ppf(1 - 1e-4, fleets, FALSE_NAMES)


@pytest.mark.parametrize("noise", NOISE)
def test_a_node_of_64_that_is_a_quarter_slower_is_named_and_no_other(noise: str) -> None:
    """With interference in a seventh of all launches it takes more launches: ten of 64 nodes seem slower in each."""
    launches = 24 if noise == "interference" else 10
    dice = np.random.default_rng(3)
    found = []
    for _ in range(20):
        levels = NOISE[noise](dice, (launches, 64)) + np.where(np.arange(64) == 7, math.log(1.25), 0.0)
        found.append(named([samples(levels), samples(NOISE[noise](dice, (launches, 64)), 1)]))
    assert found.count(["n7"]) >= 19


def test_two_slow_nodes_of_eight_do_not_hide_each_other() -> None:
    levels = np.random.default_rng(4).normal(0, 0.01, (10, 8))
    levels[:, [2, 5]] += math.log(2)
    assert sorted(named([samples(levels)])) == ["n2", "n5"]


def test_a_node_that_only_varies_more_than_others_is_not_named() -> None:
    """A node whose launches are four times as far apart as others', at the edge of the margin."""
    dice = np.random.default_rng(5)
    count = 0
    for _ in range(300):
        levels = dice.normal(0, 0.02, (10, 8))
        levels[:, 3] = 4 * levels[:, 3] + EDGE
        count += bool(named([samples(levels)]))
    assert count <= stats.binom.ppf(1 - 1e-4, 300, FALSE_NAMES)


def test_three_launches_name_no_node_of_eight_but_suspect_it() -> None:
    levels = np.random.default_rng(6).normal(0, 0.005, (3, 8))
    levels[:, 5] += math.log(1.3)
    (odd,) = odd_nodes([samples(levels)])
    assert odd.host == "n5" and odd.launches == 3 and named([samples(levels)]) == []


def test_all_benchmarks_of_a_run_are_one_family() -> None:
    """What is enough among few tests is not among many; Holm's step is one after the other."""
    assert named_of([0.0009], 10) == [True] and named_of([0.0009], 100) == [False]
    assert named_of([0.006, 0.004], 2) == [True, True] and named_of([0.006], 2) == [False]


def seen(levels: np.ndarray, causes: list[DisturbanceCause] | None = None) -> Document:
    odd, found = of_fleet(RECORD, [samples(levels)])
    section = Section(benchmark="triad", title="Triad", part="memory", state="clean", odd_nodes=odd, fleet=found)
    made = replace(document(), benchmarks=[section], causes=causes or [])
    assert node_outliers.SECTION.complete is not None
    return node_outliers.SECTION.complete(None, made)  # type: ignore[arg-type]  # the run's files are not read


def slow_fleet(nodes: int = 64) -> np.ndarray:
    levels = np.random.default_rng(8).normal(0, 0.01, (10, nodes))
    levels[:, 7] += math.log(2)
    return levels


def test_the_line_that_drains_a_node_is_printed_for_a_slow_one_and_not_for_a_fast_one() -> None:
    (line,) = node_outliers.SECTION.of_run.lines(seen(slow_fleet()))  # type: ignore[union-attr]
    words = shlex.split(line)
    assert words[:4] == ["scontrol", "update", "NodeName=n7", "State=DRAIN"]
    assert words[4].startswith("Reason=assay: triad time 99%") and "above the nodes' median" in words[4]
    assert node_outliers.SECTION.of_run.lines(seen(-slow_fleet())) == []  # type: ignore[union-attr]


def test_a_node_with_others_work_is_said_to_have_it_and_is_not_drained() -> None:
    cause = DisturbanceCause(
        cause="others", host="n7", text="other processes used up to 1 of 2 hardware threads", begin=None, end=None,
        amount=1.0, figures=[], processes=[], advice="",
    )  # fmt: skip
    found = seen(slow_fleet(), [cause])
    assert node_outliers.SECTION.of_run.lines(found) == []  # type: ignore[union-attr]
    (text,) = [each.text for each in node_outliers.SECTION.findings(found)]
    assert "node n7 differs" in text and "other processes used" in text


def test_a_suspect_comes_with_the_command_that_repeats_it_and_a_few_others() -> None:
    (found,) = node_outliers.SECTION.findings(seen(slow_fleet()[:2]))
    assert "may differ" in found.text
    words = shlex.split(found.advice.partition(": ")[2])
    assert words[:3] == ["assay", "run", "triad"] and words[4].startswith("slurm:--nodelist=n7,") and "-N" in words
    assert len(words[4].split(",")) == 4 == int(words[words.index("-N") + 1])


def test_a_drain_line_is_one_line_of_bounded_length_whatever_the_reason() -> None:
    words = shlex.split(drain_line("n1", 'a "b" = c\nd; rm -rf / ' + "x" * 500))
    assert len(words) == 5 and "\n" not in words[4] and '"' not in words[4] and len(words[4]) < 140


def test_the_heat_map_has_every_node_and_the_terminal_only_those_that_differ() -> None:
    found = seen(slow_fleet())
    (plot,) = node_levels.SECTION.of_run.plots(found)  # type: ignore[union-attr]
    (trace,) = plot["data"]
    assert len(trace["y"]) == 64 and trace["y"][0] == "n7" and trace["x"] == ["triad rate (case 0)"]
    assert trace["z"][0][0] == pytest.approx(0.5, abs=0.02)  # half the rate: 50% worse
    out = StringIO()
    terminal.show(found, Console(file=out, width=100))
    assert "Nodes and figures" in out.getvalue() and "n7" in out.getvalue() and "n12" not in out.getvalue()
    assert "Nodes and figures" in page.html(found) and "Nodes that differ" in markdown(found)
    even = seen(np.zeros((10, 8)))
    assert node_levels.SECTION.of_run.terminal_tables(even) == []  # type: ignore[union-attr,misc]
