"""How fast a described node computes: by kernel, cache, vector length and processors at work on one memory bus.

A unit of work (a flop, a byte) takes `own` seconds of its processor and `bus` seconds of the bus that all processors
of the node share. One processor does 1 / (own + bus) units a second. k processors are a closed queueing network: one
server, the bus, and a delay, the processors. Its throughput follows by mean value analysis (Reiser and Lavenberg 1980):

    R(k) = bus (1 + Q(k-1)),   X(k) = k / (own + R(k)),   Q(k) = X(k) R(k),   Q(0) = 0

exact for exponential service times; never above min(k / (own + bus), 1 / bus). Nothing here is fitted to two or more
processors: `own` and `bus` follow from rates of one. A vector of n elements is slowed by 1 + n_half / n (Hockney).

Levels: in a processor's own cache a unit takes what `[compute] cached` has; in a second cache the longer of that and
of what its bytes take there (a roofline); from memory the rate or time; of it the bus has what is more than in
the cache, or what the kernel's bytes take of it. Where a kernel has only a rate in the cache, memory adds its bytes.
A byte takes the bus as long as one of the inner product's does (`dot`), where that has rates from memory and from the
cache: what a compiler makes of a loop waits for lines of a cache. A kernel that is faster than that (it loads past the
cache) takes the time by [node] bus. What a loop works on again and again, where it is more than the caches hold, has
more bytes (`beyond`).

`levels` is what node programs and the simulator's `compute(Work{"KERNEL", count}, ...)` both charge by (`for_core`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from assay.described.kernels import KERNELS, WorkKind, stand_ins
from assay.described.machine_tables import ComputeTable, MachineTable

DEVICE_KEYS = {  # by kernel, the key with what it takes
    **{f"device_{name}": f"device.{name}" for name in ("memory", "link", "launch")},
    **{f"device_{name}": f"device.peak.{name}" for name in ("float64", "float32", "float16")},
}
STREAM = "stream"  # bytes to or from memory, which the node's bus bounds


@dataclass(frozen=True)
class NodeKernel:
    """What a unit of a kernel's work takes, in seconds, the length of half performance in elements, and by which keys
    of the description. `together`: units a second that all processors of the node do at most.
    """

    own: float
    bus: float
    half_length: float
    keys: tuple[str, ...]
    together: float = math.inf

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
        return min(rate, self.together)


@dataclass(frozen=True)
class Level:
    """What a kernel takes while a processor's data are no more than `up_to` bytes (None: any)."""

    up_to: float | None
    takes: NodeKernel


def levels(machine: MachineTable, kernel: str) -> tuple[Level, ...] | str:
    """What a kernel takes on a node of this machine, from the first cache on, or which key that would need."""
    compute, node = machine.compute or ComputeTable(), machine.node
    bus = 0.0 if node is None else node.bus
    alone = compute.alone()
    known = KERNELS.get(kernel, WorkKind("", ""))
    name = next((each for each in stand_ins(kernel) if each in alone or each in compute.cached), None)
    if name is None:
        if kernel in DEVICE_KEYS:
            return _on_device(machine, kernel)
        if known.made_of:
            return _made(machine, known)
        if kernel == STREAM and bus:
            return (Level(None, NodeKernel(0.0, bus, 0.0, ("node.bus",))),)
        return f"compute.rate.{kernel}, or node.bus" if kernel == STREAM else f"compute.rate.{kernel}"
    half, together = compute.half_length.get(name, 0.0), compute.shared.get(name, math.inf)
    halves = (f"compute.half_length.{name}",) if half else ()
    key = f"compute.cached.{name}"
    found = []
    cached = 1 / compute.cached[name] if name in compute.cached else None
    if cached is not None and node is not None and node.cache:
        found.append(Level(node.cache, NodeKernel(cached, 0.0, half, (key, "node.cache", *halves))))
        if (second := node.second_cache) is not None:
            unit = max(cached, known.read * second.read + known.written * second.write)
            keys = (key, "node.second_cache", *halves)
            found.append(Level(second.size, NodeKernel(unit, 0.0, half, keys)))
    if name in alone:
        unit, key_alone = alone[name]
        if kernel == STREAM and bus:
            unit = max(unit, bus)
        for up_to, traffic in _traffic(machine, known):
            on_bus, by = _on_bus(machine, unit, traffic)
            if cached is not None:
                on_bus, by = unit - cached, (key,)
            elif kernel == STREAM and bus:
                on_bus, by = bus, ("node.bus",)
            found.append(Level(up_to, NodeKernel(unit - on_bus, on_bus, half, (key_alone, *halves, *by), together)))
    elif cached is not None and (not known.traffic or bus):
        keys = (key, *halves, *(("node.bus",) if known.traffic else ()))
        found.append(Level(None, NodeKernel(cached, bus * known.traffic, half, keys, together)))
    return tuple(found) or f"compute.rate.{kernel}"


def _on_device(machine: MachineTable, kernel: str) -> tuple[Level, ...] | str:
    """Work of a device: one rank has one device, and those of a node no more than all of its devices do."""
    device = machine.device
    if device is None or (found := device.units().get(kernel)) is None:
        return DEVICE_KEYS[kernel]
    unit, key = found
    return (Level(None, NodeKernel(unit, 0.0, 0.0, (key,), device.count / unit)),)


def _traffic(machine: MachineTable, known: WorkKind) -> list[tuple[float | None, float]]:
    """Bytes of a unit from and to memory, by the size of what is worked on again and again (None: any)."""
    node = machine.node
    second = node.second_cache if node is not None else None
    holds = 0.0 if node is None else max(node.cache, 0.0 if second is None else second.size)
    if known.beyond is None or not holds:
        return [(None, known.traffic)]
    return [(holds, known.traffic), (None, sum(known.beyond))]


def _on_bus(machine: MachineTable, unit: float, traffic: float) -> tuple[float, tuple[str, ...]]:
    """Seconds of the bus that a unit's bytes take, of its own seconds; and by which keys."""
    compute, alone = machine.compute or ComputeTable(), (machine.compute or ComputeTable()).alone()
    if "dot" in compute.cached and "dot" in alone:
        each = (alone["dot"][0] - 1 / compute.cached["dot"]) / KERNELS["dot"].traffic
        if 0 < each * traffic <= unit:
            return each * traffic, (alone["dot"][1], "compute.cached.dot")
    on_bus = 0.0 if machine.node is None else min(unit, traffic * machine.node.bus)
    return on_bus, ("node.bus",) if on_bus else ()


def _made(machine: MachineTable, known: WorkKind) -> tuple[Level, ...] | str:
    """A kernel that is made of others' work, one after another, with data in memory."""
    own = bus = 0.0
    keys: list[str] = []
    for part, share in known.made_of:
        found = node_kernel(machine, part)
        if isinstance(found, str):
            return found
        own, bus = own + share * found.own, bus + share * found.bus
        keys += found.keys
    return (Level(None, NodeKernel(own, bus, 0.0, tuple(keys))),)


def node_kernel(machine: MachineTable, kernel: str, memory: float | None = None) -> NodeKernel | str:
    """What a kernel takes on a node of this machine, or which key of its description is missing.

    `memory`: bytes of one processor's working set (None: larger than any cache).
    """
    found = levels(machine, kernel)
    if isinstance(found, str):
        return found
    for level in found:
        if level.up_to is None or (memory is not None and memory <= level.up_to):
            return level.takes
    return f"compute.rate.{kernel}, or node.bus"


def for_core(machine: MachineTable) -> dict[str, object]:
    """The same levels as the simulator takes them: for each kernel that is described, in seconds."""
    return {kernel: _core(of) for kernel in _names(machine) if not isinstance(of := levels(machine, kernel), str)}


def _core(of: tuple[Level, ...]) -> dict[str, object]:
    together = of[-1].takes.together
    rows = [
        {"own": level.takes.own, "bus": level.takes.bus} | ({} if level.up_to is None else {"up_to": level.up_to})
        for level in of
    ]
    shared = {} if math.isinf(together) else {"shared": 1 / together}
    return {"half": of[0].takes.half_length, "levels": rows, **shared}


def _names(machine: MachineTable) -> Iterator[str]:
    compute = machine.compute or ComputeTable()
    yield from dict.fromkeys((*KERNELS, *compute.rate, *compute.time, *compute.cached))
