"""Accelerators: by PCI class (0x0300 VGA, 0x0302 3D, 0x0380 display, 0x1200 accelerator) and device file."""

from __future__ import annotations

import os
import re
from pathlib import Path

from assay.machine import reading

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
    """A device that may compute; `usable` is whether this process may open its device file."""

    vendor: str
    kind: str
    name: str | None = None
    address: str | None = None
    driver: str | None = None
    device_file: str | None = None
    usable: bool | None = None


class Accelerators(reading.HostPart):
    """The accelerators that this host shows."""

    devices: tuple[Accelerator, ...] = ()


def accelerators(root: Path = Path("/")) -> Accelerators:
    """Read the accelerators of the host under `root`; management displays are left out."""
    found, notes = [], []
    nvidia = iter([path for _, path in reading.numbered(root / "dev", "nvidia")])
    rendering = iter([path for _, path in reading.numbered(root / "dev/dri", "renderD")])
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
            notes.append(f"{name} device {device.name} has no device file: no driver, or kept from this container")
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
            for _, path in reading.numbered(folder, pattern.rpartition("/")[2]):
                found.append(
                    Accelerator(
                        vendor=vendor_name,
                        kind="accelerator",
                        device_file="/" + str(path.relative_to(root)),
                        usable=os.access(path, os.R_OK | os.W_OK),
                    )
                )
    return Accelerators(devices=tuple(found), notes=tuple(notes))


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
