"""perf's energy events of this host: the device `power`, which counts joules where powercap shows none.

The programs open the same events (programs/timing/energy_events.hpp).
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.machine import reading

FOLDER = "sys/bus/event_source/devices"
NAMES = ("energy-pkg", "energy-ram", "energy-psys")
SYSTEM_CALL = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319, "s390x": 331}  # perf_event_open(2)
CLOSED_IN_CHILDREN = 8  # PERF_FLAG_FD_CLOEXEC

Open = Callable[[int, int, int], int]  # device's number, event, hardware thread: a file; OSError where it is refused


@dataclass(frozen=True)
class EnergyEvent:
    """An event of one socket: a count times `joules` are J."""

    name: str
    type: int
    config: int
    cpu: int
    joules: float


def energy_events(devices: Path) -> list[EnergyEvent]:
    """The energy events of the device `power` in this folder, each on the hardware threads of its `cpumask`."""
    device = devices / "power"
    kind, cpus = reading.number(device / "type"), reading.cpus(reading.text(device / "cpumask"))
    found = []
    for name in NAMES:
        event = re.search(r"event=0x([0-9a-fA-F]+)", reading.text(device / "events" / name) or "")
        scale = reading.real(reading.text(device / "events" / f"{name}.scale"))
        in_joules = reading.text(device / "events" / f"{name}.unit") == "Joules"
        if event and kind is not None and scale and scale > 0 and in_joules:
            found += [EnergyEvent(name, kind, int(event[1], 16), cpu, scale) for cpu in cpus or ()]
    return found


def open_event(kind: int, config: int, cpu: int) -> int:
    """A file that counts an event of a whole hardware thread from now on; OSError where the kernel refuses."""
    number = SYSTEM_CALL.get(platform.machine())
    if number is None:
        raise OSError(0, f"no number of perf_event_open is known for {platform.machine()}")
    # perf_event_attr of version 0: type, size, config, then all zero.
    about = ctypes.create_string_buffer(struct.pack("=IIQ", kind, 64, config), 64)
    call = ctypes.CDLL(None, use_errno=True).syscall
    file = int(call(number, about, -1, cpu, -1, ctypes.c_ulong(CLOSED_IN_CHILDREN)))
    if file < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return file


def count(file: int) -> int | None:
    """What an opened event has counted; None where it cannot be read."""
    try:
        return int.from_bytes(os.read(file, 8), "little")
    except OSError:
        return None
