"""A simulation that needs more memory than is free ends with an error message, not by the kernel's OOM killer."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import InputError
from assay.machine.limits import limits
from assay.machine.memory import memory

SHARE = 0.95  # of what this process can still touch
GIB = 2**30


@contextmanager
def bounded(file: Path) -> Iterator[None]:
    """Limit this process to the memory that is free now: an allocation beyond that fails, before it is touched."""
    old = resource.getrlimit(resource.RLIMIT_DATA)
    usable = memory(limits=limits()).usable
    room = None if usable is None else int(usable * SHARE)
    if old[0] != resource.RLIM_INFINITY:
        room = min(room if room is not None else old[0], max(0, old[0] - _held()))
    if room is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (_held() + room, old[1]))
    try:
        yield
    except MemoryError:
        have = f"the {room / GIB:.3g} GiB that are free here" if room is not None else "there is"
        raise InputError(
            f"needs more memory than {have}", file=file, accepted="a smaller network, a lower load, or fewer --workers"
        ) from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, old)


def _held() -> int:
    """Bytes that count for the limit already (VmData)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0
