"""The load that a description offers, in one unit for all networks, the same description with another load, and which
share of its messages passes what saturates first.
"""

from __future__ import annotations

from assay.network.description import NetworkDescription

KEYS = ("traffic.load", "io.interval")  # of a file: what `load_of` reads, without I/O nodes and with them


def load_of(description: NetworkDescription) -> float:
    """The load of a description, in the unit of `at_load`."""
    return 1 / description.io.interval if description.io is not None else description.traffic.load


def at_load(description: NetworkDescription, load: float) -> NetworkDescription:
    """The same with another load: flits per node per cycle, or with I/O nodes messages per element per cycle."""
    if description.io is not None:
        return description.but(io=description.io.model_copy(update={"interval": 1 / load}))
    return description.but(traffic=description.traffic.model_copy(update={"load": load}))


def bottleneck(description: NetworkDescription) -> float:
    """Share of the messages that pass what saturates first, by the description: I/O nodes, hot spots."""
    traffic, io = description.traffic, description.io
    if io is not None:
        return io.io_rate or 1.0
    if traffic.pattern == "hotspot":
        from assay.network import engine  # with the core, which what is refused for its keys does not need

        at = len(traffic.hotspots) / engine.nodes(description)
        return traffic.hotspot_share + (1 - traffic.hotspot_share) * at
    return 1.0
