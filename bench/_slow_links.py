"""One slow link of a fat tree: ways in closed form, measured noise, evidence as a contract has it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.case import Case
from assay.decide.contract import Requirement
from assay.decide.evidence import NodeEvidence
from assay.decide.part_evidence import evidence_of_passes
from assay.report.sections.pairs.tournament import Layout, PairReadings, Passes, candidate_kinds
from bench._launch_figure import figure_by_launch

Floats = NDArray[np.float64]
NOISE = Path(__file__).resolve().parent.parent / "tests" / "kept" / "message_noise.json"
LENGTH = 262144  # B
STEP = 0.02  # of a message's time: what a coarse clock counts in


@dataclass(frozen=True)
class TrialTree:
    """A fat tree, with its measured noise: logarithms of messages' times over their median (runs, ways, times)."""

    layout: Layout
    pool: Floats

    @property
    def links(self) -> int:
        """How many links there are."""
        return len(self.layout.ends)


def tree_of_trials(leaves: int = 8, nodes: int = 8) -> TrialTree:
    """Give a tree of so many leaves of so many nodes."""
    layout = tree(leaves, nodes)
    layout.bundled = True  # no message waits for another one here
    return TrialTree(layout, measured())


def link_trial(
    requirement: Requirement,
    of: TrialTree,
    launches: int,
    dice: np.random.Generator,
    fault: float,
    disturbed: str = "noise alone",
) -> tuple[list[NodeEvidence], str | None]:
    """Give the evidence of a tournament with one link slower by `fault`, and the name of that link.

    `disturbed`: "hog": in each launch another node's messages take up to twice as long; "coarse clock": steps of 2%.
    """
    layout = of.layout
    assert layout.links is not None
    logs, link = noise(layout, launches, dice, of.pool), int(dice.integers(of.links))
    logs[:, (layout.links == link).any(axis=1)] += np.log1p(fault)
    if disturbed == "hog":
        for launch in logs:
            node = dice.integers(layout.ranks)
            here = (layout.source == node) | (layout.target == node)
            launch[here] += np.log1p(dice.random(int(here.sum())))
    if disturbed == "coarse clock":
        logs = np.log(np.maximum(np.round(np.exp(logs) / STEP), 1) * STEP)
    passes = Passes(LENGTH, logs, list(range(launches)), [list(range(layout.ranks))] * launches)
    read = PairReadings(Case({"ranks": layout.ranks}), layout, candidate_kinds(layout), [passes])
    whole = NodeEvidence(
        "all ranks",
        figure_by_launch("tournament", "time", "s", np.exp(np.median(logs, axis=1)), Case({"bytes": LENGTH})),
    )
    return evidence_of_passes(requirement, read, passes, whole), f"link {layout.ends[link][0]}" if fault else None


def tree(leaves: int, nodes: int) -> Layout:
    """Two levels of switches, so many leaves of so many nodes, as many spines as a leaf has nodes, by d-mod-k.

    Links: up from leaf l to spine s is l * nodes + s, down again leaves * nodes more.
    """
    ranks = leaves * nodes
    layout = Layout(ranks, np.arange(ranks), [str(node) for node in range(ranks)])
    away = layout.source // nodes != layout.target // nodes
    spine = layout.target % nodes
    up, down = layout.source // nodes * nodes + spine, (leaves + layout.target // nodes) * nodes + spine
    layout.links = np.stack([np.where(away, way, -1) for way in (up, down)], axis=1)
    place = [divmod(at, nodes) for at in range(leaves * nodes)]
    layout.ends = [[f"router {a} to {leaves + b}", "network", a, leaves + b] for a, b in place]
    layout.ends += [[f"router {leaves + b} to {a}", "network", leaves + b, a] for a, b in place]
    return layout


def measured() -> Floats:
    """Logarithms of messages' times over their median (runs, ways, times in order)."""
    found: Floats = np.asarray(json.loads(NOISE.read_text())["runs"]) / 1000
    return found


def noise(layout: Layout, passes: int, dice: np.random.Generator, pool: Floats) -> Floats:
    """Noise of each reading (passes, readings): each node's is a stretch of the measured, begun anew each pass.

    A node's messages of a pass follow one another in a random order of rounds; bursts of noise last as they did.
    """
    flat = pool.reshape(-1, pool.shape[-1])
    step = np.stack([dice.permuted(np.tile(np.arange(layout.ranks), (layout.ranks, 1)), axis=1) for _ in range(passes)])
    which = dice.integers(len(flat), size=(passes, layout.ranks))
    begin = dice.integers(flat.shape[1] - layout.ranks, size=(passes, layout.ranks))
    found: Floats = flat[which[:, layout.source], begin[:, layout.source] + step[:, layout.source, layout.target]]
    return found
