"""Whether joules can be read on this host, and what the packages take just now.

By the kernel's powercap interface; where that shows none or refuses, by perf's energy events. The programs read the
same counters (programs/timing/energy.hpp) at the ends of their blocks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.machine import energy_events, reading

FOLDER = "sys/class/powercap"
MOST_POWER = 20e3  # W: what a counter would have gained at more was lost by a reset of it


class Energy(reading.HostPart):
    """Counters of joules: `package-0`, `dram`, `psys` of powercap; `energy-pkg`, `energy-ram`, `energy-psys` of perf.

    `source`: powercap or perf. `why` nothing can be read, None where it can. `power`: of all packages together while
    nothing of ours was measured, W; idle power where the host was idle.
    """

    zones: tuple[str, ...] = ()
    why: str | None = None
    power: float | None = None
    source: str = "powercap"


def energy(
    root: Path = Path("/"),
    guest: bool | None = None,
    *,
    seconds: float = 0.2,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    open_event: energy_events.Open = energy_events.open_event,
) -> Energy:
    """Find the counters; takes `seconds` where they can be read. `guest`: of a hypervisor, which has none."""

    def power(counts: Callable[[], list[int | None]], joules: Sequence[float], ranges: Sequence[int]) -> float | None:
        began, before = clock(), counts()
        sleep(seconds)
        after, elapsed = counts(), clock() - began
        gained = [_gained(*each) for each in zip(before, after, ranges, strict=True)]
        known = [each * unit for each, unit in zip(gained, joules, strict=True) if each is not None]
        if not known or len(known) < len(gained) or not elapsed > 0 or sum(known) > MOST_POWER * elapsed:
            return None
        return sum(known) / elapsed

    by_powercap, packages = _zones(_folder(root, "ASSAY_POWERCAP", FOLDER), guest)
    if by_powercap.why:
        by_perf, files = _events(_folder(root, "ASSAY_PERF_DEVICES", energy_events.FOLDER), open_event)
        if files:
            units = {file: joules for file, (name, joules) in files.items() if name == "energy-pkg"}
            found = power(lambda: [energy_events.count(file) for file in units], list(units.values()), [0] * len(units))
            still = guest and all(energy_events.count(file) == 0 for file in files)
            for file in files:
                os.close(file)
            why = f"perf: {', '.join(by_perf.zones)} at 0: the hypervisor counts no energy" if still else None
            return by_perf.model_copy(update={"power": None if still else found, "why": why})
        return by_perf if by_perf.zones and not by_powercap.zones else by_powercap
    ranges = [reading.number(path / "max_energy_range_uj") or 0 for path in packages]
    found = power(lambda: [reading.number(path / "energy_uj") for path in packages], [1e-6] * len(packages), ranges)
    return by_powercap.model_copy(update={"power": found})


def _folder(root: Path, variable: str, usual: str) -> Path:
    stated = os.environ.get(variable) if root == Path("/") else None
    return Path(stated) if stated else root / usual


def _zones(folder: Path, guest: bool | None) -> tuple[Energy, list[Path]]:
    """What powercap shows, and the folders of its packages."""
    found = [path for path in reading.entries(folder) if path.name.startswith("intel-rapl:")]
    zones = [(path, reading.text(path / "name") or "") for path in found]
    zones = [(path, name) for path, name in zones if name.startswith("package") or name in ("dram", "psys")]
    names = tuple(name for _, name in zones)
    if not zones:
        why = "no powercap interface"
        return Energy(why=f"{why}: a virtual machine has none" if guest else f"{why} (module intel_rapl_msr?)"), []
    for path, _ in zones:
        try:
            int((path / "energy_uj").read_text())
        except PermissionError:
            text = "permission denied: energy_uj is for root alone since CVE-2020-8694"
            return Energy(zones=names, why=text), []
        except (OSError, ValueError) as error:
            return Energy(zones=names, why=f"energy_uj: {getattr(error, 'strerror', None) or 'holds no number'}"), []
    return Energy(zones=names), [path for path, name in zones if name.startswith("package")]


def _events(devices: Path, open_event: energy_events.Open) -> tuple[Energy, dict[int, tuple[str, float]]]:
    """What perf shows, and the opened files with their names and joules per count; none where one is refused."""
    events = energy_events.energy_events(devices)
    names = tuple(dict.fromkeys(event.name for event in events))
    files: dict[int, tuple[str, float]] = {}
    for event in events:
        try:
            file = open_event(event.type, event.config, event.cpu)
        except OSError as error:
            for each in files:
                os.close(each)
            hint = " (kernel.perf_event_paranoid above 0)" if isinstance(error, PermissionError) else ""
            return Energy(zones=names, why=f"perf's energy events: {error.strerror}{hint}", source="perf"), {}
        files[file] = (event.name, event.joules)
    return Energy(zones=names, source="perf"), files


def _gained(before: int | None, after: int | None, most: int) -> int | None:
    """Counts between two readings of a counter that begins anew after `most`; None where one failed."""
    if before is None or after is None or (after < before and most < before):
        return None
    return after - before + (most if after < before else 0)
