"""What no message can do better on a described machine, whatever its program does: the bounds that its keys imply.

Start-ups and receipts are processor time, which nothing overlaps; every byte crosses the channels of its way one after
another, so that the slowest kind of channel that all ways cross bounds the rate of a message.
"""

from __future__ import annotations

from typing import TypedDict

from assay.described.machine_file import DescribedMachine
from assay.described.shipped import nodes_of, room
from assay.network.description import NetworkDescription

# What a person calls a channel of the core's kinds. A node's interface can be slower than the network: the DELTA's
# channels carry 65 MB/s, and its interface takes in 17.8.
CHANNELS = {
    "network": "a channel",
    "injection": "a node's interface to the network",
    "ejection": "a node's interface from the network",
}
MOST_NODES = 1 << 16  # of a network that is made for this alone


class ProtocolBounds(TypedDict):
    """Costs of messages up to so many bytes (None: any length) [s]."""

    up_to: float | None
    startup: float
    receive: float


class OwnBarrier(TypedDict):
    """A barrier of the machine's own, and its step [s]."""

    algorithm: str
    step: float


class MachineBounds(TypedDict):
    """The bounds in SI units: `rate` of a message (B/s) with `rate_by`, what bounds it, None where nothing does.

    `nodes` there are (None: any number), with `per_node` ranks each by default.
    """

    protocols: list[ProtocolBounds]
    rate: float | None
    rate_by: str | None
    barrier: OwnBarrier | None
    nodes: int | None
    per_node: int


def limits(description: DescribedMachine) -> MachineBounds:
    """The bounds of a described machine."""
    protocols: list[ProtocolBounds] = [
        {"up_to": each.up_to, "startup": each.startup, "receive": each.receive} for each in description.protocol
    ]
    if description.messages is not None:
        protocols = [{"up_to": None, "startup": description.messages.startup, "receive": 0.0}]
    rates = dict(_rates(description))
    slowest = min(rates, key=lambda name: rates[name], default=None)
    own, node = description.barrier, description.node
    return {
        "protocols": protocols,
        "rate": None if slowest is None else rates[slowest],
        "rate_by": slowest,
        "barrier": None if own is None or not own.step else {"algorithm": own.algorithm, "step": own.step},
        "nodes": nodes_of(description),
        "per_node": 1 if node is None else node.ranks or node.processors,
    }


def _rates(description: DescribedMachine) -> list[tuple[str, float]]:
    """What bounds the rate (B/s) of a message between two nodes, by name."""
    found = []
    if description.messages is not None and description.messages.per_byte:
        found.append(("messages.per_byte", 1 / description.messages.per_byte))
    if description.node is not None and description.node.bus:
        found.append(("the node's bus", 1 / description.node.bus))
    network = description.network_description()
    few = network is not None and (room(description, 1) or 0) <= MOST_NODES  # a larger one is not made for this alone
    if network is not None and few and (crossed := _crossed(network)):
        ticks, kind = crossed
        found.append((CHANNELS[kind], network.network.flit_bytes / (ticks * network.cycle)))
    return found


def _crossed(network: NetworkDescription) -> tuple[int, str] | None:
    """Ticks that a flit takes at least of the slowest channel that each message between two nodes must cross, and the
    kind of that channel. None of a network without channels.
    """
    from assay._core import network as core

    found: tuple[int, str] | None = core.build_network(network.fabric()).crossed_by_all
    return found
