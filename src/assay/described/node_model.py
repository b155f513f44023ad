"""How fast a described node computes: by kernel, cache, vector length and processors at work on one memory bus.

A unit of work (a flop, a byte) takes `own` seconds of its processor and `bus` seconds of the bus that all processors
of the node share. One processor does 1 / (own + bus) units a second. k processors are a closed queueing network: one
server, the bus, and a delay, the processors. Its throughput follows by mean value analysis (Reiser and Lavenberg 1980):

    R(k) = bus (1 + Q(k-1)),   X(k) = k / (own + R(k)),   Q(k) = X(k) R(k),   Q(0) = 0

exact for exponential service times; never above min(k / (own + bus), 1 / bus). Nothing here is fitted to two or more
processors: `own` and `bus` follow from rates of one. A vector of n elements is slowed by 1 + n_half / n (Hockney).
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.described.machine_file import DescribedMachine

STREAM = "stream"  # bytes to or from memory, which the node's bus bounds


@dataclass(frozen=True)
class NodeKernel:
    """What a unit of a kernel's work takes, in seconds, the length of half performance in elements, and by which keys
    of the description.
    """

    own: float
    bus: float
    half_length: float
    keys: tuple[str, ...]

    def rate(self, processors: int = 1, length: float | None = None) -> float:
        """Units of work per second of so many processors at once, each on vectors of `length` elements (None: long)."""
        own = self.own
        if length is not None:
            own += (self.own + self.bus) * self.half_length / length
        waiting = rate = 0.0
        for at_work in range(1, processors + 1):
            response = self.bus * (1 + waiting)
            rate = at_work / (own + response)
            waiting = rate * response
        return rate


def node_kernel(
    machine: DescribedMachine, kernel: str, memory: float | None = None, bytes_per_unit: float = 0.0
) -> NodeKernel | str:
    """Say what a kernel takes on a node of this machine, or which key of its description that would need.

    `memory`: bytes of one processor's working set (None: larger than any cache). `bytes_per_unit`: of traffic with
    memory per unit of work, where the record counts them.
    """
    compute, node = machine.compute, machine.node
    bus = 0.0 if node is None else node.bus
    alone = {} if compute is None else compute.alone()
    if kernel == STREAM and kernel not in alone:
        return NodeKernel(0.0, bus, 0.0, ("node.bus",)) if bus else "compute.rate.stream, or node.bus"
    if compute is None or kernel not in alone:
        return f"compute.rate.{kernel}"
    unit, key = alone[kernel]
    half = compute.half_length.get(kernel, 0.0)
    keys = (key, *([f"compute.half_length.{kernel}"] if half else []))
    cached = compute.cached.get(kernel)
    if memory is not None and (node is None or not node.cache):
        return "node.cache"
    if memory is not None and node is not None and memory <= node.cache:
        if cached is None:
            return f"compute.cached.{kernel}"
        return NodeKernel(1 / cached, 0.0, half, (f"compute.cached.{kernel}", "node.cache", *keys[1:]))
    if cached is not None:
        return NodeKernel(1 / cached, unit - 1 / cached, half, (*keys, f"compute.cached.{kernel}"))
    on_bus = min(unit, bus * bytes_per_unit)
    return NodeKernel(unit - on_bus, on_bus, half, (*keys, *(["node.bus"] if on_bus else [])))
