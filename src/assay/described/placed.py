"""Which nodes of a described machine a program's ranks are on: named ones, or chosen as a batch system chooses them.

    contiguous    the first ones, as without a word
    scattered     drawn at random from all by the seed, in ascending order: what jobs of others leave
    subcube       the lowest aligned 2^k nodes of a hypercube
    submesh       the lowest block of a mesh or torus, of least size and then least surface
    0,8,16-19     these, in this order

Ranks fill the nodes in their order, with the ranks per node of `--ppn` or of the description.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from assay.described.machine_file import DescribedMachine
from assay.described.shipped import nodes_of, per_node, usual_per_node
from assay.errors import InputError

WAYS = ("contiguous", "scattered", "subcube", "submesh")
NAMED = "nodes such as 0,8,16-19"
ACCEPTED = f"{', '.join(WAYS)}, or {NAMED}"
MOST_NODES = 1 << 24
DIGITS = 8  # of a node's number, at most
DIMENSIONS = 3
KEY = "--placement"


def listed(text: str) -> list[int] | None:
    """The nodes that a placement names; None where it is a way of choosing them. InputError for what is neither."""
    if text in WAYS:
        return None
    nodes: list[int] = []
    for word in text.split(","):
        first, dash, last = (part.strip() for part in word.partition("-"))
        ends = (first, last) if dash else (first, first)
        if not all(end.isascii() and end.isdecimal() and len(end) <= DIGITS for end in ends):
            raise InputError("is no placement", key=KEY, value=text, accepted=ACCEPTED)
        low, high = map(int, ends)
        if high < low or len(nodes) + high - low >= MOST_NODES:
            raise InputError("is no range of nodes", key=KEY, value=word.strip(), accepted="FIRST-LAST, as 16-19")
        nodes += range(low, high + 1)
    twice = [node for node, times in Counter(nodes).items() if times > 1]
    if twice:
        accepted = "each node once; --ppn is the number of ranks on each"
        raise InputError(f"names node {twice[0]} twice", key=KEY, value=text, accepted=accepted)
    return nodes


def nodes_filled(machine: DescribedMachine, ranks: int, ppn: int | None) -> int:
    """How many nodes so many ranks fill: `ppn` on each, or the description's number."""
    return -(-ranks // (per_node(machine, ranks, ppn) or usual_per_node(machine)))


def nodes_for(machine: DescribedMachine, text: str, count: int, seed: int) -> list[int]:
    """So many nodes of the machine, by a placement. InputError where it has none such."""
    there = nodes_of(machine)
    if there is None:
        problem = f"has no nodes to choose from: {machine.name} has no number of nodes"
        raise InputError(problem, key=KEY, value=text, accepted="a description with `nodes`, or with a network")
    named = listed(text)
    if named is not None:
        beyond = [node for node in named if node >= there]
        if beyond:
            problem = f"names node {beyond[0]}, which {machine.name} does not have"
            raise InputError(problem, key=KEY, value=text, accepted=f"nodes 0 to {there - 1}")
        if len(named) != count:
            problem = f"names {len(named)} nodes, and the ranks fill {count}"
            raise InputError(problem, key=KEY, value=text, accepted=f"{count} nodes, or another -n or --ppn")
        return named
    if text == "scattered":
        return sorted(random.Random(seed).sample(range(there), count))
    if text == "contiguous":
        return list(range(count))
    return _lowest(machine, text, count, there)


def _lowest(machine: DescribedMachine, way: str, count: int, there: int) -> list[int]:
    """What `throughput` gives a first job on the empty machine."""
    from assay._core import batch

    network = machine.network or {}
    extents = network.get("extents")
    shape = extents if isinstance(extents, list) else []
    if way not in _ways(network):
        of = "a hypercube" if way == "subcube" else "a mesh or torus of up to three dimensions"
        problem = f"needs {of}, and {machine.name} is {network.get('topology') or 'without a network'}"
        raise InputError(problem, key=KEY, value=way, accepted=f"{', '.join(_ways(network))}, or {NAMED}")
    row = (there, 1, way, True, list(shape))
    job = [[0], [1], [1], [count], [0]]
    needs: list[tuple[object, ...]] = [(1, count, 0, 0, [], 0.0, [])]
    if not batch.placeable(row, job, [0.0], needs)[0]:
        problem = f"{machine.name} has no {way} of so many nodes"
        raise InputError(problem, key=KEY, value=f"{way} of {count}", accepted="fewer nodes, or contiguous")
    stepper = batch.PlacedStepper(row, "fcfs", job, [0.0], needs, [], 0.0, 0.0)
    stepper.step(0, [], [0])
    return [node for node, _ in stepper.place(0)][:count]


def _ways(network: Mapping[str, object]) -> list[str]:
    """Those of choosing nodes that a network has."""
    topology, shape = network.get("topology"), network.get("extents")
    is_mesh = topology in ("mesh", "torus") and isinstance(shape, list) and 1 <= len(shape) <= DIMENSIONS
    there = {"subcube": topology == "hypercube", "submesh": is_mesh}
    return [way for way in WAYS if there.get(way, True)]
