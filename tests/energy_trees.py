"""Trees of powercap and of perf's device as the kernel shows them, made for tests."""

from __future__ import annotations

import os
from pathlib import Path

RANGE = 262_143_328_850  # uJ, as an Intel server shows it


def zone(root: Path, name: str, title: str, energy: int, most: int = RANGE) -> Path:
    """A zone of powercap as the kernel shows it; returns its folder."""
    folder = root / name
    folder.mkdir(parents=True)
    for file, text in (("name", title), ("energy_uj", str(energy)), ("max_energy_range_uj", str(most))):
        (folder / file).write_text(f"{text}\n")
    return folder


def server(root: Path, packages: int = 1) -> Path:
    """Packages with their cores and memory, and a second interface to the first, which must not be counted twice."""
    for each in range(packages):
        zone(root, f"intel-rapl:{each}", f"package-{each}", 1000)
        zone(root, f"intel-rapl:{each}:0", "core", 500)
        zone(root, f"intel-rapl:{each}:1", "dram", 100, 65_712_999_613)
    zone(root, "intel-rapl-mmio:0", "package-0", 1000)
    (root / "intel-rapl").mkdir()
    return root


def perf(
    devices: Path, cpus: str = "0", kind: int = 20, pkg: int = 2, ram: int | None = 3, joules: float = 0.5
) -> Path:
    """perf's device `power` as the kernel shows it, a count worth `joules`; returns the folder of devices."""
    events = devices / "power" / "events"
    events.mkdir(parents=True)
    (devices / "power" / "type").write_text(f"{kind}\n")
    (devices / "power" / "cpumask").write_text(f"{cpus}\n")
    for name, event in (("energy-pkg", pkg), ("energy-ram", ram), ("energy-cores", 1)):
        if event is not None:
            (events / name).write_text(f"event={event:#04x}\n")
            (events / f"{name}.scale").write_text(f"{joules!r}\n")
            (events / f"{name}.unit").write_text("Joules\n")
    return devices


class Counts:
    """The counts of perf's events, each a pipe TYPE-EVENT-CPU that gives one reading for each that was put in."""

    def __init__(self, root: Path, *names: str) -> None:
        for name in names:
            os.mkfifo(root / name)
        self.files = {name: os.open(root / name, os.O_RDWR) for name in names}

    def put(self, *counts: int) -> None:
        for file, count in zip(self.files.values(), counts, strict=True):
            os.write(file, count.to_bytes(8, "little"))
