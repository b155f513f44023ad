"""How long a network that starts empty takes to hold what it holds when no message waits for another.

Until then its backlog grows in proportion to time whatever the load: nothing that was generated can have been delivered
yet. A message of 20,000 flits is on its way for 20,000 cycles, a block of a disk for longer. A run from empty shows
whether a load saturates the network only if it lasts many times as long.

Of messages that never wait for one another the number on their way is that in an M/G/∞ queue, whose autocorrelation is
the share of a residence that is left: its integrated autocorrelation time is E[L²] / (2 E[L]) of residences L (Eick,
Massey and Whitt, The physics of the Mt/G/∞ queue, Operations Research 41, 1993). Twice that is the residence of the
messages on their way: rare long ones weigh as much as they hold up. What passes between the messages of a transaction,
as an access to a disk, is seen in its latency only; and an engine may count a message as delivered with its head, while
its body holds channels for as long as it is.
"""

from __future__ import annotations

import math
from collections.abc import Generator

from assay.network import relaxation
from assay.network.description import NetworkDescription
from assay.network.engine import SimulationRun
from assay.network.offered import at_load
from assay.network.tasks import SimulationTask, pilot_task
from assay.network.warming import LENGTHENED

DILUTED = 64.0  # of a load that seems to saturate the network, to see it with hardly a message waiting
FIRST, MOST = 2_000, 1_000_000  # cycles of the first run; messages of the longest
TIMES = 16.0  # the residence: the first half of a run lasts eight residences; the filling takes one


class Filling:
    """How long a description's network takes to fill, measured once, when it is first needed, by its `runs`."""

    def __init__(self, description: NetworkDescription) -> None:
        """Of this network, whatever its load."""
        self.runs: list[SimulationRun] = []
        self.loads: list[float] = []  # of each of them
        self._description = description
        self._shortest: int | None = None

    def shortest(self, load: float) -> Generator[list[SimulationTask], list[SimulationRun], int]:
        """Cycles that a run from empty must last for the growth of its backlog to speak of the load.

        Measured far below `load`, one that seems to saturate the network. 0 where the network is not in balance at any
        load, however low.
        """
        if self._shortest is None:
            self._shortest = math.ceil((yield from self._measured(load)))
        return self._shortest

    def _measured(self, load: float) -> Generator[list[SimulationTask], list[SimulationRun], float]:
        for _ in range(3):
            load /= DILUTED
            length = FIRST
            while True:
                purpose = "pilot run (how long does the network take to fill?)"
                (run,) = yield [pilot_task(at_load(self._description, load), length, purpose)]
                self.runs.append(run)
                self.loads.append(load)
                found = relaxation.of_pilot(run)
                if found.known and not found.saturated:
                    return TIMES * (residence(run, found.cycles) + body(self._description))
                if run.deadlock or run.generated * LENGTHENED > MOST:
                    break
                length *= LENGTHENED
        return 0.0


def residence(run: SimulationRun, memory: float) -> float:
    """Cycles on the way: by the autocorrelation time `memory` (cycles) of what the network holds where a sample of the
    backlog is shorter than that, by what it holds in the mean, and of transactions by their latencies.
    """
    half = len(run.backlog) // 2
    held = float(run.backlog[half:].mean()) * run.simulated_cycles / max(run.generated, 1)
    remembered = 2 * memory if memory * len(run.backlog) > run.measured_cycles else 0.0
    return max([held, remembered, *(one.mean for one in run.latencies.values() if one.counts.sum())])


def body(description: NetworkDescription) -> float:
    """Cycles that a message's flits take to pass the slowest link, one after the other."""
    io = description.io
    flits: float = description.traffic.carried_flits
    if io is not None:
        flits = max(io.message_flits, io.request_flits, io.forward_flits, io.reply_flits, io.write_flits)
    return flits * slowest(description)


def slowest(description: NetworkDescription) -> float:
    """Cycles in which the slowest link passes a flit."""
    slower: list[float] = [link.slower for link in getattr(description.network, "links", None) or []]
    return max([1.0, *slower])
