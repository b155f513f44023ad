"""Which keys of [storage] could change no result, and what makes each idle (`assay.toml.no_effect`)."""

from __future__ import annotations

from collections.abc import Iterator

from assay.described.storage_tables import StorageTable
from assay.toml.no_effect import Idle


def idle(storage: StorageTable) -> Iterator[Idle]:
    """All keys of a file system that change no result."""
    copied = storage.client_per_byte if storage.client_write_byte is not None else None
    if copied is not None and copied == storage.client_write_byte:
        yield Idle(("storage", "client_write_byte"), "has no effect: client_per_byte is the same")
    if storage.declustering == storage.io_nodes:
        yield Idle(("storage", "declustering"), "has no effect: it is all I/O nodes", "fewer, or nothing")
    if storage.queue != "fcfs" and storage.disk is None:
        kind = "device" if storage.device is not None else "solid_state"
        yield Idle(("storage", "queue"), f"has no effect with [storage.{kind}], whose accesses take the same anywhere")
    if storage.cache is not None:
        room = storage.stripe * storage.io_nodes
        if 0 < storage.cache.read_ahead < storage.stripe:
            why = "has no effect: it is less than a stripe"
            yield Idle(
                ("storage", "cache", "read_ahead"), why, f"{storage.stripe:g} B or more, {room:g} B for all nodes"
            )
    if storage.disk is not None:
        disk = storage.disk
        if disk.seek_split is None:
            for key in ("seek_long", "seek_long_slope"):
                if getattr(disk, key):
                    yield Idle(("storage", "disk", key), "has no effect without seek_split")
        elif disk.seek_split >= disk.cylinders:
            yield Idle(("storage", "disk", "seek_split"), "has no effect: no seek is so long", "less than cylinders")
        if disk.heads == 1:
            for key in ("head_switch", "track_skew"):
                if getattr(disk, key):
                    yield Idle(("storage", "disk", key), "has no effect with one head")
        for key in ("track_skew", "cylinder_skew"):
            if getattr(disk, key) and all(getattr(disk, key) % sectors == 0 for _, sectors in disk.each_zone):
                yield Idle(("storage", "disk", key), "has no effect: it is a whole track", "not a multiple of sectors")
        if len(disk.zones) > 1 and len({sectors for _, sectors in disk.zones}) == 1:
            yield Idle(("storage", "disk", "zones"), "has no effect: all tracks have equally many", "sectors alone")
    if (solid := storage.solid_state) is not None:
        cells = solid.read_time or solid.program
        if solid.dies > 1 and not cells:
            yield Idle(("storage", "solid_state", "dies"), "has no effect without read or program")
        for key in ("channels", "page"):
            if key in solid.model_fields_set and not (cells or solid.channel_per_byte):
                yield Idle(("storage", "solid_state", key), "has no effect without read, program or channel_per_byte")
