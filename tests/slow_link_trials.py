"""Trials of localising a slow link: a fat tree's ways in closed form, and noise as measured between two ranks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.report.sections.pairs.tournament import Layout

Floats = NDArray[np.float64]
NOISE = Path(__file__).resolve().parent / "kept" / "message_noise.json"


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
