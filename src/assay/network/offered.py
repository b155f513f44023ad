"""The load that a description offers, in one unit for all networks, and the same description with another load."""

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
