"""The results of a simulation as the list of figures that every verb's `--json` has, in SI units, flits and cycles.

Simulated figures vary with the random numbers alone: the interval is that of the replications or batches, `range` the
least and the greatest of the replications' means, and nothing disturbs them. A latency of a network that saturates or
deadlocks has no mean: its state is invalid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.network.description import NetworkDescription
from assay.network.method import MeanEstimate

SimulatedFigure = dict[str, Any]
# A_1 and A_H: the cycles in which a head starts to cross its first and its last link; h_H: the head_ticks of the last
# link (ejection_head_ticks or node_head_ticks where given).
DEFINITIONS = {
    "header_latency": "A_H + h_H minus generation: until the head is inside the destination, waiting at the source "
    "included",
    "network_latency": "A_H + h_H minus A_1: the same without waiting at the source",
    "response_latency": "[io.files]: from a read's generation to the last flit of its last block",
    "broadcast_latency": "[io.files]: likewise of a block for all elements, at the last of them",
    "block_latency": "[io.files]: until an I/O node has a block that was asked for in a buffer; 0 where it was there",
    "disk_latency": "[io.files]: what a disk takes for a block, without disk_waiting, its wait for the disk",
    "hit_rate": "[io.files]: share of the blocks that were in a cache, or on their way there",
}


def figure(
    name: str,
    value: float | None,
    unit: str,
    params: Mapping[str, Any],
    *,
    statistic: str = "mean",
    estimator: str = "mean",
    ci95: Sequence[float] | None = None,
    range: Sequence[float] | None = None,
    valid: bool = True,
) -> SimulatedFigure:
    """One figure in the shape of all documents; without a finite value it is invalid."""
    known = value is not None and math.isfinite(value)
    return {
        "name": name,
        "value": value if known else None,
        "unit": unit,
        "statistic": statistic,
        "params": dict(params),
        "ci95": None if ci95 is None or not known else list(ci95),
        "range": None if range is None or not known else list(range),
        "state": "clean" if valid and known else "invalid",
        "estimator": estimator if known else "none",
        "disturbance": None,
        "kind": "predicted",
    }


def estimated(
    name: str,
    estimate: MeanEstimate,
    scale: float,
    unit: str,
    params: Mapping[str, Any],
    means: Sequence[float],
    valid: bool = True,
) -> SimulatedFigure:
    """A mean with its interval, where that is of 95%; `means` of the replications, in the estimate's own unit."""
    given = estimate.document(scale)
    ci95 = given["interval"] if math.isclose(estimate.confidence, 0.95) else None
    known = [one for one in means if math.isfinite(one)]  # a replication that delivered nothing has no mean
    spread = [min(known) * scale, max(known) * scale] if len(known) > 1 else None
    how = "mean of replications" if len(means) > 1 else "mean of batches"
    mean = estimate.mean * scale
    return figure(name, mean, unit, params, estimator=how, ci95=ci95, range=spread, valid=valid)  # type: ignore[arg-type]


def params(description: NetworkDescription) -> dict[str, Any]:
    """The main keys of the simulation that a figure belongs to; the file has all of them."""
    network, traffic, io = description.network, description.traffic, description.io
    found: dict[str, Any] = {
        "topology": network.topology,
        "routing": network.routing,
        "switching": network.switching,
    }
    if io is not None:
        return found | {"interval": io.interval * description.cycle, "io_rate": io.io_rate, "locality": io.locality}
    return found | {"pattern": traffic.pattern, "load": traffic.load, "flits": traffic.mean_flits}


def of_saturation(description: NetworkDescription, result: Mapping[str, Any]) -> list[SimulatedFigure]:
    """The load that saturates, and what is accepted beyond it: flits (with I/O nodes: messages) per node per cycle."""
    about = {key: value for key, value in params(description).items() if key not in ("load", "interval")}
    what = "1" if description.io is not None else "flit"
    low, high = result["interval"]
    known = {"statistic": "bracket", "estimator": "middle of the bracket"}
    scale = 1 / description.cycle
    whole = [low, high] if high is not None else None
    found = [
        figure("saturation", result["load"], f"{what}/cycle", about, range=whole, **known),  # type: ignore[arg-type]
        figure(
            "saturation_rate",
            None if result["load"] is None else result["load"] * scale,
            f"{what}/s",
            about,
            range=None if whole is None else [low * scale, high * scale],
            **known,  # type: ignore[arg-type]
        ),
    ]
    for beyond in result["accepted_beyond"]:
        load = about | {"load": beyond["load"]}
        found.append(figure("accepted", beyond["throughput"], "flit/cycle", load, valid=not beyond["deadlock"]))
    return found


def of_replay(
    description: NetworkDescription, document: Mapping[str, Any], latencies: Sequence[float]
) -> list[SimulatedFigure]:
    """Messages delivered, the cycle in which all is over, and latencies of heads [cycles]; one trace, one value."""
    about = {key: value for key, value in params(description).items() if key in ("topology", "routing", "switching")}
    whole = document["delivered"] == document["messages"]
    cycle, one = description.cycle, {"statistic": "value", "estimator": "the one replay"}
    mean = sum(latencies) / len(latencies) if len(latencies) else None
    spread = [min(latencies) * cycle, max(latencies) * cycle] if len(latencies) else None
    seconds = None if mean is None else mean * cycle
    return [
        figure("delivered", document["delivered"], "1", about, **one),  # type: ignore[arg-type]
        figure("completion", document["simulated_cycles"] * cycle, "s", about, valid=whole, **one),  # type: ignore[arg-type]
        figure("header_latency", seconds, "s", about, estimator="mean of the messages", range=spread),
    ]
