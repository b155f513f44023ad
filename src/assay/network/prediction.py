"""A described network's latency and saturation by queues, from the exact rates of its routes: no simulation.

The flows are those of the description: a pattern's messages, or the paper's mixture of PE-PE messages and I/O. It
costs one pass along all routes and a sparse linear system per kind of message. Links whose flits take several ticks
hold a message so much longer; random destinations (hotspot, spherical) enter by their mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay._core import network as core
from assay.analysis.queueing import section6
from assay.analysis.queueing.queues import Service, mixture
from assay.analysis.queueing.wormhole import Channels, Flow, Spread
from assay.errors import InputError
from assay.network.description import NetworkDescription
from assay.network.engine import call_core
from assay.network.network_tables import Lengths

Floats = NDArray[np.float64]


def channels(
    description: NetworkDescription, spread: Spread = "lengths", scaled: bool = False, apart: bool = False
) -> Channels:
    """The links and flows of a description; load 1 is one message per cycle from every sending node."""
    if description.io is not None:
        network, kinds = _io(description)
    else:
        network = call_core(description.source, core.build_network, description.fabric())
        kinds = [("all", _lengths(description), _pattern(description, network))]
    links = network.links
    flit = np.array([max(link["flit_ticks"], 1) for link in links], float)
    head = np.array([link["head_ticks"] for link in links], float)
    flows = []
    for name, length, traffic in kinds:
        if not traffic.sum() > 0:
            continue
        found = network.channel_rates(np.ascontiguousarray(traffic), turns=True)
        start, to, rate = found["turns"]
        service = Service(length.mean * float(flit.max()), length.variance * float(flit.max()) ** 2)
        turns = np.asarray(start, np.int64), np.asarray(to, np.int64), np.asarray(rate, float)
        flows.append(Flow(name, service, float(traffic.sum()), np.asarray(found["rate"], float), turns))
    return Channels(np.array([link["channels"] for link in links]), flows, spread, scaled, apart, head)


def unit_load(description: NetworkDescription) -> float:
    """The description's own load in messages per sending node per cycle."""
    if description.io is not None:
        return 1 / description.io.interval
    return description.traffic.load / _lengths(description).mean


def predict(
    description: NetworkDescription, spread: Spread = "lengths", scaled: bool = False, apart: bool = False
) -> dict[str, float]:
    """Mean header latencies in us by kind (`header` for all); nothing where the model's network is saturated."""
    model = channels(description, spread, scaled, apart)
    wait = model.solve(unit_load(description))
    if wait is None:
        return {}
    us = description.cycle * 1e6
    found = {"header": model.latency(wait) * us}
    return found | {flow.name: model.latency(wait, flow.name) * us for flow in model.flows if flow.name != "all"}


def drawn(description: NetworkDescription) -> dict[str, float]:
    """What plots show: predictions with `apart`, and for the paper's own test case its recursion (`… section 6`)."""
    found = predict(description, apart=True)
    io = description.io
    if io is not None and io.b > 0 and description.fabric().get("dimension") == 7:
        machine = section6.CubeModel(
            b=io.b, locality=io.locality, read_ratio=io.read_ratio, io_rate=io.io_rate, block=io.reply_flits
        )
        latency = section6.io_pe_latency(machine, 1 / io.interval, section6.NEAREST)
        if math.isfinite(latency):
            found["io_pe section 6"] = latency * description.cycle * 1e6
    return found


def saturation(
    description: NetworkDescription, spread: Spread = "lengths", scaled: bool = False, apart: bool = False
) -> dict[str, float]:
    """Where the model saturates, and the bound of the busiest channel: messages per sending node per ms."""
    model = channels(description, spread, scaled, apart)
    per_ms = 1e-3 / description.cycle
    return {"saturation": model.saturation() * per_ms, "busiest": model.busiest() * per_ms}


def _lengths(description: NetworkDescription) -> Service:
    flits = description.traffic.flits
    if not isinstance(flits, Lengths):
        return Service(float(flits))
    kind, table = flits.table()
    if kind == "geometric":
        mean = float(table[0][0])
        return Service(mean, mean * (mean - 1))
    return mixture([weight for _, weight in table], [length for length, _ in table])


def _pattern(description: NetworkDescription, network: Any) -> Floats:
    """What each node sends to each; I/O nodes of [network.io], the last ones, neither send nor receive."""
    traffic, nodes, senders = description.traffic, network.nodes, network.processors
    if traffic.pattern == "spherical":
        raise InputError("has no analysis", key="traffic.pattern", value="spherical", accepted="any other pattern")
    if traffic.pattern not in ("hotspot", "uniform"):
        return np.asarray(network.pattern(traffic.pattern), float).reshape(nodes, nodes)
    whole = np.zeros((nodes, nodes))
    out = whole[:senders, :senders]
    if traffic.pattern == "hotspot":
        out[:] = (1 - traffic.hotspot_share) / (senders - 1)
        out[:, traffic.hotspots] += traffic.hotspot_share / len(traffic.hotspots)
    else:
        out[:] = 1 / (senders if traffic.self else senders - 1)
    if traffic.pattern == "hotspot" or not traffic.self:
        np.fill_diagonal(out, 0)
    return whole


def joined(description: NetworkDescription) -> Any:
    """The processor network and the I/O network of [io]."""
    io = description.io
    assert io is not None
    counts = {"b": io.b, "m": io.m} | ({"n": io.n} if io.n else {}) | ({"r": io.r} if io.r else {})
    own: dict[str, object] = {**counts}
    if io.nodes is not None:
        own["nodes"] = list(io.nodes)
    keys = {**description.fabric(), "injection_channels": io.k, "ejection_channels": io.k, "io": own}
    return call_core(description.source, core.build_network, keys)


def _io(description: NetworkDescription) -> tuple[Any, list[tuple[str, Service, Floats]]]:
    """The joined network, and the five kinds of messages on it (Ghosh, Goveas and Draper, section 4.3)."""
    io = description.io
    assert io is not None
    if io.failed:
        raise InputError("has no analysis", key="io.failed", value=str(io.failed), accepted="no failed I/O node")
    if io.files is not None:
        raise InputError("has no analysis", key="io.files", accepted="reads of single blocks, without [io.files]")
    network = joined(description)
    elements = network.processors
    at = io.nodes or core.hamming_placement(int(np.log2(elements)))
    count = len(at)
    apart = np.array([[(node ^ element).bit_count() for node in at] for element in range(elements)])
    home = apart.argmin(1)
    zero = np.zeros((network.nodes, network.nodes))

    def matrix() -> Floats:
        return zero.copy()

    pe_pe, pe_io, io_io, io_pe = matrix(), matrix(), matrix(), matrix()
    pe_pe[:elements, :elements] = (1 - io.io_rate) / (elements - 1)
    np.fill_diagonal(pe_pe, 0)
    reads = io.io_rate * io.read_ratio
    remote = (1 - io.locality) / (count - 1) if count > 1 else 0.0
    for element in range(elements):
        own_node = elements + home[element]
        pe_io[element, own_node] = 1.0
        for address in range(count):
            share = (io.locality if count > 1 else 1.0) if address == home[element] else remote
            io_pe[elements + address, element] += reads * share
            if address != home[element]:
                io_io[own_node, elements + address] += reads * share
    return network, [
        ("pe_pe", Service(io.message_flits), pe_pe),
        ("pe_io", Service(io.request_flits), reads * pe_io),
        ("write", Service(io.write_flits), (io.io_rate - reads) * pe_io),
        ("io_io", Service(io.forward_flits), io_io),
        ("io_pe", Service(io.reply_flits), io_pe),
    ]
