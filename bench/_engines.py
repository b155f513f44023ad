"""CPU time per head hop and memory per node of each network engine, case by case, beside what is aimed at.

Memory is held to its aim on networks of some 1,000 nodes at half of the load that saturates them. The smaller networks
by which speed is measured have loads of up to 95% of that: messages that wait, and the most that there ever were of
everything, are a greater part of what they take.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

Config = dict[str, Any]
MESH: Config = {"topology": "mesh", "extents": [16, 16]}
SHORT: Config = {"topology": "mesh", "extents": [8, 8], "buffer_flits": 2}
SHORT |= {"head_ticks": 3, "body_ticks": 2, "credit_ticks": 2}
UNLIKE: Config = {"topology": "hypercube", "dimension": 7, "buffer_flits": 4}
UNLIKE |= {"flit_ticks": 2, "body_ticks": 2, "head_ticks": 5}
TORUS: Config = {"topology": "torus", "extents": [16, 16]}
DRAGONFLY: Config = {"topology": "dragonfly", "p": 2, "a": 4, "h": 2}
LANES: Config = {"topology": "torus", "extents": [8, 8], "buffer_flits": 4}
PACKETS: Config = {"switching": "cut-through", "buffer_packets": 2}
SENDERS = 255
BYTES = 400  # a node, that are aimed at


def open_loop(network: Config, load: float, flits: int, cycles: int) -> Config:
    """Uniform traffic of messages of one length."""
    return {
        "network": network,
        "traffic": {"flits": [[flits, 1.0]], "load": load},
        "method": {"seed": 1, "warmup_cycles": cycles // 10, "cycles": cycles, "batches": 32},
    }


LARGE: Config = {"extents": [32, 32]}
UGAL: Config = {"routing": "ugal"}
GROUPS: Config = {"topology": "dragonfly", "p": 4, "a": 8, "h": 4}

# name, network, flits per message, the load that saturates (found by bisection to 5%)
MEMORY: tuple[tuple[str, Config, int, float], ...] = (
    ("worm: unit mesh 32 x 32", MESH | LARGE, 32, 0.053),
    ("worm: 10-cube, 2 ticks per flit, 5 per head", UNLIKE | {"dimension": 10}, 32, 0.195),
    ("worm: short buffers, mesh 32 x 32", SHORT | LARGE, 32, 0.022),
    ("worm: the same, 512 flits", SHORT | LARGE, 512, 0.022),
    ("packet: mesh 32 x 32", MESH | PACKETS | LARGE, 32, 0.105),
    ("packet: torus 32 x 32", TORUS | PACKETS | LARGE, 32, 0.148),
    ("packet: torus 32 x 32, UGAL", TORUS | PACKETS | LARGE | UGAL, 32, 0.148),
    ("flit: torus 32 x 32", LANES | LARGE, 32, 0.072),
    ("flit: torus 32 x 32, 512 flits", LANES | LARGE, 512, 0.068),
    ("flit: torus 32 x 32, UGAL", LANES | LARGE | UGAL, 32, 0.062),
    ("flit: dragonfly of 1,056 nodes", GROUPS | {"buffer_flits": 4}, 32, 0.312),
    ("flit: dragonfly of 1,056 nodes, UGAL", GROUPS | {"buffer_flits": 4} | UGAL, 32, 0.25),
)

# name, configuration, ns per head hop that are aimed at
CASES: tuple[tuple[str, Config, float], ...] = (
    ("worm: unit mesh 16 x 16", open_loop(MESH, 0.1, 32, 50_000), 40),
    ("worm: 7-cube, 2 ticks per flit, 5 per head", open_loop(UNLIKE, 0.1, 32, 200_000), 40),
    ("worm: mesh 16 x 16, two channels per link", open_loop(MESH | {"channels": 2}, 0.1, 32, 50_000), 40),
    ("worm: mesh 16 x 16 beyond saturation", open_loop(MESH, 0.9, 32, 20_000), 100),
    ("worm: short buffers, 32 flits", open_loop(SHORT, 0.1, 32, 100_000), 150),
    ("worm: short buffers, 512 flits", open_loop(SHORT, 0.1, 512, 1_000_000), 150),
    ("worm: short buffers, 4,096 flits", open_loop(SHORT, 0.1, 4096, 4_000_000), 150),
    ("worm: cut-through, mesh 16 x 16", open_loop(MESH | PACKETS, 0.2, 32, 30_000), 80),
    ("packet: torus 16 x 16", open_loop(TORUS | PACKETS, 0.2, 32, 30_000), 80),
    ("packet: torus 16 x 16 beyond saturation", open_loop(TORUS | PACKETS, 0.3, 32, 30_000), 80),
    (
        "packet: torus 8 x 8, UGAL",
        open_loop(TORUS | {"extents": [8, 8]} | PACKETS | {"routing": "ugal"}, 0.2, 32, 60_000),
        80,
    ),
    ("packet: dragonfly of 72 nodes, UGAL", open_loop(DRAGONFLY | PACKETS | {"routing": "ugal"}, 0.3, 32, 60_000), 80),
    ("flit: torus 8 x 8", open_loop(LANES, 0.2, 32, 50_000), 250),
    ("flit: torus 8 x 8, 512 flits", open_loop(LANES, 0.2, 512, 200_000), 400),
    ("flit: torus 8 x 8, UGAL", open_loop(LANES | {"routing": "ugal"}, 0.2, 32, 20_000), 250),
    ("flit: dragonfly of 72 nodes", open_loop(DRAGONFLY | {"buffer_flits": 4}, 0.2, 32, 50_000), 250),
    (
        "flit: dragonfly of 72 nodes, UGAL",
        open_loop(DRAGONFLY | {"buffer_flits": 4, "routing": "ugal"}, 0.2, 32, 20_000),
        250,
    ),
)


def fan_in(messages: int) -> dict[str, Any]:
    """So many messages of 8 flits at once from all nodes of a mesh to one, which takes them by cut-through."""
    from assay._core import network as core

    number = np.arange(messages)
    network = MESH | PACKETS
    trace = {"source": 1 + number % SENDERS, "destination": 0 * number, "flits": 0 * number + 8}
    return dict(core.replay({"network": network}, id=number, cycle=0 * number, **trace))


def all_to_all(flits: int) -> dict[str, Any]:
    """A message from every node of a torus with lanes to every other, all at once."""
    from assay._core import network as core

    source, step = np.divmod(np.arange(64 * 63), 63)
    trace = {"source": source, "destination": (source + 1 + step) % 64, "flits": 0 * source + flits}
    return dict(core.replay({"network": LANES}, id=np.arange(64 * 63), cycle=0 * source, **trace))


def nodes(network: Config) -> int:
    """How many the network has."""
    if network["topology"] == "hypercube":
        return int(2 ** network["dimension"])
    if network["topology"] == "dragonfly":
        return int(network["p"] * network["a"] * (network["a"] * network["h"] + 1))
    return math.prod(network["extents"])


def measured(times: int) -> Iterator[tuple[str, float, float, float]]:
    """Name of the case, CPU nanoseconds per head hop (the least of `times` runs), the aim, the engine's bytes per node,
    nan where the network runs into saturation: then messages that wait at their sources, ever more, are most of it."""
    from assay._core import network as core

    def least(runs: list[dict[str, Any]]) -> float:
        return min(1e9 * float(run["cpu_seconds"]) / float(run["head_hops"]) for run in runs)

    for name, config, aim in CASES:
        runs = [dict(core.simulate(config)) for _ in range(times)]
        yield name, least(runs), aim, math.nan if runs[0]["saturated"] else _per_node(runs[0], config)
    for messages in (4_000, 40_000):
        runs = [fan_in(messages) for _ in range(times)]
        yield f"worm: cut-through, {messages:,} messages to one node", least(runs), 150, math.nan
    runs = [all_to_all(1024) for _ in range(times)]
    yield "flit: torus 8 x 8, all to all, 1,024 flits", least(runs), 400, math.nan


def at_half(network: Config, flits: int, saturates: float) -> tuple[float, bool]:
    """Bytes per node at half of that load, and whether that saturates nevertheless."""
    from assay._core import network as core

    config = open_loop(network, saturates / 2, flits, 60_000 if flits > 100 else 20_000)
    run = dict(core.simulate(config))
    return _per_node(run, config), bool(run["saturated"])


def _per_node(run: dict[str, Any], config: Config) -> float:
    return float(run["memory_bytes"]) / nodes(config["network"])


def table(times: int) -> None:
    """Print the cases; what misses its aim fails nothing."""
    print("CPU time per head hop; memory per node:")
    for name, spent, aim, memory in measured(times):
        line = f"{spent:>8.1f} ns  aim {aim:g}{'' if spent <= aim else ': not reached'}"
        print(f"  {name:<56} {line}" if math.isnan(memory) else f"  {name:<56} {line:<38} {memory:>6.0f} B")
    print(f"memory per node at half of the load that saturates (aim {BYTES} B):")
    for name, network, flits, saturates in MEMORY:
        memory, saturated = at_half(network, flits, saturates)
        verdict = ": saturated" if saturated else "" if memory <= BYTES else ": not reached"
        print(f"  {name:<56} {memory:>8.0f} B{verdict}")
