"""Accelerators: by PCI class (0x0300 VGA, 0x0302 3D, 0x0380 display, 0x1200 accelerator) and device file.

Which of them programs can reach, through OpenCL or CUDA, `reached` queries their drivers.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypedDict, cast

from assay.machine import reading
from assay.machine.device_list import CPU_KIND, WAYS, DriverAnswer
from assay.machine.program_query import TIMED_OUT
from assay.machine.program_query import answer as answer_of

PATIENCE = 60.0  # s; NVIDIA's driver takes some seconds for each device without persistence mode
CLASSES = {0x0300: "display", 0x0302: "3d", 0x0380: "display", 0x1200: "accelerator"}
VENDORS = {
    0x10DE: "NVIDIA",
    0x1002: "AMD",
    0x8086: "Intel",
    0x1DA3: "Habana",
    0x1AE0: "Google",
    0x1D0F: "Amazon",
    0x1E52: "Tenstorrent",
    0x19E5: "Huawei",
    0x1A03: "ASPEED",
    0x102B: "Matrox",
    0x1234: "QEMU",
    0x1AF4: "virtio",
    0x15AD: "VMware",
    0x1013: "Cirrus",
}
SCREENS = {0x1A03, 0x102B, 0x1234, 0x1AF4, 0x15AD, 0x1013}  # management and virtual displays: they compute nothing


class Accelerator(reading.HostPart):
    """A device that may compute; `usable` is whether this process may open its device file, or its driver shows it.

    `api`: how benchmarks name it ("opencl:0, cuda:0"), where drivers show it; then also its memory in bytes, its
    compute units and the driver's version. A CPU that OpenCL shows is of kind "CPU through OpenCL".
    """

    vendor: str
    kind: str
    name: str | None = None
    address: str | None = None
    driver: str | None = None
    device_file: str | None = None
    usable: bool | None = None
    api: str | None = None
    memory: int | None = None
    units: int | None = None
    driver_version: str | None = None

    @property
    def is_device(self) -> bool:
        """Whether it is a device other than the processor that this process may use."""
        return bool(self.usable) and self.kind != CPU_KIND

    @property
    def is_measured(self) -> bool:
        """Whether benchmarks reach it as well: a driver shows it."""
        return self.is_device and self.api is not None


class Accelerators(reading.HostPart):
    """The accelerators that this host shows."""

    devices: tuple[Accelerator, ...] = ()


def accelerators(root: Path = Path("/")) -> Accelerators:
    """Read the accelerators of the host under `root`; management displays are left out."""
    found, notes = [], []
    nvidia = iter([path for _, path in reading.numbered_entries(root / "dev", "nvidia")])
    rendering = iter([path for _, path in reading.numbered_entries(root / "dev/dri", "renderD")])
    for device in reading.entries(root / "sys/bus/pci/devices"):
        class_, vendor = reading.number(device / "class"), reading.number(device / "vendor")
        kind = CLASSES.get((class_ or 0) >> 8)
        if kind is None or vendor is None or vendor in SCREENS:
            continue
        file = next(nvidia, None) if vendor == 0x10DE else next(rendering, None)
        if vendor == 0x1002 and (root / "dev/kfd").exists():
            file = root / "dev/kfd"
        name = VENDORS.get(vendor, f"vendor {vendor:#06x}")
        if file is None:
            notes.append(f"{name} device {device.name} has no device file: no driver, or not visible in this container")
        found.append(
            Accelerator(
                vendor=name,
                kind=kind,
                name=_name(root, device),
                address=device.name,
                driver=_driver(device),
                device_file=None if file is None else "/" + str(file.relative_to(root)),
                usable=None if file is None else os.access(file, os.R_OK | os.W_OK),
            )
        )
    if not found:
        for pattern, vendor_name in (("nvidia", "NVIDIA"), ("accel/accel", "unknown"), ("neuron", "Amazon")):
            folder = root / "dev" / (pattern.rpartition("/")[0])
            for _, path in reading.numbered_entries(folder, pattern.rpartition("/")[2]):
                found.append(
                    Accelerator(
                        vendor=vendor_name,
                        kind="accelerator",
                        device_file="/" + str(path.relative_to(root)),
                        usable=os.access(path, os.R_OK | os.W_OK),
                    )
                )
    return Accelerators(devices=tuple(found), notes=tuple(notes))


@functools.cache
def query_drivers(patience: float = PATIENCE) -> DriverAnswer:
    """What OpenCL and CUDA show (device_list.py), queried once, each in a process of its own, for `patience` s."""
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(functools.partial(_query, patience=patience), WAYS))
    return {
        "devices": [device for each in answers for device in each.get("devices", ())],
        "missing": {way: text for each in answers for way, text in each.get("missing", {}).items()},
        "silent": [way for each in answers for way in each.get("silent", ())],
    }


def _query(way: str, patience: float) -> DriverAnswer:
    status, output = answer_of([sys.executable, "-P", "-m", "assay.machine.device_list", way], patience=patience)
    if status == TIMED_OUT:
        return {"missing": {way: f"no answer within {patience:g} s"}, "silent": [way]}
    try:
        return cast(DriverAnswer, dict(json.loads(output.splitlines()[-1])))
    except (ValueError, IndexError, TypeError):
        return {"missing": {way: f"its query ended with status {status}"}}


class _DriverFacts(TypedDict):
    api: str
    memory: int | None
    units: int | None
    driver_version: str | None
    usable: bool


def add_driver_devices(shown: Accelerators, answer: DriverAnswer) -> Accelerators:
    """Add what drivers show: to the device at the same PCI address, or as a device of its own.

    A note names what is missing where the host shows an accelerator that neither way reaches.
    """
    devices, notes = list(shown.devices), list(shown.notes)
    for each in answer.get("devices", ()):
        shown_by = _DriverFacts(
            api=each["api"],
            memory=each["memory"],
            units=each["units"],
            driver_version=each["driver"] or None,
            usable=True,
        )
        address = each.get("address")
        same = next((at for at, device in enumerate(devices) if address and _same(device.address, address)), None)
        if same is None:
            devices.append(Accelerator(vendor="", kind=each["kind"], name=each["name"], address=address, **shown_by))
        else:
            if before := devices[same].api:
                shown_by["api"] = f"{before}, {each['api']}"
            devices[same] = devices[same].model_copy(update={"name": each["name"], **shown_by})
    for way in answer.get("silent", ()):
        notes.append(f"{way}: the driver gave {answer['missing'][way]}: its devices are missing here")
    if shown.devices and not any(device.is_measured for device in devices):
        missing = answer.get("missing", {"opencl": "not queried", "cuda": "not queried"})
        why = "; ".join(f"{way}: {text}" for way, text in missing.items())
        notes.append(f"no program reaches the accelerators here ({why}): install the vendor's driver, or its OpenCL")
    return Accelerators(devices=tuple(devices), notes=tuple(notes))


def _same(one: str | None, other: str) -> bool:
    """Whether two PCI addresses are one: drivers write the domain with four digits or eight."""
    return (
        one is not None
        and one.lower()[-7:] == other[-7:]
        and int(one.split(":")[0], 16) == int(other.split(":")[0], 16)
    )


def _driver(device: Path) -> str | None:
    link = device / "driver"
    return link.resolve().name if link.exists() else None


def _name(root: Path, device: Path) -> str | None:
    """NVIDIA's driver names its devices in /proc; for others the PCI id must do."""
    answer = reading.pairs(reading.text(root / "proc/driver/nvidia/gpus" / device.name / "information"), ":")
    if "Model" in answer:
        return answer["Model"]
    number = reading.text(device / "device") or ""
    return f"device {number}" if re.fullmatch(r"0x[0-9a-fA-F]+", number) else None
