"""The paper's read chains against the twin: every message of transactions that answer one another, none may differ.

The I/O nodes of the core write down what they send and when its head arrives. The twin is given the same messages,
finds its own paths through its own links, and must deliver each head in the same cycle. That one message comes of
another is checked here from the paper's description alone (Ghosh, Goveas and Draper, section 4).
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import twin_cases

SEED, TRANSACTIONS = 20261120, 600
ID, BORN, SOURCE, DESTINATION, FLITS, HEAD, HOPS = range(7)


@dataclass(frozen=True)
class Machine:
    """A cube with I/O nodes, and what its elements ask of them."""

    dimension: int
    nodes: tuple[int, ...]
    io: dict[str, float]

    def nearest(self, element: int) -> int:
        """The I/O address of the nearest I/O node."""
        return min(range(len(self.nodes)), key=lambda address: (self.nodes[address] ^ element).bit_count())

    def line(self, seed: int) -> str:
        words = [f"node={node}" for node in self.nodes] + [f"{key}={value}" for key, value in self.io.items()]
        return " ".join(map(str, [self.dimension, seed, TRANSACTIONS, *words]))

    def case(self, name: str, rows: twin_cases.Rows) -> twin_cases.Case:
        keys = {"topology": "hypercube", "dimension": str(self.dimension), "routing": "e-cube"}
        keys |= {"switching": "wormhole", "buffer_flits": "1", "channels": "1"}
        keys |= {"injection_channels": str(self.io["k"]), "ejection_channels": str(self.io["k"])}
        keys |= {"io_nodes": " ".join(map(str, self.nodes)), "io_b": str(self.io["b"]), "io_m": str(self.io["m"])}
        if self.io["b"]:
            keys |= {"io_n": str(self.io["n"]), "io_r": str(self.io["r"])}
        order = np.lexsort((rows[:, ID], rows[:, BORN]))
        return twin_cases.Case(name, keys, rows[order][:, : FLITS + 1])


def machine(number: int) -> Machine:
    """Machine `number`: no element is equally near to two I/O nodes; from idle to far beyond saturation."""
    random = np.random.default_rng([SEED, number])
    while True:
        dimension = int(random.integers(1, 5))
        nodes = tuple(map(int, random.permutation(2**dimension)[: 2 ** int(random.integers(0, dimension + 1))]))
        distances = [sorted((node ^ element).bit_count() for node in nodes) for element in range(2**dimension)]
        if all(each[0] < each[1] for each in distances if len(each) > 1):
            break
    draw = lambda low, high: int(random.integers(low, high + 1))  # noqa: E731
    io: dict[str, float] = {"b": draw(0, 3), "k": draw(1, 9), "m": draw(1, 4), "n": draw(1, 4), "r": draw(1, 4)}
    io |= {key: draw(14, 60) for key in ("message", "request", "forward", "reply", "write")}
    io |= {"startup": draw(1, 40), "access": draw(0, 40), "disk": draw(100, 400), "interval": draw(20, 400)}
    io["service"] = draw(0, 1) * draw(1, 80)
    for share in ("io_rate", "read_ratio", "locality", "hit_rate"):
        io[share] = round(float(random.uniform(0.2, 1.0)), 3)
    return Machine(dimension, nodes, io)


def played(machines: list[Machine], folder: Path) -> list[twin_cases.Rows]:
    """What the core's I/O nodes sent, machine by machine: rows of ID to HOPS."""
    given, found = folder / "machines", folder / "sent"
    given.write_text("".join(one.line(SEED + at) + "\n" for at, one in enumerate(machines)))
    subprocess.run([str(twin_cases.chains()), str(given), str(found)], check=True, timeout=600)
    blocks = found.read_text().split("run ")[1:]
    return [np.array([list(map(int, row.split())) for row in block.splitlines()[1:]]) for block in blocks]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Machine, twin_cases.Rows]]:
    machines = [machine(number) for number in range(60)]
    return list(zip(machines, played(machines, tmp_path_factory.mktemp("chains")), strict=True))


def test_every_head_arrives_when_the_twin_says(runs: list[tuple[Machine, twin_cases.Rows]], tmp_path: Path) -> None:
    cases = [one.case(f"chains.{at}", rows) for at, (one, rows) in enumerate(runs)]
    assert sum(len(case.messages) for case in cases) > 40_000
    said = twin_cases.play(twin_cases.twin(), cases, tmp_path).split("case ")[1:]
    for (one, rows), case, block in zip(runs, cases, said, strict=True):
        order = np.lexsort((rows[:, ID], rows[:, BORN]))
        ours = [(r[ID], r[HEAD], r[HEAD] + r[FLITS] - 1, r[HOPS]) for r in rows[order].tolist()]
        theirs = [tuple(map(int, row.split())) for row in block.splitlines()[1:]]
        wrong = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
        assert not wrong, f"{case.name} {one}: {len(wrong)} differ, engine and twin: {wrong[0]}"


def test_each_stage_begins_when_the_one_before_has_arrived(runs: list[tuple[Machine, twin_cases.Rows]]) -> None:
    stages = queued = 0
    for one, rows in runs:
        elements, io = 2**one.dimension, one.io
        seen: dict[int, list[list[int]]] = {}
        for row in sorted(rows.tolist()):
            seen.setdefault(row[ID] // 4, []).append(row)
        assert len(seen) == TRANSACTIONS
        begun = service_begins(one, rows)
        queued += sum(begun[row[ID]] > row[HEAD] + row[FLITS] for row in rows.tolist() if row[ID] in begun)
        for chain in seen.values():
            first = chain[0]
            assert first[SOURCE] < elements
            if len(chain) == 1:
                if first[DESTINATION] >= elements:
                    assert first[FLITS] == io["write"]
                    assert first[DESTINATION] - elements == one.nearest(first[SOURCE])
                continue
            assert first[FLITS] == io["request"]
            assert first[DESTINATION] - elements == one.nearest(first[SOURCE])
            assert chain[-1][DESTINATION] == first[SOURCE]
            assert chain[-1][FLITS] == io["reply"]
            for before, after in pairwise(chain):
                stages += 1
                assert after[SOURCE] == before[DESTINATION]
                tail = before[HEAD] + before[FLITS]
                waited = after[BORN] - (begun[before[ID]] if after[DESTINATION] < elements else tail)
                if after[DESTINATION] >= elements:
                    assert (after[FLITS], waited) == (io["forward"], io["startup"])
                else:
                    served = io["service"] + io["startup"] + io["access"]
                    assert waited in (served, served + io["disk"])
    assert stages > 10_000 and queued > 2_000


def service_begins(one: Machine, rows: twin_cases.Rows) -> dict[int, int]:
    """When an I/O node begins with each access to its blocks, by its message: one at a time, as their tails come in.

    Of one cycle reads come before writes.
    """
    elements = 2**one.dimension
    last = {row[ID] // 4: row[ID] for row in sorted(rows.tolist())}
    at: dict[int, list[tuple[int, int, int]]] = {}
    for row in rows.tolist():
        answers = row[ID] + 1 == last[row[ID] // 4]  # the next stage is the reply
        if row[DESTINATION] >= elements and (answers or row[ID] == last[row[ID] // 4]):
            at.setdefault(row[DESTINATION], []).append((row[HEAD] + row[FLITS], not answers, row[ID]))
    begun = {}
    for accesses in at.values():
        free = 0
        for tail, _, number in sorted(accesses):
            begun[number] = max(tail, free if one.io["service"] else 0)
            free = begun[number] + int(one.io["service"])
    return begun
