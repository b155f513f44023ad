"""Memory: what there is, what is free, what the control group allows, huge pages, swap."""

from __future__ import annotations

import os
import re
from pathlib import Path

from assay.machine import reading
from assay.machine.limits import Limits
from assay.machine.topology import memory_nodes


class HugePages(reading.HostPart):
    """One size of reserved huge pages, in bytes and pages."""

    size: int
    reserved: int
    free: int | None = None


class Memory(reading.HostPart):
    """Bytes. `usable` is what this process can still touch: the least of what is free and what its group leaves."""

    total: int | None = None
    available: int | None = None
    limit: int | None = None
    usable: int | None = None
    page: int | None = None
    transparent_huge_pages: str | None = None
    huge_pages: tuple[HugePages, ...] = ()
    swap_total: int | None = None
    swap_free: int | None = None


def memory(root: Path = Path("/"), limits: Limits | None = None) -> Memory:
    """Read the memory of the host under `root`; `limits` are those of this process."""
    known = {key: reading.size(value) for key, value in reading.pairs(reading.text(root / "proc/meminfo"), ":").items()}
    notes = []
    if of_gpus := memory_nodes(root, of_accelerators=True):
        total, free = (sum(getattr(node, name) or 0 for node in of_gpus) for name in ("memory", "memory_free"))
        for key, theirs in (("MemTotal", total), ("MemFree", free), ("MemAvailable", free)):
            if (counted := known.get(key)) is not None:
                known[key] = max(0, counted - theirs)
        notes.append("memory of GPUs, which the kernel counts, is not counted here")
    available = known.get("MemAvailable")
    if available is None and known.get("MemFree") is not None:
        available = sum(known.get(key) or 0 for key in ("MemFree", "Buffers", "Cached"))
        notes.append("the kernel does not report what is available; free, buffers and cache are added up")
    if known.get("MemTotal") is None:
        notes.append("the size of the memory is not readable (/proc/meminfo)")
    limit = limits.memory_limit if limits else None
    if limit is not None and known.get("MemTotal") is not None and limit >= (known["MemTotal"] or 0):
        limit = None
    left = limits.memory_left if limits else None
    enabled = reading.text(root / "sys/kernel/mm/transparent_hugepage/enabled")
    chosen = re.search(r"\[(\w+)\]", enabled or "")
    return Memory(
        total=known.get("MemTotal"),
        available=available,
        limit=limit,
        usable=min((each for each in (available, left) if each is not None), default=None),
        page=os.sysconf("SC_PAGE_SIZE"),
        transparent_huge_pages=chosen[1] if chosen else None,
        huge_pages=_huge_pages(root / "sys/kernel/mm/hugepages"),
        swap_total=known.get("SwapTotal"),
        swap_free=known.get("SwapFree"),
        notes=tuple(notes),
    )


def _huge_pages(folder: Path) -> tuple[HugePages, ...]:
    found = []
    for each in reading.entries(folder):
        bytes_ = reading.size(each.name.removeprefix("hugepages-"))
        reserved = reading.number(each / "nr_hugepages")
        if bytes_ and reserved is not None:
            found.append(HugePages(size=bytes_, reserved=reserved, free=reading.number(each / "free_hugepages")))
    return tuple(found)
