"""Routes that are drawn, adapt, or go round failed parts: the times of engine and twin, on the ways the engine took.

Such a route cannot be found twice, so the twin is given the links and the way that each message took (the laws of
the routes themselves are tests/test_routing_laws.py) and must deliver every head and tail in the same cycle.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import twin_cases
from assay._core import network

SEED, MESSAGES = 20261120, 300
HOW = ("switching", "buffer_packets")  # of messages, not of links
TREE = {"topology": "k-ary-n-tree", "radix": 2, "levels": 3}
FAT = {"topology": "fat-tree", "children": [3, 3, 2], "parents": [3, 2], "level_channels": [1, 2]}
MESH_LINKS = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 2], [0, 4]]
NETWORKS: list[dict[str, Any]] = [
    TREE | {"up": "random"},
    TREE | {"up": "adaptive"},
    FAT | {"up": "random"},
    FAT | {"up": "adaptive"},
    {"topology": "graph", "links": MESH_LINKS},
    {"topology": "graph", "links": MESH_LINKS, "equals": "adaptive"},
    {"topology": "graph", "links": MESH_LINKS, "nodes": [0, 0, 3, 2], "equals": "random"},
    {"topology": "torus", "extents": [4, 4], "routing": "up-down", "equals": "random"},
    {"topology": "hypercube", "dimension": 4, "routing": "up-down", "root": 5, "equals": "adaptive"},
    {"topology": "hypercube", "dimension": 4, "routing": "up-down", "failed_links": [[0, 1], [6, 7], [12, 8]]},
    {"topology": "mesh", "extents": [4, 4], "routing": "up-down", "failed_links": [[0, 1], [5, 6]]},
    TREE | {"up": "adaptive", "failed_links": [[0, 4], [1, 4]]},
]


def switching(random: np.random.Generator) -> dict[str, Any]:
    """Keys of [network] that say how messages move."""
    how: dict[str, Any] = {"switching": str(random.choice(twin_cases.SWITCHINGS))}
    how["buffer_flits"] = int(random.choice([1, 1, 2, 4, 9]))
    if how["switching"] in ("cut-through", "store-and-forward"):
        how["buffer_packets"] = int(random.choice([0, 1, 2, 3]))
    if random.random() < 0.5:
        how |= {key: int(value) for key, value in twin_cases.speeds(random).items()}
    return how


def played(number: int) -> tuple[twin_cases.Case, dict[str, Any]] | None:
    """A case for the twin with the links and ways of the engine, and what the engine says; None if unroutable."""
    random = np.random.default_rng([SEED, number])
    config = NETWORKS[number % len(NETWORKS)] | switching(random)
    built = network.build_network({key: config[key] for key in config if key not in HOW})
    rows = twin_cases.traffic(random, built.processors, MESSAGES)
    columns = np.ascontiguousarray(rows.T)
    found = network.replay({"network": config}, *columns, crossings=True)
    instant = config.get("credit_ticks", 0) == 0 and config.get("buffer_packets", 1) > 1
    assert found["engine"] == "worm" or (found["engine"] == "packet" and instant)
    if found["deadlock"] is not None or found["unroutable"] or (found["tail"] < 0).any():
        return None
    ways: list[list[int]] = [[] for _ in range(MESSAGES)]
    for message, link in zip(found["crossings"]["message"], found["crossings"]["link"], strict=True):
        ways[message].append(int(link))
    short = ("flit", "body", "head", "credit")
    lines = []
    for link in built.links:
        end = {"network": ("r", "r"), "injection": ("n", "r"), "ejection": ("r", "n")}[link["kind"]]
        speeds = " ".join(f"{key}={link[f'{key}_ticks']}" for key in short)
        ends = f"{end[0]}{link['from']} {end[1]}{link['to']}"
        lines.append(f"link {ends} {speeds} buffer={link['buffer_flits']} channels={link['channels']}")
    lines += ["path " + " ".join(map(str, way)) for way in ways]
    keys = {"topology": "given"} | {key: str(config[key]) for key in ("switching", "buffer_packets") if key in config}
    return twin_cases.Case(f"routes.{number}", keys, rows, lines), found


def test_times_on_given_routes_do_not_differ(tmp_path: Path) -> None:
    drawn = [each for number in range(10 * len(NETWORKS)) if (each := played(number))]
    assert len(drawn) == 10 * len(NETWORKS)
    cases = [case for case, _ in drawn]
    said = twin_cases.play(twin_cases.twin(), cases, tmp_path).split("case ")[1:]
    for (case, found), block in zip(drawn, said, strict=True):
        ours = zip(case.messages[:, 0], found["head"], found["tail"], found["hops"], strict=True)
        theirs = [tuple(map(int, row.split())) for row in block.splitlines()[1:]]
        wrong = [(a, b) for a, b in zip([tuple(map(int, each)) for each in ours], theirs, strict=True) if a != b]
        assert not wrong, f"{case.name} {case.keys}: {len(wrong)} differ, engine and twin: {wrong[0]}"


@pytest.mark.parametrize("config", [NETWORKS[0], NETWORKS[1], NETWORKS[5]])
def test_routes_are_really_left_open(config: dict[str, Any]) -> None:
    """Else this file would test nothing that tests/test_twin_comparison.py does not."""
    built = network.build_network({key: config[key] for key in config if key not in HOW})
    pairs = [(a, b) for a in range(built.processors) for b in range(built.processors)]
    assert any(len(built.routes(*pair)) > 1 for pair in pairs)
