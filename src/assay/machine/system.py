"""Kernel, distribution, virtualisation, container, clock source, performance counters.

A virtual machine is known by the processor's hypervisor flag, by /sys/hypervisor, and by what the firmware (DMI, device
tree) calls the product; a container by the marks that its engine leaves. The same signs as systemd-detect-virt's.
"""

from __future__ import annotations

import os
import platform
import re
import socket
from collections.abc import Mapping
from pathlib import Path

from assay.machine import reading

PRODUCTS = (
    ("KVM", "kvm"),
    ("QEMU", "qemu"),
    ("VMware", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("innotek GmbH", "virtualbox"),
    ("Amazon EC2", "amazon ec2"),
    ("Google Compute Engine", "google compute engine"),
    ("Google", "google compute engine"),
    ("OpenStack", "openstack"),
    ("Xen", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "hyper-v"),
    ("Virtual Machine", "hyper-v"),
    ("Apple Virtualization", "apple"),
)
# What no real machine is called: these are believed also where the processor's flag is missing (VirtualBox hides it).
VIRTUAL_ONLY = {"qemu", "vmware", "virtualbox", "bochs", "parallels", "bhyve", "apple"}
# Vendors (and devices) of PCI that only virtual machines have; the same as lscpu's.
VIRTUAL_PCI = {
    "80eecafe": "virtualbox",
    "80eebeef": "virtualbox",
    "15ad0710": "vmware",
    "15ad0405": "vmware",
    "58530001": "xen",
}
ENGINES = ("docker", "podman", "libpod", "kubepods", "containerd", "lxc", "garden", "machine.slice")


class System(reading.HostPart):
    """The operating system and what it runs on."""

    host: str
    kernel: str | None = None
    distribution: str | None = None
    family: str | None = None
    uptime: float | None = None
    virtualised: bool | None = None
    hypervisor: str | None = None
    product: str | None = None
    container: str | None = None
    clock_source: str | None = None
    clock_sources: tuple[str, ...] = ()
    counters: bool | None = None
    counters_paranoia: int | None = None
    autogroup: bool | None = None


def system(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> System:
    """Read the operating system of the host under `root`."""
    notes = []
    release = reading.pairs(reading.text(root / "etc/os-release"), "=")
    virtualised, hypervisor = virtualisation(root)
    clock = root / "sys/devices/system/clocksource/clocksource0"
    counters, paranoia = _counters(root)
    if counters is False:
        notes.append("no hardware performance counters: the processor or the hypervisor does not offer them")
    elif paranoia is not None and paranoia > 2 and os.geteuid() != 0:
        notes.append(f"performance counters are forbidden (kernel.perf_event_paranoid is {paranoia})")
    seconds = (reading.text(root / "proc/uptime") or "").split()
    dmi = root / "sys/class/dmi/id"
    autogroup = reading.number(root / "proc/sys/kernel/sched_autogroup_enabled")
    return System(
        host=reading.text(root / "proc/sys/kernel/hostname") or socket.gethostname(),
        kernel=reading.text(root / "proc/sys/kernel/osrelease") or (platform.release() if root == Path("/") else None),
        distribution=release.get("PRETTY_NAME") or release.get("NAME"),
        family=_family(release),
        uptime=reading.real(seconds[0]) if seconds else None,
        virtualised=virtualised,
        hypervisor=hypervisor,
        product=" ".join(filter(None, (reading.text(dmi / "sys_vendor"), reading.text(dmi / "product_name")))) or None,
        container=container(root, environment),
        clock_source=reading.text(clock / "current_clocksource"),
        clock_sources=tuple((reading.text(clock / "available_clocksource") or "").split()),
        counters=counters,
        counters_paranoia=paranoia,
        autogroup=None if autogroup is None else bool(autogroup),
        notes=tuple(notes),
    )


def _family(release: Mapping[str, str]) -> str | None:
    """Which package manager's family the distribution is of: debian, fedora, suse, arch, alpine; else its own id."""
    words = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".lower().split()
    families = {
        "debian": "debian",
        "ubuntu": "debian",
        "fedora": "fedora",
        "rhel": "fedora",
        "centos": "fedora",
        "suse": "suse",
        "opensuse": "suse",
        "sles": "suse",
        "arch": "arch",
        "alpine": "alpine",
    }
    return next((families[word] for word in words if word in families), words[0] if words else None)


def virtualisation(root: Path = Path("/")) -> tuple[bool | None, str | None]:
    """Whether this is a virtual machine (None: unknown), and which hypervisor."""
    cpuinfo = reading.text(root / "proc/cpuinfo")
    flags = set(reading.pairs(cpuinfo, ":").get("flags", "").split())
    flagged = "hypervisor" in flags
    kind = reading.text(root / "sys/hypervisor/type")
    if kind == "xen" and "control_d" in (reading.text(root / "proc/xen/capabilities") or ""):
        kind = None  # Xen's own privileged domain sees the hardware
    if cpuinfo and "User Mode Linux" in cpuinfo:
        return True, "user mode linux"
    firmware = " ".join(
        reading.text(root / "sys/class/dmi/id" / name) or ""
        for name in ("sys_vendor", "product_name", "board_vendor", "bios_vendor")
    )
    named = next((name for words, name in PRODUCTS if words in firmware), None)
    tree = reading.text(root / "proc/device-tree/hypervisor/compatible")
    if tree is not None:
        return True, "kvm" if "kvm" in tree else "xen" if "xen" in tree else tree
    if partition := _partition(root):
        return True, partition
    if "metal" in firmware and not flagged:
        return False, None
    if flagged or kind:
        return True, kind or named or _virtio(root)
    if device := _virtual_device(root):
        return True, device
    if named in VIRTUAL_ONLY:
        return True, named
    if flags:
        return False, None  # x86 shows the flag whenever it runs under a hypervisor
    if named:
        return True, named
    return (None, None) if cpuinfo is None else (False, None) if firmware.strip() else (None, None)


def _partition(root: Path) -> str | None:
    """The hypervisor of an IBM Z guest (or its logical partition's) and of a POWER partition, by their own words."""
    about = reading.pairs(reading.text(root / "proc/sysinfo"), ":")
    if program := about.get("VM00 Control Program"):
        return "kvm" if program.startswith("KVM") else " ".join(program.split()[:1]).lower()
    if "LPAR Number" in about:
        return "pr/sm"
    tree = root / "proc/device-tree"
    return "phyp" if (tree / "ibm,partition-name").exists() and (tree / "hmc-managed?").exists() else None


def _virtual_device(root: Path) -> str | None:
    """The hypervisor whose device is on the PCI bus."""
    listed = (line.split() for line in (reading.text(root / "proc/bus/pci/devices") or "").splitlines())
    found = {words[1] for words in listed if len(words) > 1}
    for folder in reading.entries(root / "sys/bus/pci/devices"):
        vendor, device = reading.number(folder / "vendor"), reading.number(folder / "device")
        found.add(f"{vendor or 0:04x}{device or 0:04x}")
    return next((name for device, name in VIRTUAL_PCI.items() if device in found), None)


def _virtio(root: Path) -> str | None:
    return (
        "kvm"
        if "kvm-clock"
        in (reading.text(root / "sys/devices/system/clocksource/clocksource0/available_clocksource") or "")
        else None
    )


def container(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> str | None:
    """The container engine around this process; None where there is no sign of one."""
    if (root / ".dockerenv").exists():
        return "docker"
    if (root / "run/.containerenv").exists():
        return "podman"
    if answer := reading.text(root / "run/systemd/container"):
        return answer
    if (root / ".singularity.d").exists() or "APPTAINER_NAME" in environment or "SINGULARITY_NAME" in environment:
        return "apptainer"
    for variable in (reading.text(root / "proc/1/environ") or "").split("\0"):
        if variable.startswith("container="):
            return variable.removeprefix("container=") or "unnamed"
    groups = reading.text(root / "proc/1/cgroup") or ""
    if found := next((engine for engine in ENGINES if engine in groups), None):
        return found
    if "KUBERNETES_SERVICE_HOST" in environment:
        return "kubernetes"
    if "microsoft" in (reading.text(root / "proc/sys/kernel/osrelease") or "").lower():
        return "wsl"
    return None


def _counters(root: Path) -> tuple[bool | None, int | None]:
    sources = {path.name for path in reading.entries(root / "sys/bus/event_source/devices")}
    paranoia = reading.number(root / "proc/sys/kernel/perf_event_paranoid")
    if not sources:
        return None, paranoia
    return any(re.match(r"cpu$|cpu_core|cpu_atom|armv\d|apple_|power\d", name) for name in sources), paranoia
