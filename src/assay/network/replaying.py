"""A trace of messages through a described network: messages.csv in, delivered.csv out."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assay._core import network as core
from assay.network import figures, timeline, trace
from assay.network.description import NetworkDescription
from assay.network.documents import Replay
from assay.network.engine import call_core


def replay(
    description: NetworkDescription, messages: trace.MessageTrace, out: Path, drawn: Path | None = None
) -> Replay:
    """Replay the trace and write `out`, and the timeline to `drawn`; returns the document of `assay replay --json`."""
    config = description.core()
    network = call_core(description.source, core.build_network, description.fabric())
    trace.check(messages, network.nodes)
    if drawn is not None:
        timeline.check(len(messages))
    order = messages.order()
    result = call_core(
        description.source,
        core.replay,
        config,
        *(np.ascontiguousarray(getattr(messages, name)[order]) for name in trace.COLUMNS),
        drawn is not None,
    )
    columns = {}
    for name in ("head", "tail", "hops"):
        columns[name] = np.empty(len(messages), np.int64)
        columns[name][order] = result[name]
    trace.save(out, messages, **columns)
    cycles, delivered = int(columns["tail"].max(initial=-1)) + 1, int((columns["tail"] >= 0).sum())
    if delivered < len(messages):  # it ended when nothing could move any more
        cycles = max(cycles, int(result["simulated_cycles"]))
    if drawn is not None:
        ways = timeline.ways(order, result["crossings"])
        played = timeline.ReplayedTrace(network.links, columns["head"], columns["tail"], ways, cycles)
        timeline.write(drawn, description, messages, played)
    arrived = columns["head"] >= 0
    keys = config["network"]
    heads = ("ejection_head_ticks", "node_head_ticks", "head_ticks")  # of the ejection links, all equal
    entry = next((ticks for key in heads if isinstance(ticks := keys.get(key), int)), 1)
    latencies = (columns["head"][arrived] + entry - messages.cycle[arrived]).tolist()
    return {
        "engine": result["engine"],
        "simulated_cycles": cycles,
        "cpu_seconds": float(result["cpu_seconds"]),
        "messages": len(messages),
        "delivered": delivered,
        "unroutable": int(result["unroutable"]),
        "head_hops": int(columns["hops"][columns["hops"] >= 0].sum()),  # -1: never delivered
        "deadlock": result.get("deadlock"),
        "delivered_file": str(out),
        "definitions": figures.DEFINITIONS,
        "figures": figures.of_replay(description, delivered, len(messages), cycles, latencies),
    }
