"""Provenance: the short form of what this host is, which goes with every launch."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from pathlib import Path

from assay import __version__
from assay.machine import reading
from assay.machine.firmware import firmware, microcode
from assay.machine.limits import limits
from assay.machine.memory import memory
from assay.machine.peak import stated_clock
from assay.machine.processors import processors
from assay.machine.steering import steering
from assay.machine.system import system, virtualisation


def provenance(root: Path = Path("/")) -> dict[str, object]:
    """What each launch records of its host: a flat JSON object, gathered in milliseconds.

    Sizes in bytes, frequencies in Hz; None where unknown.
    """
    cpu, bounds, kernel = processors(root), limits(root), system(root)
    virtual, hypervisor = virtualisation(root)
    load = (reading.text(root / "proc/loadavg") or "").split()[:3]
    return {
        "assay": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": kernel.host,
        "cpu": cpu.model,
        "architecture": cpu.architecture,
        "sockets": cpu.sockets,
        "cores": cpu.cores,
        "threads": cpu.threads,
        "usable_cpus": bounds.usable_cpus,
        "affinity": None if bounds.affinity is None else reading.spans(bounds.affinity),
        "cpu_quota": bounds.cpu_quota,
        "memory": memory(root, bounds).total,
        "memory_limit": bounds.memory_limit,
        "kernel": kernel.kernel,
        "microcode": microcode(root),
        "firmware": firmware(root),
        "distribution": kernel.distribution,
        "governor": cpu.governor,
        "boost": cpu.boost,
        "frequency": cpu.frequency_now,
        "stated_clock": stated_clock(cpu),
        "clock_source": kernel.clock_source,
        "load": [each for each in map(reading.real, load) if each is not None],
        "virtualised": virtual,
        "hypervisor": hypervisor,
        "container": kernel.container,
        "python": platform.python_version(),
        "variables": steering(),
    }
