"""The keys of NETWORK.toml, each with its default, its unit and its meaning.

The keys of [network] that belong to a topology or a routing come from the core's records; all others are here. The
core counts in cycles, flits and bytes; a person may also write "0.05 us", "20 MB/s" or "4 KiB" where a quantity has a
unit.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    model_validator,
)

from assay.machine.units import quantity
from assay.toml.checking import Table, refuse


def _seconds(value: object) -> object:
    return quantity(value, "s") if isinstance(value, str) else value


def _cycles(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    seconds = quantity(value, "s")
    return max(round(seconds / (info.context or {})["cycle"]), 0 if seconds == 0 else 1)


def _flits(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    return max(1, math.ceil(quantity(value, "B") / (info.context or {})["flit_bytes"] - 1e-9))


Seconds = Annotated[float, BeforeValidator(_seconds)]
Cycles = Annotated[int, BeforeValidator(_cycles)]
RealCycles = Annotated[float, BeforeValidator(_cycles)]
Flits = Annotated[int, BeforeValidator(_flits)]
Bytes = Annotated[float, BeforeValidator(lambda v: quantity(v, "B") if isinstance(v, str) else v)]
Rate = Annotated[float, BeforeValidator(lambda v: quantity(v, "B/s") if isinstance(v, str) else v)]
Share = Annotated[float, Field(ge=0, le=1)]


class Clock(Table):
    """The keys of [network] that give bytes and seconds to flits and cycles."""

    flit_bytes: Bytes = Field(1.0, gt=0, description="bytes of a flit; gives lengths written in bytes their flits [B]")
    cycle: Seconds = Field(5e-8, gt=0, description="length of a cycle; gives cycles their seconds [s]")
    channel_rate: Rate | None = Field(
        None,
        gt=0,
        description="what a channel carries; instead of cycle, which is then flit_bytes / channel_rate [B/s]",
    )

    @model_validator(mode="before")
    @classmethod
    def _one_clock(cls, values: object) -> object:
        if isinstance(values, dict) and "cycle" in values and "channel_rate" in values:
            refuse(("channel_rate",), "cycle and channel_rate are equivalent", "one of them")
        return values


class SlowerLink(Table):
    """[[network.links]]: A link that is slower than the others of its kind; an entry a link."""

    routers: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, min_length=2, max_length=2, description="the two routers that it joins, both ways"
    )
    node: int | None = Field(None, ge=0, description="or the node whose links to and from its router they are")
    slower: float = Field(
        ge=1,
        le=1e6,
        description="how many times as long a flit holds it: factor of f and w, each a whole number of cycles after it",
    )
    one_way: bool = Field(
        False, description="from the first router to the second only; of a node, into the network only"
    )

    @model_validator(mode="after")
    def _one_place(self) -> SlowerLink:
        if (self.routers is None) == (self.node is None):
            refuse((), "must name one place", "routers = [A, B], or node = N")
        return self


class NetworkTable(Clock):
    """[network]: How messages move. It also has the keys of the topology and of the routing, further down.

    A wormhole's lane goes to the next message credit_ticks after the tail has left the buffer at its far end; with
    buffer_flits = 0, which holds whole messages, as soon as the tail has left the wire. So with finite buffers, however
    long, each message holds a link for head_ticks + credit_ticks - flit_ticks longer (if that is more than nothing and
    body_ticks <= head_ticks), and still longer where its buffers are short or where it waits beyond the link.
    """

    topology: str = Field(description="name of the topology")
    routing: str = Field(description="name of the routing; the topology's own by default")
    switching: Literal["wormhole", "cut-through", "store-and-forward", "circuit"] = Field(
        "wormhole", description="how a message takes and frees the links of its path"
    )
    engine: Literal["auto", "worm", "packet", "flit"] = Field(
        "auto", description="which engine simulates; auto: the fastest that is exact here"
    )
    buffer_packets: int = Field(
        1,
        ge=0,
        le=65535,
        description="cut-through, store-and-forward: packets that a link's far end holds, a destination's among them; "
        "0: any number",
    )
    buffers: Literal["shared", "fifo", "output"] = Field(
        "shared",
        description="shared: any packet in a buffer may go on; fifo: only the oldest (head-of-line blocking); "
        "output: packets queue at the outputs",
    )
    output_packets: int = Field(
        0, ge=0, le=2**31 - 1, description="output: packets that a link's queue holds; 0: any number"
    )
    header_flits: Flits = Field(
        0, ge=0, le=2**31 - 1, description="overhead of every packet in addition to its payload [flits]"
    )
    circuit_release: Literal["tail", "end"] = Field(
        "tail", description="circuit: a link is freed as the tail passes, or the whole path at the end"
    )
    acknowledgement: Cycles = Field(
        1, ge=0, description="circuit: the acknowledgement's way back over one link [cycles]"
    )
    io: dict[str, object] | None = Field(
        None,
        description="[network.io]: I/O nodes at the network, and their own network (nodes, b, m, n, r, topology, …)",
    )
    links: list[SlowerLink] | None = Field(
        None, min_length=1, description="[[network.links]]: links slower than the others of their kind (see there)"
    )
    sink_ticks: Cycles = Field(
        1,
        ge=1,
        description=(
            "a destination takes a flit of a message every so many cycles; when it takes the next message's first one "
            "follows from that message's links alone, but for fifo buffers and store-and-forward, which wait until the "
            "one before is whole [cycles]"
        ),
    )
    packet_flits: Flits = Field(0, ge=0, description="longer messages go as packets of this length; 0: whole [flits]")
    packet_gap: Cycles = Field(
        1, ge=1, description="from one packet's leaving the source to the next one's request [cycles]"
    )


class Lengths(Table):
    """[traffic.flits]: A distribution of message lengths."""

    lengths: list[Annotated[Flits, Field(ge=1, le=2**31 - 1)]] | None = Field(
        None, min_length=1, max_length=65536, description="the lengths there are [flits]"
    )
    weights: list[Annotated[float, Field(ge=0)]] | None = Field(
        None, description="how often each of `lengths` comes, in any scale; equal by default"
    )
    minimum: Flits | None = Field(None, ge=1, description="with maximum: every length between is as likely [flits]")
    maximum: Flits | None = Field(None, ge=1, description="see minimum [flits]")
    geometric_mean: Flits | None = Field(None, ge=1, description="geometric lengths from 1 on, of this mean [flits]")

    @model_validator(mode="after")
    def _one_way(self) -> Lengths:
        given = [
            self.lengths is not None,
            self.minimum is not None or self.maximum is not None,
            self.geometric_mean is not None,
        ]
        if sum(given) != 1:
            raise ValueError("accepted is one of: lengths (with weights), minimum with maximum, geometric_mean")
        if given[0] and self.weights is not None and len(self.weights) != len(self.lengths or []):
            raise ValueError("lengths and weights must be as many")
        if given[0] and self.weights is not None and not sum(self.weights) > 0:
            raise ValueError("weights must not all be 0")
        if given[1] and not (self.minimum and self.maximum and self.minimum <= self.maximum <= self.minimum + 65535):
            raise ValueError("minimum and maximum come together, in this order, at most 65,536 lengths from each other")
        return self

    def table(self) -> tuple[str, list[list[float]]]:
        """What the core takes: kind of distribution, and pairs of length and weight."""
        if self.geometric_mean is not None:
            return "geometric", [[self.geometric_mean, 1.0]]
        if self.lengths is not None:
            weights = self.weights or [1.0] * len(self.lengths)
            return "table", [[length, weight] for length, weight in zip(self.lengths, weights, strict=True)]
        assert self.minimum is not None and self.maximum is not None
        return "table", [[length, 1.0] for length in range(self.minimum, self.maximum + 1)]


class TrafficTable(Table):
    """[traffic]: Who sends what to whom, and when."""

    pattern: Literal[
        "uniform",
        "transpose",
        "bit-complement",
        "bit-reversal",
        "shuffle",
        "tornado",
        "neighbour",
        "hotspot",
        "spherical",
    ] = Field("uniform", description="how destinations are chosen")
    self: bool = Field(False, description="uniform: a node may send to itself")
    arrivals: Literal["poisson", "bernoulli", "burst"] = Field(
        "poisson", description="how messages follow one another at a node"
    )
    flits: Annotated[
        Annotated[Flits, Field(ge=1, le=2**31 - 1), Tag("number")] | Annotated[Lengths, Tag("table")],
        Discriminator(lambda value: "table" if isinstance(value, (dict, Lengths)) else "number"),
    ] = Field(32, description='length of a message: a number, bytes such as "32 B", or a table [traffic.flits] [flits]')
    load: float = Field(0.1, gt=0, le=1e6, description="offered load [flits per node per cycle]")
    burst_messages: float = Field(8.0, ge=1, description="burst: mean messages of a burst")
    hotspots: list[Annotated[int, Field(ge=0)]] = Field(
        [0], min_length=1, description="hotspot: the nodes that draw traffic"
    )
    hotspot_share: Share = Field(0.1, description="hotspot: share of messages that go to them; the rest is uniform")
    radius: int = Field(1, ge=1, description="spherical: links away that still count as near")
    locality: Share = Field(0.8, description="spherical: share of messages that stay near")

    @property
    def mean_flits(self) -> float:
        """Mean length of a message."""
        if not isinstance(self.flits, Lengths):
            return float(self.flits)
        _, table = self.flits.table()
        return sum(length * weight for length, weight in table) / sum(weight for _, weight in table)

    @property
    def carried_flits(self) -> float:
        """Mean length of the message that a flit belongs to: long messages count by their flits."""
        if not isinstance(self.flits, Lengths):
            return float(self.flits)
        _, table = self.flits.table()
        return sum(length**2 * weight for length, weight in table) / sum(length * weight for length, weight in table)


class IoFiles(Table):
    """[io.files]: What elements read: whole files, whose blocks lie on the I/O nodes and are found in their caches, or
    not. Without this table a read is of one block, found with probability hit_rate. Writes end at the I/O node.
    """

    blocks: list[Annotated[int, Field(ge=1, le=4096)]] = Field(
        [1, 32], min_length=2, max_length=2, description="blocks of a file: the least and the most, equally likely"
    )
    files: int = Field(64, ge=1, le=2**20, description="files that begin at each I/O node")
    skew: float = Field(
        0.8, ge=0, le=8, description="the k-th file is requested in proportion to 1 / k^skew (Zipf); 0: all equally"
    )
    declustering: int = Field(1, ge=1, description="I/O nodes that the blocks of a file lie on in turn")
    cache: int = Field(
        0, ge=0, le=2**24, description="blocks in the cache of an I/O node, those used last; 0: by hit_rate"
    )
    broadcast: Share = Field(
        0.0, description="share of reads whose block is sent to every element, in a tree over the I/O nodes"
    )


class IoDrive(Table):
    """[io.drive]: A mechanical disk of each I/O node, in place of the delay `disk`: accesses in order of arrival, each
    with seek, rotation and transfer, as [storage.disk] of a described machine has them; its sectors are blocks.
    """

    cylinders: int = Field(1000, ge=1, le=2**24, description="cylinders")
    heads: int = Field(8, ge=1, le=2**16, description="tracks of a cylinder")
    sectors: int = Field(8, ge=1, le=2**16, description="blocks of a track")
    revolution: Cycles = Field(333_333, ge=0, le=2**31, description="one turn; 0: none [cycles]")
    overhead: Cycles = Field(0, ge=0, le=2**31, description="the controller, before each access [cycles]")
    seek_short: Cycles = Field(0, ge=0, le=2**31, description="a short seek's part that no distance changes [cycles]")
    seek_short_root: RealCycles = Field(
        0.0, ge=0, description="a short seek's part that grows as the root of the cylinders passed [cycles]"
    )
    seek_split: int = Field(0, ge=0, le=2**24, description="cylinders from which a seek is long; 0: none is")
    seek_long: Cycles = Field(0, ge=0, le=2**31, description="a long seek's part that no distance changes [cycles]")
    seek_long_slope: RealCycles = Field(0.0, ge=0, description="what a cylinder adds to a long seek [cycles]")


class InputOutput(Table):
    """[io]: I/O nodes at chosen processing elements, with a network of their own or not (Ghosh et al., Fig. 2 and
    Table 1).
    """

    nodes: list[Annotated[int, Field(ge=0)]] | None = Field(
        None,
        min_length=1,
        description="processing elements that have an I/O node, by I/O address; the paper's placement by default",
    )
    failed: list[Annotated[int, Field(ge=0)]] | None = Field(
        None,
        min_length=1,
        description="I/O addresses of failed nodes: the nearest that work serve their blocks",
    )
    b: int = Field(1, ge=0, le=64, description="channels of a link of the I/O network; 0: there is none")
    k: int = Field(9, ge=1, le=64, description="injection and ejection channels of a processing element")
    m: int = Field(8, ge=1, le=64, description="channels between an I/O node and its element's router, each way")
    n: int = Field(0, ge=0, le=64, description="channels from the I/O router to the element's router; 0: 4 b")
    r: int = Field(0, ge=0, le=64, description="channels between an I/O node and its I/O router, each way; 0: 4 b")
    interval: RealCycles = Field(3120.0, gt=0, description="t_a: mean time between an element's messages [cycles]")
    io_rate: Share = Field(0.05, description="P_io: share of I/O transactions in them")
    read_ratio: Share = Field(1.0, description="P_r: share of reads in those")
    locality: Share = Field(0.2, description="P_l: share of reads served by the nearest I/O node")
    hit_rate: Share = Field(1.0, description="P_c: share of blocks found in the disk cache")
    startup: Cycles = Field(4000, ge=0, description="message start-up [cycles]")
    access: Cycles = Field(8000, ge=0, description="block access at an I/O node, from its cache [cycles]")
    disk: Cycles = Field(400_000, ge=0, description="mean disk access where the block is not cached [cycles]")
    service: Cycles = Field(
        0,
        ge=0,
        le=2**31,
        description="that an access, a read of a block or a write, keeps its I/O node, which serves one at a time, in "
        "the order of arrival; 0: any number at a time [cycles]",
    )
    message_flits: Flits = Field(32, ge=1, description="message between elements [flits]")
    request_flits: Flits = Field(32, ge=1, description="read request [flits]")
    forward_flits: Flits = Field(32, ge=1, description="read request passed on to another I/O node [flits]")
    reply_flits: Flits = Field(4096, ge=1, description="reply to a read [flits]")
    write_flits: Flits = Field(4128, ge=1, description="write, request and data [flits]")
    files: IoFiles | None = Field(None, description="[io.files]: files of several blocks, with caches")
    drive: IoDrive | None = Field(None, description="[io.drive]: disks; needs files")


class Method(Table):
    """[method]: How long to simulate, and how sure to be."""

    seed: int = Field(1, ge=0, le=2**63 - 1, description="the same seed gives the same result, bit for bit")
    warmup_cycles: Annotated[
        Annotated[Cycles, Field(ge=0, le=2**62), Tag("number")] | Annotated[Literal["detect"], Tag("word")],
        Discriminator(lambda value: "word" if value == "detect" else "number"),
    ] = Field(
        "detect",
        description='cycles before anything is measured; "detect": ten autocorrelation times of a pilot run [cycles]',
    )
    cycles: Annotated[Cycles, Field(ge=1, le=2**62)] | None = Field(
        None,
        description="cycles measured in a replication; given alone: one replication, interval by batch means [cycles]",
    )
    replications: int | None = Field(None, ge=1, le=100_000, description="this many, whatever the precision")
    precision: float = Field(
        0.02,
        gt=0,
        lt=1,
        description="replications go on until the mean's interval is within this share of it; --saturation: width "
        "of the interval over its upper end, by default 0.05",
    )
    max_replications: int = Field(160, ge=10, le=100_000, description="and no further than this")
    max_messages: int = Field(
        64_000_000,
        ge=1,
        le=2**62,
        description="nor, after the first ten, than to so many messages simulated in all",
    )
    confidence: float = Field(0.95, gt=0.5, lt=1, description="of all intervals")
    quantiles: list[Annotated[float, Field(gt=0, lt=1)]] = Field(
        [0.5, 0.9, 0.99], description="of the header latency, reported"
    )
    warmup_messages: int = Field(
        0, ge=0, description="measure only after so many deliveries (instead of warmup_cycles); 0: off"
    )
    messages: int = Field(
        0,
        ge=0,
        description="end when so many are delivered, the first warmup_messages among them (instead of cycles); 0: off",
    )
    utilisation: bool = Field(False, description="report the busy share of every channel")
