"""The schema of a machine's description: every table and key with its unit, its bounds and its meaning.

Times may be written as "70 us", times per byte also as the rate they are the inverse of ("2.8 MB/s"), lengths as
"2 KiB". [network] is not here: its keys are those of the network's own files (`assay.network.network_tables`, and the
records of topologies and routings in the core).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from assay.described.quantities import LEAST_RATE, MOST_SECONDS, Bytes, Seconds, SecondsPerByte, reader
from assay.described.storage_tables import StorageTable
from assay.described.uncertainty_tables import UncertaintyTable
from assay.described.validation_table import ValidationTable
from assay.machine import units
from assay.toml.checking import Table, refuse


class MessagesTable(Table):
    """[messages]: A machine without a network: what every message costs, whatever its ranks."""

    startup: Seconds = Field(description="time from the call to the first byte on its way")
    per_byte: SecondsPerByte = Field(description="time that each byte adds")


class PathTable(Table):
    """[[self]], [[host]]: Messages that do not take the network, by length."""

    up_to: Bytes | None = Field(None, description="longest message of this entry; the last entry has none")
    startup: Seconds = Field(0.0, description="the sender's processor, for a message")
    copy_time: SecondsPerByte = Field(0.0, alias="copy", description="the sender's processor, for each byte")
    minimum: Bytes = Field(0.0, description="a shorter message takes as long as this one")


class ProtocolTable(Table):
    """[[protocol]]: How messages of a length travel; the first entry whose `up_to` holds them."""

    up_to: Bytes | None = Field(None, description="longest message of this entry; the last entry has none")
    startup: Seconds = Field(0.0, description="the sender's processor, from the call to the first byte's leaving it")
    receive: Seconds = Field(0.0, description="the receiver's processor, from the last byte's arrival to the return")
    copy_time: SecondsPerByte = Field(0.0, alias="copy", description="the sender's processor copying, for each byte")
    receive_copy: SecondsPerByte = Field(0.0, description="the receiver's processor copying, for each byte")
    copy_limit: Bytes | None = Field(None, description="bytes of a message that are copied at most")
    minimum: Bytes = Field(0.0, description="a shorter message is as long as this on the network")
    header: Bytes = Field(0.0, description="bytes in addition to the payload of each packet")
    envelope: Bytes = Field(0.0, description="bytes that the library sends before the payload of each message")
    packet: Bytes = Field(
        0.0, description="longer messages go in packets of so many bytes, one behind the other; 0: whole"
    )
    packet_startup: Seconds = Field(0.0, description="the sender, for each packet after the first, once that has left")
    handshake: bool = Field(
        False, description="a request and its reply cross the network first, as messages of their own"
    )
    rendezvous: Literal["buffer", "posted"] = Field(
        "buffer", description="the reply waits for nothing but a buffer, or until the receive is posted"
    )
    handshake_startup: Seconds = Field(0.0, description="the sender's processor, for each handshake")
    handshake_every: int = Field(0, ge=0, description="a further handshake before each so many-th packet; 0: none")
    handshake_from: int | None = Field(
        None, ge=1, description="number of the first packet with such a handshake (default: handshake_every + 1)"
    )
    acknowledge_every: int = Field(
        0, ge=0, description="a header goes back for each so many-th packet of a message, without a wait; 0: none"
    )
    buffered: bool = Field(
        False, description="a send returns once its processor has done its part, not when the last byte has left"
    )


class ForcedTable(Table):
    """[forced]: What of the protocols is otherwise for a message in ready mode ("forced" in Intel's papers), whose
    receive is known to be posted. Without this table such messages are not described; an empty one means that nothing
    is otherwise.
    """

    startup: Seconds | None = Field(None, description="in place of the protocol's")
    receive: Seconds | None = Field(None, description="in place of the protocol's")
    copy_time: SecondsPerByte | None = Field(None, alias="copy", description="in place of the protocol's")
    receive_copy: SecondsPerByte | None = Field(None, description="in place of the protocol's")
    handshake: bool | None = Field(None, description="in place of the protocol's; usually false")
    handshake_every: int | None = Field(None, ge=0, description="in place of the protocol's")
    unposted: Literal["kept", "lost"] | None = Field(
        None, description="what becomes of one that comes before its receive is posted; by default it is buffered"
    )


class OneSidedTable(Table):
    """[one_sided]: What is otherwise for one-sided messages than for those of [forced], or of the protocols where there
    is none: puts, acknowledged by a word back, and gets, requested by a word. They need no buffers; what the target's
    processor does of them is in [progress]. Without this table they are not described; an empty one means that nothing
    is otherwise.
    """

    startup: Seconds | None = Field(None, description="in place of the forced message's")
    receive: Seconds | None = Field(None, description="the target's processor, unless progress is by hardware")
    copy_time: SecondsPerByte | None = Field(None, alias="copy", description="in place of the forced message's")
    receive_copy: SecondsPerByte | None = Field(None, description="as receive, for each byte")


class ForwardingTable(Table):
    """[node.forwarding]: What a message that passes a node takes of its processor (store-and-forward machines)."""

    startup: Seconds = Field(0.0, description="for each packet that passes")
    per_byte: SecondsPerByte = Field(0.0, description="for each of its bytes")


class SecondCacheTable(Table):
    """[node.second_cache]: A processor's second cache. A kernel whose data fit it and not the first takes the longer of
    its time in the first and of what its bytes take here (`assay.described.kernels` counts them).
    """

    size: Bytes = Field(gt=0, description="bytes that it holds")
    read: SecondsPerByte = Field(gt=0, description="what a byte takes that is read from it")
    write: SecondsPerByte = Field(gt=0, description="what a byte takes that is written")


class NodeTable(Table):
    """[node]: A node of the machine. What its interface can do at once are the network's injection_channels and
    ejection_channels.
    """

    processors: int = Field(
        1, ge=1, le=4096, description="ranks that a node has room for; rank r is on node r / (ranks per node)"
    )
    ranks: int | None = Field(
        None, ge=1, le=4096, description="of these, ranks per node where neither --ppn nor their number needs more"
    )
    threads: int | None = Field(
        None,
        ge=1,
        le=4096,
        description="processors that the threads of one node's program can use (default: processors)",
    )
    cache: Bytes = Field(0.0, description="data cache of a processor, in which the rates of [compute] cached hold")
    second_cache: SecondCacheTable | None = Field(None, description="a second cache of a processor")
    memory: Bytes = Field(
        0.0,
        description="no message may be longer; 0: not known. How many may wait for their receives is not limited: "
        "no paper gives such a room, or a figure that shows it",
    )
    bus: SecondsPerByte = Field(
        0.0,
        description="the bus that messages and computing share: what a byte in or out takes of it, and a byte that a "
        "processor streams from memory. A message's bytes wait for one request each of those that compute from memory, "
        "by the part of their time that they want the bus, and they for the message's",
    )
    interface: SecondsPerByte = Field(
        0.0,
        description="what a byte takes of the node's one interface to the network (I/O bus, or protocol stack), "
        "which all that goes out and comes in crosses in turn, a packet at a time",
    )
    intake: Literal["interface", "processor"] = Field(
        "interface",
        description="what moves into memory what comes from the network. The processor does one thing at a time: a "
        "packet, as it comes or once it is free; an answer to a request, [progress] interrupt; its part of a receive",
    )
    clock_tick: Seconds = Field(0.0, description="what now() counts in; 0: exact")
    noise: str | None = Field(
        None,
        description="a run of the benchmark noise: its folder, or a file of its traces; what was taken away from each "
        "of its processors is taken away from the ranks' computing, processor by processor in turn, again and again; "
        "of further nodes from other moments of it on",
    )
    forwarding: ForwardingTable | None = Field(None, description="what passing messages take of the processor")

    @model_validator(mode="after")
    def _within(self) -> NodeTable:
        if self.ranks is not None and self.ranks > self.processors:
            refuse(("ranks",), "are more than the processors", f"1 to {self.processors}, the processors of a node")
        return self


class ProgressTable(Table):
    """[progress]: How a node answers requests while its program computes."""

    kind: Literal["calls", "interrupt", "hardware"] = Field(
        "hardware", description="only inside message calls, by interrupting the program, or without the processor"
    )
    interrupt: Seconds = Field(0.0, description="what an interrupt costs the computing that it interrupts")


class BarrierTable(Table):
    """[barrier]: The machine's own barrier; without this table it is made of messages."""

    algorithm: Literal["messages", "dissemination", "tree", "tree-exchange", "linear", "hardware"] = Field(
        "messages",
        description="with a step so many of them after the last call: ceil(log2 ranks), twice as many, one less than "
        "that (two trees whose roots exchange), one per rank, or one. Without a step the messages of the algorithm are "
        "sent: of linear each rank's to rank 0, and its answer; messages is dissemination; hardware has none",
    )
    step: Seconds = Field(0.0, description="a step; 0: by messages")


def _rate(value: object) -> float:
    """Units of work a second, whatever the kernel counts."""
    if isinstance(value, str):
        for wanted in ("flop/s", "B/s", "1/s"):
            try:
                return units.quantity(value, wanted)
            except units.OtherUnitError:
                continue
    raise ValueError("is no rate")


UnitTime = Annotated[float, reader("s"), Field(gt=0, le=MOST_SECONDS, json_schema_extra={"unit": "s"})]


class ComputeTable(Table):
    """[compute]: What a node's processor takes for the work of programs, by kernel: what a node program takes, and
    what compute(Work{"KERNEL", n}, ...) of a rank program is charged, by one table (`assay.described.node_model`).
    Of short vectors, or of data that a cache holds, a rank program gives `length` and `memory` of Work. Ranks of
    a node that compute from memory at once wait for its bus as its threads do. A benchmark's record names its kernels
    (`computes`, `[described] kernel`).
    """

    rate: dict[str, Annotated[float, BeforeValidator(_rate), Field(ge=LEAST_RATE)]] = Field(
        default_factory=dict,
        description='units of work a second, by kernel, such as "40 Mflop/s", "251 MB/s", "1e6 1/s"',
    )
    time: dict[str, UnitTime] = Field(
        default_factory=dict, description='time of a unit of work, by kernel, such as "25 ns"'
    )
    shared: dict[str, Annotated[float, BeforeValidator(_rate), Field(ge=LEAST_RATE)]] = Field(
        default_factory=dict,
        description="units of work a second that all ranks of a node do together at most, since they share its memory, "
        'by kernel, such as "74 Mflop/s"; each of k has a k-th of it, or its own rate where that is lower',
    )
    cached: dict[str, Annotated[float, BeforeValidator(_rate), Field(ge=LEAST_RATE)]] = Field(
        default_factory=dict,
        description="units of work per second of one processor where its data fit its cache, by kernel; what rate or "
        "time takes longer is time on the node's memory bus, which its processors share; without rate or time what the "
        "kernel's bytes take of [node] bus is added",
    )
    half_length: dict[str, Annotated[float, Field(gt=0, le=1e9)]] = Field(
        default_factory=dict,
        description="half-performance length by kernel: elements of a vector at which half of the rate is reached",
    )

    def alone(self) -> dict[str, tuple[float, str]]:
        """Seconds of a unit of work on one processor, with its key, by kernel."""
        by_time = {kernel: (unit, f"compute.time.{kernel}") for kernel, unit in self.time.items()}
        return by_time | {kernel: (1 / rate, f"compute.rate.{kernel}") for kernel, rate in self.rate.items()}


class NodeDeviceTable(Table):
    """[device]: What computes in addition to a node's processors, such as a GPU. A rank program charges its kernels and
    transfers by compute(Work{"KERNEL", n}, ...), with n bytes of device_memory or device_link, n flops of
    device_float64 and its like, n launches of device_launch; the ranks of a node share its devices.
    """

    count: int = Field(1, ge=1, le=4096, description="devices of a node")
    memory: SecondsPerByte | None = Field(None, gt=0, description="what a byte takes that a kernel streams")
    peak: dict[
        Literal["float64", "float32", "float16"], Annotated[float, BeforeValidator(_rate), Field(ge=LEAST_RATE)]
    ] = Field(default_factory=dict, description='flops per second by type, such as float64 = "34 Tflop/s"')
    link: SecondsPerByte | None = Field(None, gt=0, description="what a byte takes between host and device, either way")
    launch: Seconds | None = Field(None, gt=0, description="what a launch takes, whatever the kernel does")

    def units(self) -> dict[str, tuple[float, str]]:
        """Seconds of a unit of work on one device, with its key, by kernel."""
        single = (("memory", self.memory), ("link", self.link), ("launch", self.launch))
        found = {f"device_{name}": (value, f"device.{name}") for name, value in single if value is not None}
        return found | {f"device_{name}": (1 / rate, f"device.peak.{name}") for name, rate in self.peak.items()}


class MpiTable(Table):
    """[mpi]: The MPI library. Without it collectives are not described, and barriers are made of messages."""

    personality: Literal["mpich-1.2"] = Field(
        description="whose algorithms the library's collectives are: MPICH 1.2's (binomial broadcast and reduction, "
        "allreduce by both, allgather round a ring, alltoall all at once, barrier by recursive doubling)"
    )


class MachineTable(Table):
    """A machine that is only described."""

    name: str = Field(description="one word; the host's name in the samples", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    title: str = Field(default="", description="one line for people")
    published: str | None = Field(None, description="id of the published machine that it describes (default: its name)")
    source: str = Field(default="", description="where the description is from")
    nodes: int | None = Field(
        default=None, ge=1, le=1 << 24, description="without [network]: how many; by default as a run requests"
    )
    messages: MessagesTable | None = Field(None, description="message costs of a machine without a network")
    network: dict[str, object] | None = Field(None, description="the network, as in the network's own files")
    protocol: list[ProtocolTable] = Field(
        default_factory=list, description="how messages travel over the network, by length"
    )
    forced: ForcedTable | None = Field(None, description="what is otherwise for ready messages")
    one_sided: OneSidedTable | None = Field(None, description="what is otherwise for puts and gets")
    self_path: list[PathTable] = Field(
        default_factory=list, alias="self", description="messages within a node, by length"
    )
    host: list[PathTable] = Field(default_factory=list, description="messages between host and nodes, by length")
    node: NodeTable | None = Field(None, description="a node")
    mpi: MpiTable | None = Field(None, description="the MPI library's collectives")
    progress: ProgressTable | None = Field(None, description="how a node answers while it computes")
    barrier: BarrierTable | None = Field(None, description="the machine's own barrier")
    compute: ComputeTable | None = Field(None, description="computing rates")
    device: NodeDeviceTable | None = Field(None, description="what computes in addition to a node's processors")
    storage: StorageTable | None = Field(None, description="the parallel file system")
    defaults: dict[str, int | float | str | list[int | float | str]] = Field(
        default_factory=dict, description="programs' parameters on this machine, where a person sets none"
    )
    variant: dict[str, dict[str, object]] = Field(
        default_factory=dict,
        description="tables by name that replace keys above, or leave out a table or a number "
        '(KEY = "none"); chosen by --on NAME:VARIANT',
    )
    origin: dict[str, str] = Field(
        default_factory=dict,
        description="by dotted key, or the table around it, where a number is from: stated, fitted or assumed",
    )
    uncertainty: UncertaintyTable | None = Field(None, description="how well the fitted numbers are known")
    validation: ValidationTable | None = Field(None, description="how well it predicted what it was not fitted to")

    @model_validator(mode="after")
    def _one_kind(self) -> MachineTable:
        if (self.messages is None) == (self.network is None):
            key = "network" if self.network is None else "messages"
            refuse((key,), "a machine has either [network] with [[protocol]], or [messages]", "one of the two")
        if self.network is not None and not self.protocol:
            refuse(("protocol",), "is missing: a machine with [network] needs it", "[[protocol]] with startup")
        for key, entries in (("protocol", self.protocol), ("self", self.self_path), ("host", self.host)):
            lengths = [entry.up_to for entry in entries]
            for at, length in enumerate(lengths[:-1]):
                if length is None:
                    refuse((key, at), f"[[{key}]] goes by length", "an up_to in every entry but the last")
                if at and length < (lengths[at - 1] or 0):
                    refuse((key, at, "up_to"), f"[[{key}]] goes by length", "up_to ascending from entry to entry")
            if lengths and lengths[-1] is not None:
                place = (key, len(lengths) - 1, "up_to")
                refuse(place, f"the last [[{key}]] takes all longer messages", "no up_to there")
        if self.storage is not None and self.storage.host and not (self.network and self.host):
            refuse(("storage", "host"), "files at the host need a way to it", "[network] and [[host]]")
        if self.node is not None and self.node.intake == "processor":
            if self.progress is None or self.progress.kind != "interrupt":
                refuse(
                    ("node", "intake"), "a processor that takes in what comes is interrupted", "[progress] interrupt"
                )
            if self.node.interface:
                refuse(("node", "intake"), "is the processor, and interface has a rate", "one of the two")
        for name, text in self.origin.items():
            if not text.startswith(("stated: ", "fitted: ", "assumed: ")):
                refuse(("origin", name), f"is {text!r}", "a text that begins with stated:, fitted: or assumed:")
        return self
