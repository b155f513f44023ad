"""The results of a simulation as the list of figures that every verb's `--json` has, in SI units, flits and cycles.

Simulated figures vary with the random numbers alone: the interval is that of the replications or batches, `range` the
least and the greatest of the replications' means, and nothing disturbs them. `interval` has the interval with the
confidence of the description, {low, high, confidence}; `ci95` has it too where that is 95%, and is null
where it is another. A latency of a network that saturates or deadlocks has no mean: its state is invalid.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.kinds import NumberKind
from assay.network.description import NetworkDescription
from assay.network.method import MeanEstimate

if TYPE_CHECKING:
    from pydantic import JsonValue

    from assay.network.documents import SaturationFound, SimulatedFigure

# Rates of each node, not of the network: in the figures of simulations, sweeps, bisections and studies.
FLITS_PER_CYCLE, BYTES_PER_SECOND = "flit/node/cycle", "B/node/s"
# A_1 and A_H: the cycles in which a head starts to cross its first and its last link; h_H: the head_ticks of the last
# link (ejection_head_ticks or node_head_ticks where given).
DEFINITIONS = {
    "header_latency": "A_H + h_H minus generation: until the head is inside the destination, waiting at the source "
    "included",
    "network_latency": "A_H + h_H minus A_1: the same without waiting at the source",
    "read_latency": "[io]: overall latency of a read, the sum of its stages' header latencies",
    "write_latency": "[io]: header latency of a write, which is its overall latency",
    "transaction_latency": "[io]: overall latency of all I/O transactions, reads and writes in their proportion",
    "service_waiting": "[io] service: from an access's tail at an I/O node until this serves it",
    "response_latency": "[io.files]: from a read's generation to the last flit of its last block",
    "broadcast_latency": "[io.files]: likewise of a block for all elements, at the last of them",
    "block_latency": "[io.files]: until an I/O node has a requested block in a buffer; 0 where it was there",
    "disk_latency": "[io.files]: what a disk takes for a block, without disk_waiting, its wait for the disk",
    "hit_rate": "[io.files]: share of the blocks that were in a cache, or on their way there",
}


def figure(
    name: str,
    value: float | None,
    unit: str,
    params: Mapping[str, JsonValue],
    *,
    statistic: str = "mean",
    estimator: str = "mean",
    interval: Sequence[float] | None = None,
    confidence: float = 0.95,
    range: Sequence[float] | None = None,
    valid: bool = True,
) -> SimulatedFigure:
    """One figure in the shape of all documents, with the `interval` of this `confidence`; without a finite value it is
    invalid.
    """
    known = value is not None and math.isfinite(value)
    ends = None if interval is None or not known else list(interval)
    return {
        "name": name,
        "value": value if known else None,
        "unit": unit,
        "statistic": statistic,
        "params": dict(params),
        "ci95": ends if math.isclose(confidence, 0.95) else None,
        "interval": None if ends is None else {"low": ends[0], "high": ends[1], "confidence": confidence},
        "range": None if range is None or not known else list(range),
        "state": "clean" if valid and known else "invalid",
        "estimator": estimator if known else "none",
        "disturbance": None,
        "kind": NumberKind.SIMULATED.value,
    }


def estimated(
    name: str,
    estimate: MeanEstimate,
    scale: float,
    unit: str,
    params: Mapping[str, JsonValue],
    means: Sequence[float],
    valid: bool = True,
) -> SimulatedFigure:
    """A mean with its interval; `means` of the replications, in the estimate's own unit."""
    ends = estimate.document(scale)["interval"]
    known = [one for one in means if math.isfinite(one)]  # a replication that delivered nothing has no mean
    spread = [min(known) * scale, max(known) * scale] if len(known) > 1 else None
    how = "mean of replications" if len(means) > 1 else "mean of batches"
    return figure(
        name,
        estimate.mean * scale,
        unit,
        params,
        estimator=how,
        interval=ends,
        confidence=estimate.confidence,
        range=spread,
        valid=valid,
    )


def params(description: NetworkDescription) -> dict[str, JsonValue]:
    """The main keys of the simulation that a figure belongs to; the file has all of them."""
    network, traffic, io = description.network, description.traffic, description.io
    found: dict[str, JsonValue] = {
        "topology": network.topology,
        "routing": network.routing,
        "switching": network.switching,
    }
    if io is not None:
        return found | {"interval": io.interval * description.cycle, "io_rate": io.io_rate, "locality": io.locality}
    return found | {"pattern": traffic.pattern, "load": traffic.load, "flits": traffic.mean_flits}


def of_saturation(description: NetworkDescription, result: SaturationFound) -> list[SimulatedFigure]:
    """The load that saturates, of each node (with I/O nodes: of each element), and what is accepted beyond it.

    All are invalid where a run deadlocked: such a network has no load that it would carry for ever.
    """
    about = {key: value for key, value in params(description).items() if key not in ("load", "interval")}
    what = "message/element" if description.io is not None else "flit/node"
    low, high = result["interval"] or (None, None)
    found = []
    for name, scale, per in (("saturation", 1.0, "cycle"), ("saturation_rate", 1 / description.cycle, "s")):
        ends = None if low is None or high is None else [low * scale, high * scale]
        found.append(
            figure(
                name,
                None if result["load"] is None else result["load"] * scale,
                f"{what}/{per}",
                about,
                statistic="bracket",
                estimator="middle of the bracket",
                interval=ends,
                confidence=description.method.confidence,
                range=ends,
            )
        )
    for beyond in result["accepted_beyond"]:
        load = about | {"load": beyond["load"]}
        found.append(figure("accepted", beyond["throughput"], FLITS_PER_CYCLE, load, valid=not result["deadlocks"]))
    return found


def of_replay(
    description: NetworkDescription, delivered: int, messages: int, cycles: int, latencies: Sequence[float]
) -> list[SimulatedFigure]:
    """Messages delivered, the cycle in which all is over, and latencies of heads [cycles]; one trace, one value."""
    about = {key: value for key, value in params(description).items() if key in ("topology", "routing", "switching")}
    whole = delivered == messages
    cycle, once = description.cycle, functools.partial(figure, statistic="value", estimator="the one replay")
    mean = sum(latencies) / len(latencies) if len(latencies) else None
    spread = [min(latencies) * cycle, max(latencies) * cycle] if len(latencies) else None
    seconds = None if mean is None else mean * cycle
    return [
        once("delivered", delivered, "1", about),
        once("completion", cycles * cycle, "s", about, valid=whole),
        figure("header_latency", seconds, "s", about, estimator="mean of the messages", range=spread),
    ]
