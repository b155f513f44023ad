"""Which keys of a description could change no result, and what makes each idle (`assay.toml.no_effect`).

What a key needs to have an effect is here rule by rule; tests/test_every_key.py varies every accepted key and sees
a result change. Keys that are idle only because of what was set from outside (`--set machine.progress.kind=hardware`
where the file states an interrupt's cost) are the file's own and stay.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping

from assay.described import machine_tables, storage_effects
from assay.described.kernels import KERNELS, stand_ins
from assay.toml.checking import Table
from assay.toml.no_effect import Idle


def idle(machine: machine_tables.MachineTable) -> Iterator[Idle]:
    """All keys of a machine that change no result."""
    yield from _without_network(machine) if machine.network is None else _with_network(machine)
    if machine.barrier is not None and machine.network is not None:
        if machine.barrier.algorithm == "messages" and machine.barrier.step:
            yield Idle(("barrier", "step"), "has no effect with algorithm = messages")
        if machine.barrier.algorithm == "hardware" and not machine.barrier.step:
            why = f"has no effect without a step: a barrier by {machine.barrier.algorithm} would cost nothing"
            yield Idle(("barrier", "algorithm"), why, "step, such as 58 us")
    if machine.storage is not None:
        yield from storage_effects.idle(machine.storage)
    if machine.compute is not None:
        for kernel in machine.compute.time:
            if kernel in machine.compute.rate:
                yield Idle(("compute", "time", kernel), "has no effect with compute.rate of the same kernel")
        for kernel, together in machine.compute.shared.items():
            if (useless := _not_shared(machine, kernel, together)) is not None:
                yield Idle(("compute", "shared", kernel), useless)
        yield from _computing(machine, machine.compute)
    if machine.device is not None:
        yield from _on_device(machine, machine.device)
    if machine.node is not None and machine.node.ranks == machine.node.processors:
        yield Idle(("node", "ranks"), "has no effect: as many as processors, which is what is meant without it")
    if machine.node is not None and machine.node.threads == machine.node.processors:
        yield Idle(("node", "threads"), "has no effect: as many as processors, which is what is meant without it")
    if machine.node is not None and machine.node.cache and machine.compute is None:
        yield Idle(("node", "cache"), "has no effect without rates in [compute] cached")


def _on_device(machine: machine_tables.MachineTable, device: machine_tables.NodeDeviceTable) -> Iterator[Idle]:
    """Keys of a device without effect: with another rate of the same kernel, or without any of their own."""
    units = device.units()
    stated = {} if machine.compute is None else {**machine.compute.alone(), **machine.compute.cached}
    for kernel, (_, key) in units.items():
        if kernel in stated:
            yield Idle(tuple(key.split(".")), f"has no effect with the rate of {kernel} in [compute]")
    if not units:
        yield Idle(("device",), "has no effect without memory, peak, link or launch")


def _computing(machine: machine_tables.MachineTable, compute: machine_tables.ComputeTable) -> Iterator[Idle]:
    """Keys of the node's own speed (`assay.described.node_model`) that change none."""
    alone = compute.alone()
    cache = machine.node is not None and bool(machine.node.cache)
    for kernel in compute.half_length:
        if kernel not in alone and kernel not in compute.cached:
            unknown = {*alone, *compute.cached} - {*KERNELS}
            if not difflib.get_close_matches(kernel, unknown, 1):  # a wrong name of its rate is refused as such
                yield Idle(("compute", "half_length", kernel), "has no effect without a rate of that kernel")
    for kernel in compute.cached:
        if kernel not in alone and not cache:
            yield Idle(
                ("compute", "cached", kernel), "has no effect without rate or time of that kernel, or node.cache"
            )
    again = _passes_again(machine, compute)
    if machine.node is not None and machine.node.second_cache is not None:
        if not cache or not (compute.cached or again):
            yield Idle(("node", "second_cache"), "has no effect without node.cache and rates in [compute] cached")
        elif machine.node.second_cache.size <= machine.node.cache:
            yield Idle(("node", "second_cache"), "has no effect: the first cache is as large")
    for kernel, cached in compute.cached.items():
        if kernel in alone and cached * alone[kernel][0] <= 1:
            yield Idle(("compute", "cached", kernel), "has no effect: the kernel is as fast from memory")
    if machine.node is not None and machine.node.cache and not compute.cached and not again:
        yield Idle(("node", "cache"), "has no effect without rates in [compute] cached")


def _passes_again(machine: machine_tables.MachineTable, compute: machine_tables.ComputeTable) -> bool:
    """Whether a kernel's bytes on the bus, which several processors share, depend on what a cache holds."""
    known = (name for name, kind in KERNELS.items() if kind.beyond is not None)
    rated = any(each in compute.alone() for name in known for each in stand_ins(name))
    return rated and machine.node is not None and machine.node.bus > 0 and machine.node.processors > 1


def _not_shared(machine: machine_tables.MachineTable, kernel: str, together: float) -> str | None:
    """Why a rate that a node's ranks share changes nothing; None where it does."""
    compute, node = machine.compute, machine.node
    processors = 1 if node is None else max(node.processors, node.threads or 1)
    if compute is None or kernel not in {**compute.rate, **compute.time}:
        return "has no effect without rate or time of that kernel, what one rank does alone"
    alone = compute.rate[kernel] if kernel in compute.rate else 1 / compute.time[kernel]
    if together >= processors * alone:
        return f"has no effect: the node's processors ({processors}) do no more together"
    return None


def _without_network(machine: machine_tables.MachineTable) -> Iterator[Idle]:
    why = "has no effect without [network]: [messages] has the cost of every message"
    for name, field in type(machine).model_fields.items():
        given = getattr(machine, name)
        if name in ("protocol", "forced", "one_sided", "self_path", "host", "progress", "barrier") and given:
            yield Idle((field.alias or name,), why)
    for name in ("processors", "ranks", "memory", "bus", "interface", "forwarding"):
        if machine.node is not None and _given(machine.node, name):
            yield Idle(("node", name), why)


def _with_network(machine: machine_tables.MachineTable) -> Iterator[Idle]:
    if machine.nodes is not None:
        yield Idle(("nodes",), "has no effect with [network], whose topology has their number")
    if (machine.network or {}).get("io") is not None:
        yield Idle(("network", "io"), "has no effect here: a described machine's ranks are on the network's nodes")
    shared = [table for table in (machine.forced, machine.one_sided) if table is not None]
    copied = any(table.copy_time or table.receive_copy for table in shared)
    for place, entry in enumerate(machine.protocol):
        for key, why in _protocol(machine, place, entry, copied):
            yield Idle(("protocol", place, *([key] if key else [])), why)
    for name, entries in (("self", machine.self_path), ("host", machine.host)):
        for place, path in enumerate(entries):
            if path.minimum and not path.copy_time:
                yield Idle((name, place, "minimum"), "has no effect without copy")
            if place and path == entries[place - 1].model_copy(update={"up_to": path.up_to}):
                yield Idle((name, place - 1, "up_to"), "has no effect: the next entry is the same")
    yield from _overruling(machine)
    if machine.progress is not None and machine.progress.kind != "interrupt" and machine.progress.interrupt:
        yield Idle(("progress", "interrupt"), f"has no effect with kind = {machine.progress.kind}")
    if machine.node is not None and machine.node.forwarding is not None:
        forwarding = machine.node.forwarding
        if not forwarding.startup and not forwarding.per_byte:
            yield Idle(("node", "forwarding"), "has no effect: it costs nothing", "startup or per_byte")
        elif not _nodes_forward(machine.network or {}):
            why = "has no effect here: messages pass through switches, not through other nodes"
            yield Idle(("node", "forwarding"), why, "a topology with a node at every router, such as mesh")


def _protocol(
    machine: machine_tables.MachineTable, place: int, entry: machine_tables.ProtocolTable, copied: bool
) -> Iterator[tuple[str, str]]:
    handshakes = entry.handshake or entry.handshake_every > 0
    if entry.copy_limit is not None and not (entry.copy_time or entry.receive_copy or copied):
        yield "copy_limit", "has no effect without copy or receive_copy"
    if entry.packet_startup and not entry.packet:
        yield "packet_startup", "has no effect without packet"
    if entry.packet and entry.up_to is not None and entry.up_to <= entry.packet:
        yield "packet", "has no effect: no message of this entry is longer (up_to)"
    if entry.handshake_every and not entry.packet:
        yield "handshake_every", "has no effect without packet"
    if entry.acknowledge_every and not entry.packet:
        yield "acknowledge_every", "has no effect without packet"
    if entry.handshake_from is not None and not entry.handshake_every:
        yield "handshake_from", "has no effect without handshake_every"
    if entry.handshake_startup and not handshakes:
        yield "handshake_startup", "has no effect without handshake or handshake_every"
    if entry.rendezvous == "posted" and not handshakes:
        yield "rendezvous", "has no effect without handshake or handshake_every"
    before = machine.protocol[place - 1] if place else None
    memory = machine.node.memory if machine.node else 0.0
    if before is not None and before.up_to is not None and memory and before.up_to >= memory:
        yield "", f"has no effect: no message is longer than the node's memory, {memory:g} B"
    if before is not None and entry == before.model_copy(update={"up_to": entry.up_to}):
        yield "", "has no effect: the entry before is the same"


def _overruling(machine: machine_tables.MachineTable) -> Iterator[Idle]:
    """[forced] and [one_sided]: a key that repeats the messages that it overrides."""
    plain: list[Mapping[str, object]] = [entry.model_dump() for entry in machine.protocol]
    for table, given in (("forced", machine.forced), ("one_sided", machine.one_sided)):
        if given is None:
            continue
        over = given.model_dump(exclude_none=True, exclude={"unposted"})
        for name, value in over.items():
            keys = (table, type(given).model_fields[name].alias or name)
            by_hardware = machine.progress is None or machine.progress.kind == "hardware"
            if table == "one_sided" and name in ("receive", "receive_copy") and by_hardware:
                yield Idle(keys, "has no effect where [progress] is by hardware")
            elif all(entry[name] == value for entry in plain):
                yield Idle(keys, "has no effect: the messages that it overrides have the same")
            elif name == "handshake_every" and value and not any(entry["packet"] for entry in plain):
                yield Idle(keys, "has no effect without packet")
        plain = [{**entry, **over} for entry in plain]


def _given(table: Table, name: str) -> bool:
    return bool(getattr(table, name) != type(table).model_fields[name].get_default(call_default_factory=True))


def _nodes_forward(network: Mapping[str, object]) -> bool:
    """Whether routers are nodes', so that a message passes through other nodes."""
    from assay.network import records

    record = records.topologies().get(str(network.get("topology")))
    return record is None or bool(re.search(r"[Nn]ode i (sits )?at router i(?! /)", record.get("numbering", "")))
