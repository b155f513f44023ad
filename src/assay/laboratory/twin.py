"""The described twin of a laboratory: a machine file that `predict`, `run --on` and `simulate` play.

What a frame takes follows from the laboratory's construction: it is stored at every vertex and forwarded whole, and
holds a link for its bytes and 90 more (Ethernet's header, preamble, checksum and gap, IP's and TCP's headers with time
stamps). Every second frame of a message is acknowledged by a frame of headers alone. What hosts take is assumed from
measurements on one machine (docs/laboratory.md); `assay fit` of a run on the laboratory fits it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from assay.laboratory.layout import LaboratoryLayout
from assay.laboratory.specification import Specification
from assay.toml.source import TomlTable

if TYPE_CHECKING:
    from assay.described.machine_file import DescribedMachine

SEGMENT = 1448  # B of a message in a frame: an MTU of 1500 without 52 B of IP's and TCP's headers
HEADERS = 90  # B of a frame on the link that are none of the message's
ENVELOPE = 8  # B that an MPI puts before a message
ACKNOWLEDGED = 2  # frames of a message for each acknowledgement
EAGER = 65500  # B: a longer message requests first (Open MPI's limit over TCP, 64 KiB with its header)
TICK = 1e-9  # s


@dataclass(frozen=True)
class HostTimes:
    """Seconds: `hop` of a frame at each vertex (the links' process, forwarding), `end` of a message at each end (MPI
    and TCP on the sender's and the receiver's processor).
    """

    hop: float = 12e-6
    end: float = 12e-6


ASSUMED = HostTimes()
_ASKED: TomlTable = {"handshake": True, "rendezvous": "posted"}
ORIGIN: Mapping[str, str] = {
    "network": "stated: as the laboratory was built",
    "network.head_ticks": "assumed: the links' process and forwarding, as measured on one machine",
    "protocol": "assumed: MPI over TCP on one machine; headers and segments as TCP over Ethernet has them",
    "self": "assumed: TCP within a host",
    "progress": "stated: an MPI progresses in its calls",
}


class MachineTree(TypedDict):
    """The twin's description as a machine file has it."""

    name: str
    title: str
    network: TomlTable
    protocol: list[TomlTable]
    self: list[TomlTable]
    node: TomlTable
    progress: TomlTable


def network_keys(
    layout: LaboratoryLayout, made: Specification, *, slowed: bool, hosts: HostTimes = ASSUMED
) -> TomlTable:
    """The keys of [network]; `slowed`: with the links that are slower than the others."""
    per_byte = 1 / made.rate
    keys: TomlTable = dict(layout.network) | {
        "switching": "store-and-forward",
        "buffer_packets": 0,
        "cycle": f"{TICK * 1e9:g} ns",
        "flit_bytes": 1.0,
        "flit_ticks": round(per_byte / TICK),
        "head_ticks": max(1, round((per_byte + hosts.hop + made.delay) / TICK)),
    }
    if not layout.switches:  # a host and its router are one
        keys["node_flit_ticks"] = keys["node_head_ticks"] = 1
    if slowed and made.slow:
        keys["links"] = [
            dict(layout.cables[layout.cable(name)].place) | {"slower": 1 / share} for name, share in made.slow.items()
        ]
    return keys


def machine_tree(
    made: Specification, *, slowed: bool = True, hosts: HostTimes = ASSUMED, requests: bool = True
) -> MachineTree:
    """The twin as the tree of a machine file; `requests`: whether the MPI's long messages ask first."""
    common: TomlTable = {"packet": f"{SEGMENT} B", "header": f"{HEADERS} B", "envelope": f"{ENVELOPE} B"}
    common["acknowledge_every"] = ACKNOWLEDGED
    times: TomlTable = {"startup": f"{hosts.end * 1e6:.6g} us", "receive": f"{hosts.end * 1e6:.6g} us"}
    return {
        "name": f"laboratory-{made.name}",
        "title": title(made),
        "network": network_keys(made.layout, made, slowed=slowed, hosts=hosts),
        "protocol": [{"up_to": f"{EAGER} B", **times, **common}, {**times, **common, **_ASKED}]
        if requests
        else [{**times, **common}],
        "self": [{"startup": "20 us", "copy": "0.2 ns/B"}],
        "node": {"processors": 1},
        "progress": {"kind": "calls"},
    }


def title(made: Specification) -> str:
    """A laboratory in a line."""
    delay = f", {made.delay * 1e3:g} ms delay" if made.delay else ""
    return f"laboratory, {made.topology}, {made.rate * 8e-6:g} Mbit/s{delay}"


def described(
    made: Specification, *, slowed: bool = True, hosts: HostTimes = ASSUMED, requests: bool = True
) -> DescribedMachine:
    """The twin as the simulator's described machine."""
    from assay.described.machine_file import check

    tree = machine_tree(made, slowed=slowed, hosts=hosts, requests=requests)
    return check({**tree}, Path(f"the twin of {made.name}"))


def text(made: Specification) -> str:
    """The twin as a machine file's text."""
    from assay.toml.writing import write_toml

    return write_toml({**machine_tree(made), "origin": dict(ORIGIN)}, [f"The described twin of a {title(made)}."])
