"""Whether joules can be read on this host: the kernel's powercap interface, and what the packages take just now.

The programs read the same counters (programs/timing/energy.hpp) at the ends of their blocks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from assay.machine import reading

FOLDER = "sys/class/powercap"
MOST_POWER = 20e3  # W: what a counter would have gained at more was lost by a reset of it


class Energy(reading.HostPart):
    """Zones of powercap that count joules: `package-0`, `dram`, `psys`. `why` nothing can be read, None where it can.

    `power`: of all packages together while nothing of ours was measured, W; idle power where the host was idle.
    """

    zones: tuple[str, ...] = ()
    why: str | None = None
    power: float | None = None


def energy(
    root: Path = Path("/"),
    guest: bool | None = None,
    *,
    seconds: float = 0.2,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Energy:
    """Find the counters; takes `seconds` where they can be read. `guest`: of a hypervisor, which has none."""
    stated = os.environ.get("ASSAY_POWERCAP") if root == Path("/") else None
    folder = Path(stated) if stated else root / FOLDER
    found = [path for path in reading.entries(folder) if path.name.startswith("intel-rapl:")]
    zones = [(path, reading.text(path / "name") or "") for path in found]
    zones = [(path, name) for path, name in zones if name.startswith("package") or name in ("dram", "psys")]
    names = tuple(name for _, name in zones)
    if not zones:
        why = "no powercap interface"
        return Energy(why=f"{why}: a virtual machine has none" if guest else f"{why} (module intel_rapl_msr?)")
    for path, _ in zones:
        try:
            int((path / "energy_uj").read_text())
        except PermissionError:
            text = "permission denied: energy_uj is for root alone since CVE-2020-8694"
            return Energy(zones=names, why=text)
        except (OSError, ValueError) as error:
            return Energy(zones=names, why=f"energy_uj: {getattr(error, 'strerror', None) or 'holds no number'}")
    packages = [path for path, name in zones if name.startswith("package")]
    began, before = clock(), [reading.number(path / "energy_uj") for path in packages]
    sleep(seconds)
    after, elapsed = [reading.number(path / "energy_uj") for path in packages], clock() - began
    ranges = [reading.number(path / "max_energy_range_uj") or 0 for path in packages]
    gained = [_gained(*each) for each in zip(before, after, ranges, strict=True)]
    joules = [each for each in gained if each is not None]
    if not packages or len(joules) < len(gained) or not elapsed > 0 or sum(joules) > MOST_POWER * elapsed:
        return Energy(zones=names)
    return Energy(zones=names, power=sum(joules) / elapsed)


def _gained(before: int | None, after: int | None, most: int) -> float | None:
    """Joules between two readings of a counter that begins anew after `most` microjoules; None where one failed."""
    if before is None or after is None or (after < before and most < before):
        return None
    return 1e-6 * (after - before + (most if after < before else 0))
