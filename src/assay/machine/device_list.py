"""Lists devices as OpenCL or CUDA shows them: a script of its own, so that a driver that fails or hangs ends only it.

Its argument is the way, `opencl` or `cuda`. Prints a JSON object: `devices`, each with `api` (opencl:0), `name`,
`kind`, `memory` (bytes), `units`, `driver` and `address` (PCI, if the driver gives it), numbered as the benchmarks of
devices number them; `missing`: why a way shows none.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any, NotRequired, TypedDict

_ALL, _CPU, _GPU = 0xFFFFFFFF, 2, 4
_TYPE, _UNITS, _MEMORY, _NAME, _DRIVER = 0x1000, 0x1002, 0x101F, 0x102B, 0x102D
_BUS, _BUS_AMD, _BOARD_AMD = 0x410F, 0x4037, 0x4038  # cl_khr_pci_bus_info, cl_amd_device_attribute_query
_MULTIPROCESSORS = 16
CPU_KIND = "CPU through OpenCL"


class DriverDevice(TypedDict):
    """A device as its driver shows it."""

    api: str
    name: str
    kind: str
    memory: int | None
    units: int | None
    driver: str
    address: NotRequired[str | None]


class DriverAnswer(TypedDict, total=False):
    """What this program prints: devices, and by way why there are none; `silent`: ways whose driver did not answer."""

    devices: list[DriverDevice]
    missing: dict[str, str]
    silent: list[str]


def opencl(library: Any) -> list[DriverDevice]:
    """The devices of all platforms, in the order of both."""

    def listed(ask: Any, *before: Any) -> list[ctypes.c_void_p]:
        count = ctypes.c_uint(0)
        if ask(*before, 0, None, ctypes.byref(count)) != 0 or not count.value:
            return []
        handles = (ctypes.c_void_p * count.value)()
        return [ctypes.c_void_p(each) for each in handles] if ask(*before, count, handles, None) == 0 else []

    def info(device: ctypes.c_void_p, what: int, size: int = 1024) -> bytes:
        text = ctypes.create_string_buffer(size)
        return text.raw if library.clGetDeviceInfo(device, what, ctypes.c_size_t(size), text, None) == 0 else b""

    def text(device: ctypes.c_void_p, what: int) -> str:
        return info(device, what).split(b"\0")[0].decode("utf-8", "replace").strip()

    def address(device: ctypes.c_void_p) -> str | None:
        if place := info(device, _BUS, 16):
            domain, bus, slot, function = (int.from_bytes(place[at : at + 4], "little") for at in range(0, 16, 4))
        elif (of_amd := info(device, _BUS_AMD, 24))[:4] == b"\1\0\0\0":  # PCIe
            domain, (bus, slot, function) = 0, of_amd[21:]
        else:
            return None
        return f"{domain:04x}:{bus:02x}:{slot:02x}.{function:x}"

    found: list[DriverDevice] = []
    for platform in listed(library.clGetPlatformIDs):
        for device in listed(library.clGetDeviceIDs, platform, ctypes.c_uint64(_ALL)):
            kind = int.from_bytes(info(device, _TYPE, 8), "little")
            found.append(
                {
                    "api": f"opencl:{len(found)}",
                    "name": text(device, _BOARD_AMD) or text(device, _NAME),
                    "kind": CPU_KIND if kind & _CPU else "GPU" if kind & _GPU else "accelerator",
                    "memory": int.from_bytes(info(device, _MEMORY, 8), "little") or None,
                    "units": int.from_bytes(info(device, _UNITS, 4), "little") or None,
                    "driver": text(device, _DRIVER),
                    "address": address(device),
                }
            )
    return found


def cuda(library: Any) -> list[DriverDevice]:
    """The devices that CUDA's driver shows."""
    count, version = ctypes.c_int(0), ctypes.c_int(0)
    if library.cuInit(0) != 0 or library.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    library.cuDriverGetVersion(ctypes.byref(version))
    found: list[DriverDevice] = []
    for number in range(count.value):
        device, units, memory = ctypes.c_int(0), ctypes.c_int(0), ctypes.c_size_t(0)
        name, address = ctypes.create_string_buffer(256), ctypes.create_string_buffer(64)
        library.cuDeviceGet(ctypes.byref(device), number)
        library.cuDeviceGetName(name, 255, device)
        library.cuDeviceGetPCIBusId(address, 63, device)
        library.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
        library.cuDeviceGetAttribute(ctypes.byref(units), _MULTIPROCESSORS, device)
        found.append(
            {
                "api": f"cuda:{number}",
                "name": name.value.decode("utf-8", "replace"),
                "kind": "GPU",
                "memory": memory.value or None,
                "units": units.value or None,
                "driver": f"CUDA {version.value // 1000}.{version.value % 1000 // 10}",
                "address": address.value.decode("ascii", "replace").lower() or None,
            }
        )
    return found


WAYS = {"opencl": ("libOpenCL.so.1", opencl), "cuda": ("libcuda.so.1", cuda)}


def main(way: str) -> None:
    """Print what there is in one way."""
    devices: list[DriverDevice] = []
    missing: dict[str, str] = {}
    name, ask = WAYS[way]
    try:
        devices = ask(ctypes.CDLL(name))
        if not devices:
            missing[way] = "it shows no device"
    except (OSError, AttributeError) as error:
        missing[way] = str(error)
    print(json.dumps({"devices": devices, "missing": missing}))


if __name__ == "__main__":
    main(sys.argv[1])
