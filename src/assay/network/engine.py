"""One run of the compiled core: a description as plain tables in, counts out. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay._core import network as core
from assay.network import refused
from assay.network.description import CoreTables, NetworkDescription
from assay.network.documents import Deadlock, NetworkLink
from assay.network.method import BATCHES
from assay.toml.source import Source


@dataclass(frozen=True)
class Latency:
    """One kind of latency of one run, in cycles: sums and counts by batch of time, and the histogram."""

    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    values: NDArray[np.float64]
    frequencies: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean over the whole run; NaN where nothing was delivered."""
        return float(self.sums.sum() / self.counts.sum()) if self.counts.sum() else float("nan")


@dataclass(frozen=True)
class SimulationRun:
    """The result of one run of the core."""

    engine: str
    measured_cycles: int
    simulated_cycles: int
    cpu_seconds: float
    generated: int
    messages: int
    head_hops: int
    throughput: float  # flits per node per cycle
    worst_node: float
    offered: float
    latencies: dict[str, Latency]
    backlog: NDArray[np.float64]  # at each batch's end
    deadlock: Deadlock | None
    utilisation: NDArray[np.float64] | None  # busy share of a channel, by link
    unroutable: int


def hit_rates(runs: Sequence[SimulationRun]) -> list[float]:
    """Share of the requested blocks that needed no disk, of each run with requests ([io.files])."""
    both = ((run.latencies.get("block_latency"), run.latencies.get("disk_latency")) for run in runs)
    counts = [(blocks.counts.sum(), disk.counts.sum()) for blocks, disk in both if blocks and disk]
    return [1.0 - float(missed / all_) for all_, missed in counts if all_]


def configuration(description: NetworkDescription, stream: int, warmup: int, cycles: int) -> CoreTables:
    """The core's input for replication `stream` of the description: `cycles` measured after `warmup` cycles."""
    method = description.method
    config = description.core()
    config["method"] = {
        "seed": method.seed,
        "stream": stream,
        "warmup_cycles": warmup,
        "cycles": cycles,
        "batches": min(BATCHES, cycles),
        "warmup_messages": method.warmup_messages,
        "messages": method.messages,
        "utilisation": method.utilisation,
    }
    return config


def run(source: Source, config: CoreTables) -> SimulationRun:
    """Run the core in this process."""
    return read(call_core(source, core.simulate, config))


def call_core(source: Source, call: Any, *arguments: Any) -> Any:
    """Call the core; an error that it raises becomes an InputError with the key's place in the file."""
    try:
        return call(*arguments)
    except (ValueError, OverflowError, IndexError) as error:
        if (found := refused.core_refusal(error)) is not None:
            raise refused.refused(source, found) from None
        raise source.error((), str(error)) from None


def read(found: Mapping[str, Any]) -> SimulationRun:
    """The core's result, typed."""
    latencies = {
        name if name.endswith("waiting") else f"{name}_latency": Latency(
            *(np.asarray(part[key], float) for key in ("batch_sums", "batch_counts", "values", "counts"))
        )
        for name, part in found["latencies"].items()
    }
    return SimulationRun(
        engine=found["engine"],
        measured_cycles=int(found["measured_cycles"]),
        simulated_cycles=int(found["simulated_cycles"]),
        cpu_seconds=float(found["cpu_seconds"]),
        generated=int(found["generated"]),
        messages=int(found["messages"]),
        head_hops=int(found["head_hops"]),
        throughput=float(found["throughput"]),
        worst_node=float(found["worst_node"]),
        offered=float(found["offered"]),
        latencies=latencies,
        backlog=np.asarray(found["backlog"], float),
        deadlock=found["deadlock"],
        utilisation=None if found["utilisation"] is None else np.asarray(found["utilisation"], float),
        unroutable=int(found["unroutable"]),
    )


def nodes(description: NetworkDescription) -> int:
    """How many nodes the network has."""
    return int(call_core(description.source, core.build_network, description.fabric()).nodes)


def channels(description: NetworkDescription) -> list[NetworkLink]:
    """The links of the network: ends, kind, dimension, direction and number of channels."""
    network = call_core(description.source, core.build_network, description.fabric())
    return [{key: link[key] for key in NetworkLink.__annotations__} for link in network.links]  # type: ignore[misc]


def link_name(link: NetworkLink) -> str:
    """A link's name in words, by its ends."""
    match link["kind"]:
        case "injection":
            return f"node {link['from']} into router {link['to']}"
        case "ejection":
            return f"router {link['from']} into node {link['to']}"
        case _:
            return f"router {link['from']} to {link['to']}"
