"""The schema of a described parallel file system: [storage], its buffers, and its disks.

The simulated machine takes these numbers as `core/storage/storage_parameters.hpp` reads them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.described.quantities import Bytes, Seconds, SecondsPerByte
from assay.toml.checking import Table, refuse

Count = Annotated[int, Field(ge=1, le=1 << 24)]
Zone = Annotated[list[Annotated[int, Field(ge=0, le=1 << 24)]], Field(min_length=2, max_length=2)]


class CacheTable(Table):
    """[storage.cache]: Buffers of an I/O node, each of one stripe; the least recently used is given up first. Without
    this table every request goes to a disk.
    """

    size: Bytes = Field(gt=0, description="memory of an I/O node that holds blocks, in whole stripes")
    read_ahead: Bytes = Field(
        0.0,
        description="bytes of a file that are read beyond the request; of these each I/O node that the file is "
        "spread over reads its share",
    )
    write_behind: bool = Field(
        False, description="a write is done once it is in a buffer, and not once it is on the disk"
    )


class DiskTable(Table):
    """[storage.disk]: A mechanical disk. Its arm takes seek_short + seek_short_root sqrt(d) for d cylinders where d is
    less than seek_split, and seek_long + seek_long_slope d from there on; its platters turn all the time.
    """

    cylinders: Count = Field(description="cylinders")
    heads: Count = Field(description="tracks of a cylinder")
    sectors: Count | None = Field(None, description="sectors of a track, where all tracks have equally many")
    zones: list[Zone] = Field(
        default_factory=list,
        description="in place of sectors, where outer tracks have more: the first cylinder of each zone and the "
        "sectors of its tracks, such as [[0, 96], [600, 72]]",
    )
    sector: Bytes = Field(512.0, ge=1, description="length of a sector")
    revolution: Seconds = Field(gt=0, description="one turn")
    seek_short: Seconds = Field(0.0, description="a short seek's part that no distance changes")
    seek_short_root: Seconds = Field(0.0, description="a short seek's part that grows as the root of the distance")
    seek_split: int | None = Field(None, ge=1, description="cylinders from which a seek is long; by default none is")
    seek_long: Seconds = Field(0.0, description="a long seek's part that no distance changes")
    seek_long_slope: Seconds = Field(0.0, description="what a cylinder adds to a long seek")
    head_switch: Seconds = Field(0.0, description="going on to another track of the same cylinder")
    overhead: Seconds = Field(0.0, description="the controller, before each access")
    track_skew: int = Field(0, ge=0, description="sectors by which a track begins later than the one before")
    cylinder_skew: int = Field(
        0, ge=0, description="likewise from the last track of a cylinder to the next one's first"
    )

    @model_validator(mode="after")
    def _zones(self) -> DiskTable:
        if (self.sectors is None) == (not self.zones):
            refuse(("zones" if self.zones else "sectors",), "a disk has either sectors or zones", "one of the two")
        firsts = [first for first, _ in self.zones]
        if self.zones and (firsts[0] != 0 or sorted(set(firsts)) != firsts or firsts[-1] >= self.cylinders):
            refuse(
                ("zones",), f"begin at the cylinders {firsts}", f"0 first, then more each time, to {self.cylinders - 1}"
            )
        if any(sectors < 1 for _, sectors in self.zones):
            refuse(("zones",), "a track of a zone has no sector", "1 or more")
        return self

    @property
    def each_zone(self) -> list[tuple[int, int]]:
        """Cylinders of each zone, and the sectors of a track of it."""
        if self.sectors is not None:
            return [(self.cylinders, self.sectors)]
        ends = [first for first, _ in self.zones[1:]] + [self.cylinders]
        return [(end - first, sectors) for (first, sectors), end in zip(self.zones, ends, strict=True)]

    @property
    def capacity(self) -> float:
        """Bytes."""
        return self.heads * self.sector * sum(cylinders * sectors for cylinders, sectors in self.each_zone)


class SolidStateTable(Table):
    """[storage.solid_state]: In place of [storage.disk], a solid-state device: its pages lie round robin over channels,
    and on each over dies, which read and program by themselves while their channel moves one page at a time. What is
    written over costs what new pages do: no garbage is collected.
    """

    channels: Annotated[int, Field(ge=1, le=4096)] = Field(1, description="channels that move pages side by side")
    dies: Annotated[int, Field(ge=1, le=4096)] = Field(1, description="dies of a channel")
    page: Bytes = Field(4096.0, ge=1, description="bytes that a die reads or programs at once")
    read_time: Seconds = Field(0.0, alias="read", description="a die, for reading a page")
    program: Seconds = Field(
        0.0,
        description="a die, for programming a page; where less than a page is written it is read before. With "
        "`read` and without this writing is not described",
    )
    channel_per_byte: SecondsPerByte = Field(0.0, description="a channel, for each byte")
    per_byte: SecondsPerByte = Field(0.0, description="the link to the host, for each byte")
    overhead: Seconds = Field(0.0, description="the controller, before each access")
    at_once: int = Field(1, ge=1, le=1 << 16, description="accesses that may be under way at the same time")


class DeviceTable(Table):
    """[storage.device]: In place of [storage.disk], a device of a few numbers, as a fit gives them."""

    access: Seconds = Field(0.0, description="a time that every access takes")
    per_byte: SecondsPerByte = Field(0.0, description="time that each byte adds; the bytes of all accesses take turns")
    own_per_byte: SecondsPerByte = Field(0.0, description="the same, of which each access has its own during others")
    beside: Seconds = Field(0.0, description="how much longer an access takes for each other that is under way")
    beside_per_byte: SecondsPerByte = Field(0.0, description="the same, for each of its bytes")
    at_once: int = Field(1, ge=1, le=1 << 16, description="accesses whose `access` may pass at the same time")

    @model_validator(mode="after")
    def _company(self) -> DeviceTable:
        for key in ("beside", "beside_per_byte"):
            if getattr(self, key) > 0 and self.at_once == 1:
                refuse((key,), "one access at a time has no other with it", "at_once of 2 or more, or no such key")
        return self


class StorageTable(Table):
    """[storage]: A parallel file system on I/O nodes of the machine: files are spread over them in stripes, round
    robin. Requests and answers are messages by the machine's protocols. Without this table files are not described.
    """

    io_nodes: Annotated[int, Field(ge=1, le=65536)] = Field(description="I/O nodes")
    nodes: list[Annotated[int, Field(ge=0)]] = Field(
        default_factory=list,
        description="nodes of the network that they are at, one for each; by default spread evenly",
    )
    host: bool = Field(
        False,
        description="files lie at the host processor, which is the one I/O node: requests and answers go by [[host]], "
        "one at a time, for all clients",
    )
    stripe: Bytes = Field(4096.0, ge=1, description="bytes that lie together on an I/O node; also of a buffer")
    request: Seconds = Field(0.0, description="the I/O node's processor, for each request of at most a stripe")
    per_byte: SecondsPerByte = Field(0.0, description="the I/O node's processor, for each byte")
    open_time: Seconds = Field(0.0, alias="open", description="I/O node 0's processor, for opening a file")
    close_time: Seconds = Field(0.0, alias="close", description="I/O node 0's processor, for closing a file")
    allocate: Seconds = Field(
        0.0, description="the I/O node's processor, for a stripe that is written and was not allocated beforehand"
    )
    client_request: Seconds = Field(0.0, description="the compute node's processor, for each request")
    client_per_byte: SecondsPerByte = Field(0.0, description="the compute node's processor, for each byte")
    client_write_byte: SecondsPerByte | None = Field(
        None, description="in place of client_per_byte, for each byte that is written"
    )
    outstanding: Annotated[int, Field(ge=1, le=65536)] = Field(
        1, description="requests of a compute node that may be under way at once"
    )
    disks: Annotated[int, Field(ge=1, le=1024)] = Field(
        1, description="disks of an I/O node, over which its stripes go in turn"
    )
    queue: Literal["fcfs", "scan", "sptf"] = Field(
        "fcfs", description="which access a disk does next: in order of arrival, by elevator, by shortest positioning"
    )
    declustering: Annotated[int, Field(ge=1, le=65536)] | None = Field(
        None, description="I/O nodes that a file lies on, the next file on the next ones; by default all"
    )
    copies: Literal[1, 2] = Field(
        1,
        description="of each stripe; the second is on the next I/O node, written with the first (chained declustering)",
    )
    failed: int | None = Field(
        None,
        ge=0,
        description="number of an I/O node that does not answer: the next one keeps its stripes, too; with two copies "
        "all others share its reads",
    )
    failed_link: int | None = Field(
        None,
        ge=0,
        description="number of an I/O node that the network does not reach: the next one does its work on its disks; "
        "with two copies as failed",
    )
    failed_disk: list[Annotated[int, Field(ge=0)]] | None = Field(
        None,
        min_length=2,
        max_length=2,
        description="an I/O node and a disk of it, from 0: its requests are passed on to the next I/O node, which "
        "keeps its stripes, or has the copies",
    )
    cache: CacheTable | None = Field(None, description="an I/O node's buffers")
    disk: DiskTable | None = Field(None, description="its disks, mechanical")
    solid_state: SolidStateTable | None = Field(None, description="its disks, of channels and dies")
    device: DeviceTable | None = Field(None, description="its disks, by two numbers")

    @model_validator(mode="after")
    def _whole(self) -> StorageTable:
        kinds = [key for key in ("disk", "solid_state", "device") if getattr(self, key) is not None]
        if len(kinds) != 1:
            which = "[storage] has either [storage.disk], [storage.solid_state] or [storage.device]"
            refuse((kinds[-1] if kinds else "disk",), which, "one of the three")
        if self.nodes and len(self.nodes) != self.io_nodes:
            refuse(("nodes",), f"names {len(self.nodes)} nodes for {self.io_nodes} I/O nodes", "one for each, or none")
        if self.host and (self.io_nodes > 1 or self.nodes):
            key = "nodes" if self.nodes else "io_nodes"
            refuse((key,), "cannot be used with host = true, whose host is the I/O node", "io_nodes = 1, and no nodes")
        if self.cache is not None and self.cache.size < self.stripe:
            refuse(("cache", "size"), f"has no room for a stripe of {self.stripe:g} B", f"{self.stripe:g} B or more")
        self._standing_in()
        if self.disk is not None and self.stripe > self.disk.capacity:
            refuse(("stripe",), "is longer than a disk", f"up to {self.disk.capacity:g} B")
        return self

    def _standing_in(self) -> None:
        """What may fail, and what a neighbour needs to take over."""
        failures = [key for key in ("failed", "failed_link", "failed_disk") if getattr(self, key) is not None]
        if len(failures) > 1:
            refuse((failures[1],), f"cannot be used with {failures[0]}", "one failure")
        disk = self.failed_disk
        named = {"failed": self.failed, "failed_link": self.failed_link, "failed_disk": disk[0] if disk else None}
        for key, node in named.items():
            if node is not None and (node >= self.io_nodes or self.io_nodes < 2):
                refuse((key,), "is no I/O node that another one could replace", "0 to io_nodes - 1, of 2 or more")
        if disk is not None and disk[1] >= self.disks:
            refuse(("failed_disk",), f"names disk {disk[1]}", f"0 to {self.disks - 1}, the disks of an I/O node")
        if self.copies == 2 and self.io_nodes < 2:
            refuse(("copies",), "are 2 on one I/O node", "2 or more I/O nodes")
        if self.declustering is not None and self.declustering > self.io_nodes:
            refuse(("declustering",), "is more than the I/O nodes", f"1 to {self.io_nodes}")


def core_table(storage: StorageTable) -> dict[str, object]:
    """The table as the core takes it: SI units, what is not given left out."""
    return storage.model_dump(by_alias=True, exclude_none=True)
