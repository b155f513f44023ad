"""The law of descriptions: every key that one accepts changes some result, or the loader refuses it.

Each key of docs/machine_keys.md is varied on a small machine on which it has an effect, and a simulated result must
differ; each combination in which it has none must be refused. Every key of every shipped file is varied as well.
"""

from __future__ import annotations

import copy
import json
import re
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.described import machine_keys as reference
from assay.described.machine_file import DescribedMachine, load
from assay.described.shipped import open_described, per_node, room, shipped
from assay.errors import InputError
from assay.execute.job import Job
from assay.execute.node_simulated import simulate_node
from assay.network.network_tables import NetworkTable
from assay.published.cells.described_file import read
from by_night import by_night
from command_line import assay
from remarked import texts
from started import play

LINE = {"topology": "mesh", "extents": [4, 2], "cycle": "1 ns", "flit_ticks": 4, "body_ticks": 4, "head_ticks": 50}
SHORT = {"up_to": "100 B", "startup": "20 us", "receive": "10 us"}
LONG = {"startup": "30 us", "receive": "15 us", "copy": "5 ns/B"}
NETWORKED: dict[str, Any] = {"name": "m", "network": LINE, "protocol": [SHORT, LONG], "self": [{"startup": "2 us"}],
                             "forced": {}, "one_sided": {}, "progress": {"kind": "hardware"}}  # fmt: skip
CONSTANT: dict[str, Any] = {"name": "m", "messages": {"startup": "70 us", "per_byte": "0.4 us/B"}}
PACKETS = {"protocol": [{"startup": "20 us", "packet": "100 B"}]}
ASKS = {"protocol": [{"startup": "20 us", "handshake": True}]}
EVERY = {"protocol": [{"startup": "20 us", "packet": "100 B", "handshake_every": 2, "handshake_startup": "9 us"}]}
BUSY = {"protocol": [{"startup": "1 us", "receive": "90 us"}], "progress": {"kind": "interrupt"}}
PAIRED = {"node": {"processors": 2}, "compute": {"rate": {"dot": "40 Mflop/s"}}}
COMPUTING = {
    "node": {"processors": 2, "cache": "8 KiB"},
    "compute": {"rate": {"dot": "40 Mflop/s"}, "cached": {"dot": "50 Mflop/s"}},
}
TWO_CACHES = {
    "node": {"cache": "8 KiB", "second_cache": {"size": "64 KiB", "read": "400 MB/s", "write": "300 MB/s"}},
    "compute": {"cached": {"dot": "90 Mflop/s", "broadcast": "90 Mflop/s"}},
}
CALLS = {"progress": {"kind": "calls"}, "one_sided": {"startup": "5 us"}}
STREAM = "bus bytes=1000 form=put window=0.002 stream=1e8"
PASSED = {"network": {**LINE, "switching": "store-and-forward"}, "node": {"forwarding": {"startup": "9 us"}}}
NOISE = (
    '{"event": "trace", "format": "assay noise 1", "case": {"method": "work"}, "block": 0, "thread": 0, "cpu": 0, '
    '"t0": 0, "seconds": 1e-3, "quantum": 1e-5, "least": 1e-6, "tick": null, "start": [2e-4], "length": [4e-4], '
    '"done": [], "interrupts": {}, "steal": 0, "involuntary": 0, "voluntary": 0}\n'
)

DISK = {"cylinders": 50, "heads": 4, "sectors": 20, "revolution": "10 ms", "seek_short": "1 ms",
        "seek_short_root": "1 ms", "seek_split": 9, "seek_long": "9 ms", "seek_long_slope": "1 ms",
        "head_switch": "1 ms"}  # fmt: skip
ZONED = {key: value for key, value in DISK.items() if key != "sectors"} | {"zones": [[0, 40], [9, 20]]}
DEVICE = {"access": "10 ms", "per_byte": "1 us/B"}
STORED: dict[str, Any] = CONSTANT | {"storage": {"io_nodes": 2, "device": DEVICE}}
MEETING = CONSTANT | {"storage": {"io_nodes": 2, "device": DEVICE | {"at_once": 4, "beside": "3 ms"}}}
CACHED = CONSTANT | {
    "storage": {"io_nodes": 2, "device": DEVICE, "outstanding": 4, "cache": {"size": "64 KiB", "read_ahead": "32 KiB"}}
}
SOLID = {"channels": 2, "dies": 2, "page": "2 KiB", "read": "3 ms", "program": "9 ms", "channel_per_byte": "500 ns/B",
         "per_byte": "100 ns/B", "at_once": 4}  # fmt: skip
CELLS = CONSTANT | {"storage": {"io_nodes": 2, "solid_state": SOLID, "outstanding": 8}}
TURNING = CONSTANT | {"storage": {"io_nodes": 2, "disk": DISK, "outstanding": 8}}
FILES = "parallel-files bytes=20000 section=100000"
WRITES = FILES + " direction=write"
FEW = "parallel-files bytes=4096 section=20480"  # eight files that lie near each other
FAR = "parallel-files bytes=20000 section=400000"  # of which some are more than nine cylinders apart

# key -> what the machine has beside (tables that replace its own), the other value, the program that shows it
VARIED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "protocol.up_to": ({}, "50 B", "echo bytes=64"),
    "protocol.startup": ({}, "21 us", "echo bytes=8"),
    "protocol.receive": ({}, "11 us", "echo bytes=8"),
    "protocol.copy": ({}, "6 ns/B", "echo bytes=64"),
    "protocol.receive_copy": ({}, "6 ns/B", "echo bytes=64"),
    "protocol.copy_limit": ({"protocol": [LONG]}, "100 B", "echo bytes=500"),
    "protocol.minimum": ({}, "64 B", "echo bytes=8"),
    "protocol.header": ({}, "16 B", "echo bytes=8"),
    "protocol.envelope": ({}, "16 B", "echo bytes=8"),
    "protocol.packet": ({"protocol": [LONG]}, "100 B", "echo bytes=500 hops=3"),
    "protocol.packet_startup": (PACKETS, "1 us", "echo bytes=500"),
    "protocol.handshake": ({}, True, "echo bytes=8"),
    "protocol.rendezvous": ({"protocol": [{"handshake": True, "receive": "90 us"}]}, "posted", "fan-in bytes=500"),
    "protocol.handshake_startup": (ASKS, "3 us", "echo bytes=8"),
    "protocol.handshake_every": (PACKETS, 2, "echo bytes=500"),
    "protocol.handshake_from": (EVERY, 5, "echo bytes=500"),
    "protocol.acknowledge_every": ({"protocol": [{"packet": "100 B", "header": "90 B"}]}, 2, "echo bytes=200"),
    "protocol.buffered": ({"protocol": [LONG]}, True, "fan-in bytes=50000"),
    "forced.startup": ({}, "5 us", "forced bytes=8"),
    "forced.receive": ({}, "5 us", "forced bytes=8"),
    "forced.copy": ({}, "9 ns/B", "forced bytes=8"),
    "forced.receive_copy": ({}, "9 ns/B", "forced bytes=8"),
    "forced.handshake": (ASKS, False, "forced bytes=8"),
    "forced.handshake_every": (EVERY, 0, "forced bytes=500"),
    "forced.unposted": ({}, "lost", "late-receive bytes=8 send=ready"),
    "one_sided.startup": ({}, "5 us", STREAM),
    "one_sided.copy": ({}, "9 ns/B", STREAM),
    "one_sided.receive": (CALLS, "5 us", STREAM),
    "one_sided.receive_copy": (CALLS, "9 ns/B", STREAM),
    "self.up_to": ({"self": [{"startup": "2 us", "up_to": "100 B"}, {"startup": "3 us"}]}, "50 B", "self bytes=64"),
    "self.startup": ({}, "3 us", "self bytes=8"),
    "self.copy": ({}, "1 ns/B", "self bytes=8"),
    "self.minimum": ({"self": [{"copy": "1 ns/B"}]}, "64 B", "self bytes=8"),
    "node.processors": ({}, 2, "alltoall bytes=8"),
    "node.ranks": ({"node": {"processors": 2}}, 1, "alltoall bytes=8"),
    "node.interface": ({}, "1 MB/s", "echo bytes=500"),
    "node.intake": (BUSY, "processor", "fan-in bytes=500"),
    "node.memory": ({"protocol": [LONG]}, "100 B", "echo bytes=500"),
    "node.bus": ({}, "200 MB/s", STREAM),
    "node.clock_tick": ({}, "7 us", "echo bytes=8"),
    "node.noise": ({}, "NOISE", "overlap bytes=50000"),
    "node.forwarding": ({"network": {**LINE, "switching": "store-and-forward"}}, {"startup": "9 us"}, "spin bytes=64"),
    "node.forwarding.startup": (PASSED, "19 us", "spin bytes=64"),
    "node.forwarding.per_byte": (PASSED, "90 ns/B", "spin bytes=64"),
    "progress.kind": (ASKS, "calls", "overlap bytes=5000"),
    "progress.interrupt": ({**ASKS, "progress": {"kind": "interrupt"}}, "7 us", "overlap bytes=5000"),
    "barrier.algorithm": ({"barrier": {"algorithm": "linear", "step": "9 us"}}, "tree", "barrier algorithm=library"),
    "barrier.step": ({"barrier": {"algorithm": "linear", "step": "9 us"}}, "8 us", "barrier algorithm=library"),
    "compute.rate": ({}, {"stream": "90 MB/s"}, "bus bytes=1000 form=put window=0.002"),
    "compute.time": ({}, {"turn": "3 us"}, "overlap bytes=500"),
    "node.threads": (COMPUTING, 3, "inner-product"),
    "node.cache": (COMPUTING, "1 KiB", "dot-product length=100"),
    "node.second_cache.size": (TWO_CACHES, "32 KiB", "vectors kernel=dot length=3000"),
    "node.second_cache.read": (TWO_CACHES, "200 MB/s", "vectors kernel=dot length=3000"),
    "node.second_cache.write": (TWO_CACHES, "200 MB/s", "vectors kernel=broadcast length=3000"),
    "compute.cached": (COMPUTING, {"dot": "60 Mflop/s"}, "inner-product"),
    "compute.half_length": (COMPUTING, {"dot": 20}, "dot-product length=100"),
    "compute.shared": (PAIRED, {"dot": "50 Mflop/s"}, "distributed-dot"),
    "mpi.personality": ({}, "mpich-1.2", "collective operation=reduce algorithm=library"),
    "storage.io_nodes": (STORED, 3, FILES),
    "storage.nodes": ({"storage": {"io_nodes": 2, "device": DEVICE}}, [3, 7], FILES + " active=1"),
    "storage.host": ({"host": [{"startup": "3 ms"}], "storage": {"io_nodes": 1, "device": DEVICE}}, True, FILES),
    "storage.stripe": (STORED, "8 KiB", FILES),
    "storage.request": (STORED, "3 ms", FILES),
    "storage.per_byte": (STORED, "1 us/B", FILES),
    "storage.open": (STORED, "3 ms", FILES),
    "storage.close": (STORED, "3 ms", FILES),
    "storage.allocate": (STORED, "3 ms", WRITES + " preallocate=no"),
    "storage.client_request": (STORED, "30 ms", FILES),
    "storage.client_per_byte": (STORED, "10 us/B", FILES),
    "storage.client_write_byte": (STORED, "10 us/B", WRITES),
    "storage.outstanding": (CONSTANT | {"storage": {"io_nodes": 40, "device": DEVICE}}, 4, FILES),
    "storage.disks": (STORED, 2, FILES),
    "storage.queue": (TURNING, "sptf", FAR),
    "storage.declustering": (CONSTANT | {"storage": {"io_nodes": 40, "device": DEVICE}}, 3, FILES),
    "storage.copies": (STORED, 2, WRITES),
    "storage.failed": (STORED, 1, FILES),
    "storage.failed_link": (CONSTANT | {"storage": {"io_nodes": 2, "request": "9 ms", "device": DEVICE}}, 1, FILES),
    "storage.failed_disk": (STORED, [1, 0], FILES),
    "storage.cache": (STORED, {"size": "64 KiB", "write_behind": True}, WRITES),
    "storage.cache.size": (CACHED, "8 KiB", FILES),
    "storage.cache.read_ahead": (CACHED, "16 KiB", FILES),
    "storage.cache.write_behind": (CACHED, True, WRITES),
    "storage.disk.cylinders": (TURNING, 9000, "parallel-files bytes=20000 section=2000000"),
    "storage.disk.heads": (TURNING, 5, FAR),
    "storage.disk.sectors": (TURNING, 24, FAR),
    "storage.disk.sector": (TURNING, "1 KiB", FAR),
    "storage.disk.revolution": (TURNING, "11 ms", FAR),
    "storage.disk.seek_short": (TURNING, "12.3 ms", FEW),
    "storage.disk.seek_short_root": (TURNING, "13.7 ms", FEW),
    "storage.disk.seek_split": (TURNING, 2, FAR),
    "storage.disk.seek_long": (TURNING, "90 ms", FAR),
    "storage.disk.seek_long_slope": (TURNING, "9 ms", FAR),
    "storage.disk.head_switch": (TURNING, "14.1 ms", FAR),
    "storage.disk.overhead": (TURNING, "13.1 ms", FEW),
    "storage.disk.track_skew": (TURNING, 3, FAR),
    "storage.disk.cylinder_skew": (TURNING, 3, FAR),
    "storage.disk.zones": (CONSTANT | {"storage": {"io_nodes": 2, "disk": ZONED}}, [[0, 40], [9, 22]], FAR),
    "storage.solid_state.channels": (CELLS, 1, FILES),
    "storage.solid_state.dies": (CELLS, 1, FILES),
    "storage.solid_state.page": (CELLS, "1 KiB", FILES),
    "storage.solid_state.read": (CELLS, "4 ms", FILES),
    "storage.solid_state.program": (CELLS, "12 ms", WRITES),
    "storage.solid_state.channel_per_byte": (CELLS, "2 us/B", FILES),
    "storage.solid_state.per_byte": (CELLS, "2 us/B", FILES),
    "storage.solid_state.overhead": (CELLS, "5 ms", FILES),
    "storage.solid_state.at_once": (CELLS, 1, FILES),
    "storage.device.access": (STORED, "11 ms", FILES),
    "storage.device.per_byte": (STORED, "2 us/B", FILES),
    "storage.device.at_once": (STORED, 2, FILES),
    "storage.device.own_per_byte": (STORED, "2 us/B", FILES),
    "storage.device.beside": (MEETING, "4 ms", FILES),
    "storage.device.beside_per_byte": (MEETING, "2 us/B", FILES),
    "messages.startup": (CONSTANT, "71 us", "echo bytes=8"),
    "messages.per_byte": (CONSTANT, "0.5 us/B", "echo bytes=8"),
    "name": ({}, "other", "echo bytes=8"),
    "nodes": (CONSTANT | {"nodes": 8}, 4, "echo bytes=8"),
    "defaults": ({}, {"bytes": [8, 16]}, "echo"),
}
WHOLE = {
    "messages",
    "network",
    "protocol",
    "forced",
    "one_sided",
    "self",
    "host",
    "mpi",
    "node",
    "node.second_cache",
    "progress",
    "barrier",
    "compute",
    "device",
    "storage",
    "storage.disk",
    "storage.solid_state",
    "storage.device",
}
# What no shipped program is charged by: tests/test_compute_charged.py varies these.
CHARGED = {"device.count", "device.memory", "device.peak", "device.link", "device.launch"}
# What a description says for people and for the comparison with what was published; tested below by themselves.
WORDS = {"title", "source", "published", "origin", "variant"}
KNOWN = ("uncertainty", "validation")  # how well numbers are known: tests/test_uncertainty.py, test_predict_verb.py


def every_key() -> Iterator[str]:
    for section in reference.sections():
        tables = re.findall(r"\[+([\w.]+)\]+", section["table"]) or [""]
        for row in section["keys"]:
            yield f"{tables[0]}.{row['key']}".removeprefix(".")


def test_the_list_of_keys_is_the_reference_s() -> None:
    known = {key for key in every_key() if key.partition(".")[0] in KNOWN}
    assert set(every_key()) == set(VARIED) | WHOLE | WORDS | CHARGED | known


def placed(table: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The table with `value` at a dotted key; entries of lists: the first."""
    changed = copy.deepcopy(table)
    *outer, last = key.split(".")
    inside: Any = changed
    for part in outer:
        inside = inside.setdefault(part, [{}] if part in ("protocol", "self", "host") else {})
        inside = inside[0] if isinstance(inside, list) else inside
    inside[last] = value
    return changed


def written(path: Path, table: dict[str, Any]) -> Path:
    path.write_text(toml(table))
    return path


def toml(table: dict[str, Any], prefix: str = "") -> str:
    tables = {k: v for k, v in table.items() if isinstance(v, dict)}
    lists = {k: v for k, v in table.items() if isinstance(v, list) and v and isinstance(v[0], dict)}
    lines = [f"{k} = {json.dumps(v)}" for k, v in table.items() if k not in tables and k not in lists]
    lines += [f"\n[{prefix}{k}]\n{toml(v, f'{prefix}{k}.')}" for k, v in tables.items()]
    lines += [f"\n[[{prefix}{k}]]\n{toml(each, f'{prefix}{k}.')}" for k, v in lists.items() for each in v]
    return "\n".join(lines) + "\n"


def result(described: DescribedMachine, words: str, ranks: int = 8) -> Any:
    """What a program samples on the machine, or what it says where it cannot; `words` may end with @RANKS."""
    words, _, fewer = words.partition(" @")
    program, _, settings = words.partition(" ")
    arguments = [word for each in settings.split() if each for word in ("--set", each)]
    if benchmark(program).kind == "node":
        return on_a_node(described, program, arguments)
    if described.network is not None:
        per = described.node.processors if described.node else 1
        if described.node and described.node.ranks and not described.self_path:
            per = described.node.ranks  # messages within a node are not described
        ranks = min(int(fewer or ranks), room(described, per) or ranks)
    try:
        set_by_machine = described.parameter_defaults()
        lines = play(
            program, described.for_core(per_node(described, ranks)), ranks, ["--seed", "1", *arguments], set_by_machine
        ).splitlines()
    except (ValueError, RuntimeError) as error:
        return str(error)
    found = [json.loads(line) for line in lines]
    assert all(event["passed"] for event in found if event["event"] == "check")
    named = [event["placement"][0]["host"] for event in found if event["event"] == "launch"]
    notes = texts(found)
    blocks = [(str(e["case"]), e["metric"], e["values"]) for e in found if e["event"] == "block"]
    return named, len(found[0]["placement"]), notes, sorted(blocks)


def on_a_node(described: DescribedMachine, program: str, arguments: list[str]) -> Any:
    """The same of a node program, which is no rank's."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "lines"
        job = Job(program, (program, *arguments), None, None, None, out, out, 1.0, {})
        simulate_node(described, benchmark(program), job)
        found = [json.loads(line) for line in out.read_text().splitlines()]
    notes = texts(found)
    return "", 1, notes, sorted((str(e["case"]), e["metric"], e["values"]) for e in found if e["event"] == "block")


@pytest.mark.parametrize("key", VARIED)
def test_every_key_changes_a_result(key: str, tmp_path: Path) -> None:
    beside, value, program = VARIED[key]
    if value == "NOISE":
        (tmp_path / "noise.jsonl").write_text(NOISE)
        value = "noise.jsonl"
    base = beside if "messages" in beside else NETWORKED | beside
    plain = load(written(tmp_path / "plain.toml", base))
    varied = load(written(tmp_path / "varied.toml", placed(base, key, value)))
    before, after = result(plain, program), result(varied, program)
    # More cylinders: without them the disk is full.
    assert key in ("compute.rate", "node.forwarding", "mpi.personality", "storage.disk.cylinders") or (
        not isinstance(before, str) and before[3] != []
    )
    assert before != after


def test_the_host_s_path_changes_a_result(tmp_path: Path) -> None:
    base = NETWORKED | {"host": [{"startup": "90 us", "copy": "1 ns/B"}]}
    plain = result(load(written(tmp_path / "plain.toml", base)), "host bytes=8")
    for key, value in (("startup", "91 us"), ("copy", "2 ns/B"), ("minimum", "64 B")):
        varied = load(written(tmp_path / "varied.toml", placed(base, f"host.{key}", value)))
        assert result(varied, "host bytes=8") != plain


def test_words_for_the_comparison_decide_its_marks(tmp_path: Path) -> None:
    text = shipped()["ipsc2"].read_text()
    path = tmp_path / "mine.toml"
    path.write_text('published = "ipsc860"\n' + re.sub("(?m)^published = .*$", "", text))
    assert read(path).published == "ipsc860" != read(shipped()["ipsc2"]).published
    path.write_text(text.replace('"fitted: echo [hops 1, 6]"', '"assumed: a guess"'))
    assert read(path).origin != read(shipped()["ipsc2"]).origin


@pytest.mark.parametrize(
    ("beside", "key", "value", "said"),
    [
        ({}, "nodes", 8, "with .network., whose topology"),
        ({}, "protocol.rendezvous", "posted", "without handshake"),
        ({}, "protocol.handshake_startup", "3 us", "without handshake"),
        ({}, "protocol.handshake_every", 2, "without packet"),
        ({}, "protocol.handshake_from", 2, "without handshake_every"),
        ({}, "protocol.packet_startup", "1 us", "without packet"),
        ({}, "protocol.packet", "200 B", "no message of this entry is longer"),
        ({}, "protocol.copy_limit", "200 B", "without copy"),
        ({"protocol": [SHORT, LONG]}, "node.memory", "100 B", "no message is longer than the node's memory"),
        ({"protocol": [SHORT, {k: v for k, v in SHORT.items() if k != "up_to"}]}, "name", "n", "the entry before is"),
        ({}, "self.minimum", "64 B", "without copy"),
        ({}, "forced.handshake", False, "the messages that it overrides have the same"),
        ({}, "forced.handshake_every", 2, "without packet"),
        ({}, "one_sided.receive", "5 us", r"where \[progress\] is by hardware"),
        ({}, "progress.interrupt", "5 us", "with kind = hardware"),
        ({}, "barrier.step", "5 us", "with algorithm = messages"),
        ({}, "barrier.algorithm", "hardware", "would cost nothing"),
        ({}, "node.forwarding", {}, "it costs nothing"),
        ({"network": {"topology": "crossbar", "nodes": 4, "cycle": "1 ns"}}, "node.forwarding", {"startup": "1 us"},
         "messages pass through switches"),
        ({"compute": {"time": {"turn": "3 us"}, "rate": {"turn": "1e6 1/s"}}}, "name", "n", "of the same kernel"),
        ({"node": {"processors": 2}}, "compute.cached", {"stream": "1 GB/s"}, "without rate or time of that kernel"),
        (COMPUTING, "compute.cached", {"dot": "30 Mflop/s"}, "as fast from memory"),
        (COMPUTING, "compute.half_length", {"turn": 3}, "without a rate of that kernel"),
        (COMPUTING, "node.second_cache", {"size": "8 KiB", "read": "1 GB/s", "write": "1 GB/s"}, "first cache"),
        (COMPUTING, "node.threads", 2, "as many as processors"),
        ({}, "node.cache", "8 KiB", "without rates in"),
        (CONSTANT, "self", [{"startup": "3 us"}], r"without \[network\]"),
        (CONSTANT, "progress", {"kind": "calls"}, r"without \[network\]"),
        (CONSTANT, "barrier", {"algorithm": "linear", "step": "3 us"}, r"without \[network\]"),
        (STORED, "storage.queue", "scan", r"with \[storage.device\]"),
        (STORED | {"storage": {**STORED["storage"], "client_per_byte": "1 us/B"}}, "storage.client_write_byte",
         "1 us/B", "client_per_byte is the same"),
        (CACHED, "storage.cache.read_ahead", "1 KiB", "less than a stripe"),
        (TURNING, "storage.disk.seek_split", 50, "no seek is so long"),
        (TURNING, "storage.disk.track_skew", 20, "a whole track"),
        (CONSTANT | {"storage": {"io_nodes": 2, "disk": ZONED}}, "storage.disk.zones", [[0, 20], [30, 20]],
         "all tracks have equally many"),
        (CELLS, "storage.queue", "scan", r"with \[storage.solid_state\]"),
        (CONSTANT | {"storage": {"io_nodes": 2, "solid_state": {"per_byte": "1 us/B"}}}, "storage.solid_state.dies", 2,
         "without read or program"),
        (CONSTANT | {"storage": {"io_nodes": 2, "solid_state": {"per_byte": "1 us/B"}}}, "storage.solid_state.channels",
         2, "without read, program or channel_per_byte"),
        (CONSTANT, "node.processors", 2, r"without \[network\]"),
        (CONSTANT, "node.bus", "2 GB/s", r"without \[network\]"),
        (CONSTANT, "node.interface", "2 GB/s", r"without \[network\]"),
        ({"node": {"processors": 2}}, "node.ranks", 2, "as many as processors"),
        ({"node": {"processors": 2}}, "compute.shared", {"dot": "9 Mflop/s"}, "without rate or time of that kernel"),
        (PAIRED, "compute.shared", {"dot": "80 Mflop/s"}, "do no more together"),
        ({}, "network.buffer_packets", 3, 'with switching = "cut-through" or "store-and-forward"'),
        ({}, "network.acknowledgement", 3, 'with switching = "circuit"'),
        ({}, "network.circuit_release", "end", 'with switching = "circuit"'),
        ({}, "network.packet_gap", 3, "with packet_flits"),
        ({}, "network.output_packets", 3, 'and buffers = "output"'),
        ({}, "network.buffers", "fifo", 'with switching = "cut-through"'),
        ({"network": {**LINE, "switching": "circuit"}}, "network.buffer_flits", 3, 'with switching = "wormhole"'),
        ({"network": {**LINE, "switching": "circuit"}}, "network.credit_ticks", 3, 'another switching than "circuit"'),
    ],
)  # fmt: skip
def test_a_key_without_effect_is_refused(
    tmp_path: Path, beside: dict[str, Any], key: str, value: Any, said: str
) -> None:
    base = beside if "messages" in beside else NETWORKED | beside
    path = written(tmp_path / "m.toml", placed(base, key, value))
    with pytest.raises(InputError, match=rf"m\.toml:\d+: (?=.*{said}).*has no effect.*expected ") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_an_origin_is_of_a_key_that_the_file_has(tmp_path: Path) -> None:
    said = "has no effect: the file has no such key; expected "
    for key in ("protocol.7.startup", "node.memory", "protocols"):
        path = tmp_path / "m.toml"
        path.write_text(f'{toml(NETWORKED)}[origin]\n"{key}" = "stated: Table 1"\n')
        with pytest.raises(InputError, match=rf"m\.toml:\d+: origin\.{key}: {said}"):
            load(path)
    for key in ("protocol.1.startup", "protocol", "network.cycle"):
        path.write_text(f'{toml(NETWORKED)}[origin]\n"{key}" = "stated: Table 1"\n')
        load(path)


def test_a_clock_has_no_default() -> None:
    with pytest.raises(InputError, match=r"network\.cycle: is missing: a described machine states its clock"):
        DescribedMachine.model_validate({**NETWORKED, "network": {"topology": "torus", "extents": [4, 4]}}).for_core()
    stated = {"topology": "torus", "extents": [4, 4], "flit_bytes": 8.0, "channel_rate": "8 GB/s"}
    assert DescribedMachine.model_validate({**NETWORKED, "network": stated}).for_core()["cycle"] == 1e-9


def test_what_was_set_from_outside_may_leave_the_file_s_keys_idle() -> None:
    assert open_described("ipsc2", {"progress.kind": "hardware"}).progress is not None
    with pytest.raises(InputError, match=r"--set machine.progress.interrupt=3 us: progress.interrupt: has no effect"):
        open_described("ipsc2", {"progress.kind": "hardware", "progress.interrupt": "3 us"})


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("[defaults]\nbites = [8]\n", r":\d+: defaults.bites: no benchmark has such a parameter \(did you mean bytes"),
        ('[compute.rate]\nstreem = "9 MB/s"\n', r":\d+: compute.rate.streem: no benchmark's record has.*stream"),
        ('[compute.time]\nknapsack = "9 us"\n', r":\d+: compute.time.knapsack: no benchmark's record has"),
    ],
)
def test_names_that_no_program_has_are_refused(tmp_path: Path, keys: str, said: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(toml(NETWORKED) + keys)
    made = assay("run", "echo", "--on", str(path), "--out", str(tmp_path / "run"))
    assert made.status == 2 and re.search(said, made.err), made.err


# --- the shipped files ----------------------------------------------------------------------------------------------

SEEN = (
    "echo bytes=8,64,120,600,3000,5000,10000,20000", "forced bytes=8,3000", "self bytes=8,120,600,3000",
    "host bytes=8,120,600,1200,3000", "fan-in bytes=600,20000", "fan-out bytes=600,20000", "overlap bytes=8,5000,40000",
    "late-receive bytes=8 send=ready",
    "barrier algorithm=library", "bus bytes=100000 form=put window=0.05", "spin bytes=600",
    "contention bytes=1024 load=100", "message-rate bytes=8,4000", "alltoall bytes=8192,20000",
    "patterns bytes=20000 pattern=pingpong-strided,collect,reduction,transposition,neighbour-1d,neighbour-3d",
    "alltoall bytes=20000 @4", "distributed-dot", "distributed-dot @1",
    "patterns bytes=20000 pattern=neighbour-3d @4", "collective operation=barrier,reduce algorithm=library bytes=8",
)  # fmt: skip
SMALL = {"dimension": 3, "extents": [4, 2], "radix": 3, "dimensions": 2, "children": [4, 3], "parents": [2],
         "p": 2, "a": 2, "h": 2, "groups": 2}  # fmt: skip


def small(table: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(table)
    made["network"] |= {key: value for key, value in SMALL.items() if key in made["network"]}
    made.pop("origin", None)
    made.pop("variant", None)
    made.pop("defaults", None)
    if (storage := DescribedMachine.model_validate(made).storage) is not None:
        if storage.cache is not None:
            made["storage"]["cache"]["read_ahead"] = f"{2 * storage.stripe * storage.io_nodes:.0f} B"
        if "declustering" in made["storage"]:  # several files on each I/O node
            made["storage"]["io_nodes"] = 4
        if "request" in made["storage"]:
            made["storage"]["request"] = "10 us"  # the disks are what takes the time
        made["storage"].get("disk", {})["heads"] = 2
    return made


def leaves(table: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(table, dict):
        for key, value in table.items():
            yield from leaves(value, (*place, key))
    elif isinstance(table, list) and table and isinstance(table[0], dict):
        for at, value in enumerate(table):
            yield from leaves(value, (*place, at))
    else:
        yield place, table


def other(place: tuple[Any, ...], value: Any) -> Any:
    """Another value that the key accepts."""
    key = place[-1]
    choices = {
        "kind": "hardware" if value != "hardware" else "calls", "algorithm": "tree" if value != "tree" else "linear",
        "rendezvous": "buffer" if value == "posted" else "posted", "order": "highest-first", "parents": [1],
        "switching": "wormhole" if value != "wormhole" else "circuit", "topology": "crossbar", "routing": "valiant",
        "children": [3, 4], "extents": [2, 4], "radix": 4, "buffer_flits": 4, "memory": "100 B",
        "processors": 1 if value == 2 else 2, "nodes": 2,
        "buffer_packets": 1, "credit_ticks": 5000, "injection_channels": 1, "ejection_channels": 1,
        "cylinders": 1, "at_once": 1, "outstanding": 1, "overhead": "17.3 ms",
        "track_skew": 2, "cylinder_skew": 3, "disks": 1, "read_ahead": "0 B",
        "intake": "interface", "unposted": "kept",
        "size": "2 MiB" if "GiB" in str(value) else "8 KiB",
    }  # fmt: skip
    if key in choices:
        return choices[key]
    if isinstance(value, bool):
        return not value
    if isinstance(value, str) and (found := re.match(r"([\d.]+)(.*)", value)):
        return f"{1.5 * float(found[1]) or 1.5:g}{found[2]}"
    return value + 1 if isinstance(value, int) else 2 * value


NODE = (
    "linpack",
    "stream",
    "inner-product",
    "hitc",
    "dot-product length=1200",
    "vectors length=256,4500,10000",
    "integration threads=1",
    "caltech",
    "sieve",
    "pulsars pulsars=1024 steps=16",
    "planewaves points=16 bands=4",
    "materials atoms=16",
    "dense factorisation=cholesky size=64 layout=columns",
    "dense factorisation=cholesky size=64 layout=columns type=float32",
    "dense factorisation=lu size=64",
    "dense factorisation=cholesky size=64 layout=grid",
)  # on a node of its own, by the description's node model


@cache
def plain(name: str, program: str) -> Any:
    return result(DescribedMachine.model_validate(small(tomllib.loads(shipped()[name].read_text()))), program, 16)


@pytest.mark.parametrize("name", by_night(sorted(shipped()), ["ipsc860"]))
def test_every_key_of_a_shipped_machine_changes_a_result(name: str) -> None:
    table = small(tomllib.loads(shipped()[name].read_text()))
    idle = []
    for place, value in leaves(table):
        if place[0] in ("name", "title", "source", "published") or place == ("network", "topology"):
            continue
        if place == ("storage", "io_nodes") and table["storage"].get("host"):  # one, and no other number
            continue
        if place == ("progress", "kind") and "intake" in table.get("node", {}):  # no other is accepted beside it
            continue
        if place == ("node", "processors") and "ranks" in table["node"] and "self" not in table:
            continue  # seen by --ppn alone: tests/test_node_model.py
        changed: Any = copy.deepcopy(table)
        inside = changed
        for part in place[:-1]:
            inside = inside[part]
        inside[place[-1]] = other(place, value) if place != ("mpi", "personality") else inside.pop("personality")
        if place == ("mpi", "personality"):  # there is no other one: none
            changed.pop("mpi")
        described = DescribedMachine.model_validate(changed)
        shown = _files(table) if place[0] == "storage" else NODE if place[0] == "compute" else SEEN + NODE
        if not any(_differs(name, described, program) for program in (*shown, *SEEN)):
            idle.append(".".join(map(str, place)))
    assert not idle


def _files(table: dict[str, Any]) -> tuple[str, ...]:
    """Reading and writing of eight units on every I/O node by each rank, or by one: many may wait for the slowest part.

    They begin together, so that what is done beside the slowest part changes nothing.
    """
    storage = DescribedMachine.model_validate(table).storage
    assert storage is not None
    row = int(storage.stripe * storage.io_nodes)
    settings = f"parallel-files bytes={row} section={8 * row}"
    write = " direction=write preallocate=no"
    alone = f"parallel-files bytes={4 * row} section={8 * row} active=1"
    return settings, settings + write, alone, alone + write


def _differs(name: str, described: DescribedMachine, program: str) -> bool:
    try:
        return bool(result(described, program, 16) != plain(name, program))
    except InputError:  # a network that takes other keys beside: the key decides what is accepted
        return True


def test_the_network_s_engine_is_no_key_of_a_result() -> None:
    """All engines give the same: the one key of [network] that may change no figure, only how long it takes."""
    assert "engine" in NetworkTable.model_fields
    machine = {**NETWORKED, "network": {**LINE, "engine": "flit"}}
    program = "alltoall bytes=64"
    assert result(DescribedMachine.model_validate(machine), program) == result(
        DescribedMachine.model_validate(NETWORKED), program
    )
