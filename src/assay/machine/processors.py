"""The host's processors: model, sockets, cores, threads, kinds, frequencies, instruction sets, frequency policy.

Source: /proc/cpuinfo for names and flags, /sys/devices/system/cpu for topology and cpufreq. On Arm cpuinfo has numbers
instead of a model name (implementer and part, Arm's MIDR_EL1); the commonest server parts are named here.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import TypedDict

from assay.machine import reading, topology

MATTERS = [
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "f16c",
    "avx_vnni",
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "amx_bf16",
    "amx_int8",
    "amx_fp16",
    "avx10_1",
    "constant_tsc",
    "nonstop_tsc",
    "rdtscp",
    "invariant_tsc",
    "asimd",
    "asimdhp",
    "asimddp",
    "fphp",
    "atomics",
    "sve",
    "sve2",
    "bf16",
    "i8mm",
    "sme",
    "altivec",
    "vsx",
]
ARM_PARTS = {
    (0x41, 0xC07): "Arm Cortex-A7",
    (0x41, 0xC09): "Arm Cortex-A9",
    (0x41, 0xC0F): "Arm Cortex-A15",
    (0x41, 0xD03): "Arm Cortex-A53",
    (0x41, 0xD05): "Arm Cortex-A55",
    (0x41, 0xD07): "Arm Cortex-A57",
    (0x41, 0xD08): "Arm Cortex-A72",
    (0x41, 0xD0B): "Arm Cortex-A76",
    (0x41, 0xD0C): "Arm Neoverse N1",
    (0x41, 0xD40): "Arm Neoverse V1",
    (0x41, 0xD46): "Arm Cortex-A510",
    (0x41, 0xD47): "Arm Cortex-A710",
    (0x41, 0xD49): "Arm Neoverse N2",
    (0x41, 0xD4D): "Arm Cortex-A715",
    (0x41, 0xD4E): "Arm Cortex-X3",
    (0x41, 0xD4F): "Arm Neoverse V2",
    (0x41, 0xD84): "Arm Neoverse V3",
    (0x41, 0xD85): "Arm Cortex-X925",
    (0x41, 0xD87): "Arm Cortex-A725",
    (0x41, 0xD8E): "Arm Neoverse N3",
    (0x43, 0x0AF): "Marvell ThunderX2",
    (0x46, 0x001): "Fujitsu A64FX",
    (0x48, 0xD01): "HiSilicon Kunpeng 920",
    (0xC0, 0xAC3): "Ampere-1",
}


class Kind(reading.HostPart):
    """One kind of core of a hybrid processor."""

    name: str
    cpus: tuple[int, ...]
    frequency_max: float | None = None


class TopologyLevel(reading.HostPart):
    """Drawers, books, dies or clusters: the hardware threads of each."""

    name: str
    cpus: tuple[tuple[int, ...], ...]


class Processors(reading.HostPart):
    """What the kernel shows of the processors; counts are of the whole host, frequencies in Hz."""

    architecture: str
    vendor: str | None = None
    model: str | None = None
    sockets: int | None = None
    cores: int | None = None
    threads: int | None = None
    threads_per_core: int | None = None
    online: tuple[int, ...] = ()
    levels: tuple[TopologyLevel, ...] = ()
    kinds: tuple[Kind, ...] = ()
    flags: tuple[str, ...] = ()
    frequency_base: float | None = None
    frequency_min: float | None = None
    frequency_max: float | None = None
    frequency_now: float | None = None
    driver: str | None = None
    governors: tuple[str, ...] = ()
    governor: str | None = None
    preference: str | None = None
    boost: bool | None = None


def processors(root: Path = Path("/"), architecture: str | None = None) -> Processors:
    """Read the processors of the host whose /proc and /sys lie under `root`."""
    notes: list[str] = []
    blocks = _cpuinfo(root)
    first = _stated(blocks)
    system = root / topology.CPU
    online = topology.online_cpus(root)
    if not online:
        online = tuple(range(sum("processor" in block for block in blocks)))
    if not online:
        notes.append("the number of hardware threads is not readable (/proc/cpuinfo, /sys/devices/system/cpu)")
    sockets, cores = _topology(root, online, blocks)
    if online and cores is None:
        notes.append("the kernel shows no core topology; cores and sockets are unknown")
    notes += topology.contradictions(root)
    kinds = _kinds(root, system, online, blocks)
    model = ", ".join(each.name for each in kinds if each.name in ARM_PARTS.values()) or _model(first)
    if model is None:
        notes.append("the processor's model is not named by the kernel")
    policy = _policy(system, online)
    if policy["governor"] is None:
        notes.append("no cpufreq: governor and frequency range are not visible")
    return Processors(
        architecture=architecture or platform.machine(),
        vendor=first.get("vendor_id") or ("Arm" if "CPU implementer" in first else None),
        model=model,
        sockets=sockets,
        cores=cores,
        threads=len(online) or None,
        threads_per_core=round(len(online) / cores) if cores else None,
        online=online,
        levels=tuple(TopologyLevel(name=name, cpus=sets) for name, sets in topology.levels(online, root).items()),
        kinds=kinds,
        flags=_flags(first),
        frequency_now=_now(first),
        notes=tuple(notes),
        **policy,
    )


def _cpuinfo(root: Path) -> list[dict[str, str]]:
    words = reading.text(root / "proc/cpuinfo") or ""
    return [found for part in words.split("\n\n") if (found := reading.pairs(part, ":"))]


def _stated(blocks: list[dict[str, str]]) -> dict[str, str]:
    """What is stated first of each key: some architectures put a block for the whole machine before or behind."""
    return {key: value for block in reversed(blocks) for key, value in block.items()}


def strip_trademarks(name: str) -> str:
    """A processor's name without the signs of registered names."""
    return " ".join(name.replace("(R)", "").replace("(TM)", "").split())


def _model(block: dict[str, str]) -> str | None:
    for key in ("model name", "Model Name", "cpu model", "uarch", "cpu"):
        if name := block.get(key):
            return strip_trademarks(name)
    if machine := re.search(
        r"machine = (\w+)", next((block[key] for key in block if key.startswith("processor ")), "")
    ):
        return f"IBM machine type {machine[1]}"
    try:
        implementer, part = int(block["CPU implementer"], 0), int(block["CPU part"], 0)
    except (KeyError, ValueError):
        return None
    return ARM_PARTS.get((implementer, part), f"Arm implementer {implementer:#04x} part {part:#05x}")


def _flags(block: dict[str, str]) -> tuple[str, ...]:
    has = set((block.get("flags") or block.get("Features") or block.get("isa") or "").lower().split())
    return tuple(flag for flag in MATTERS if flag in has)


def _topology(root: Path, online: tuple[int, ...], blocks: list[dict[str, str]]) -> tuple[int | None, int | None]:
    """Sockets and cores, each by the kernel's topology, else by /proc/cpuinfo."""
    threads = [topology.hardware_thread(cpu, root) for cpu in online]
    sockets, cores = {each.socket for each in threads}, {each.core for each in threads}
    packages_too = {block["physical id"] for block in blocks if "physical id" in block}
    cores_too = {
        (block["physical id"], block["core id"]) for block in blocks if {"physical id", "core id"} <= set(block)
    }
    return (
        (len(packages_too) if None in sockets else len(sockets)) or None,
        (len(cores_too) if None in cores else len(cores)) or None,
    )


def _kinds(root: Path, system: Path, online: tuple[int, ...], blocks: list[dict[str, str]]) -> tuple[Kind, ...]:
    """Kinds of cores: by PMU folders (Intel), parts (Arm), else capacities, which differ by frequency, too."""
    groups: dict[str, list[int]] = {}
    for name, words in (("performance", "cpu_core"), ("efficiency", "cpu_atom")):
        if found := reading.cpus(reading.text(root / f"sys/devices/{words}/cpus")):
            groups[name] = list(found)
    parts = _parts(system, online, blocks)
    if len(groups) < 2:
        groups = {}
        for cpu, part in parts.items():
            groups.setdefault(part, []).append(cpu)
    if len(groups) < 2 and not parts:
        groups = {}
        for cpu in online:
            if (capacity := reading.number(system / f"cpu{cpu}/cpu_capacity")) is not None:
                groups.setdefault(f"capacity {capacity}", []).append(cpu)
    if len(groups) < 2:
        return ()
    return tuple(
        Kind(name=name, cpus=tuple(each), frequency_max=_hertz(system / f"cpu{each[0]}/cpufreq/cpuinfo_max_freq"))
        for name, each in groups.items()
    )


def _parts(system: Path, online: tuple[int, ...], blocks: list[dict[str, str]]) -> dict[int, str]:
    """What each hardware thread of an Arm processor is called, by its own register, else by /proc/cpuinfo."""
    found = {
        int(block["processor"]): _model(block) or "?"
        for block in blocks
        if "CPU part" in block and block.get("processor", "").isdecimal()
    }
    for cpu in online:
        register = reading.number(system / f"cpu{cpu}/regs/identification/midr_el1")
        if register is not None:
            known = {"CPU implementer": f"{register >> 24 & 0xFF:#x}", "CPU part": f"{register >> 4 & 0xFFF:#x}"}
            found[cpu] = _model(known) or "?"
    return {cpu: found[cpu] for cpu in online if cpu in found}


def _hertz(path: Path) -> float | None:
    kilohertz = reading.number(path)
    return None if kilohertz is None else kilohertz * 1e3


def _now(block: dict[str, str]) -> float | None:
    words = block.get("cpu MHz") or block.get("clock", "").removesuffix("MHz")
    megahertz = reading.real(words)
    return None if megahertz is None else megahertz * 1e6


class _FrequencyPolicy(TypedDict):
    frequency_base: float | None
    frequency_min: float | None
    frequency_max: float | None
    driver: str | None
    governors: tuple[str, ...]
    governor: str | None
    preference: str | None
    boost: bool | None


def _policy(system: Path, online: tuple[int, ...]) -> _FrequencyPolicy:
    one = system / f"cpu{online[0] if online else 0}/cpufreq"
    governors = {reading.text(system / f"cpu{cpu}/cpufreq/scaling_governor") for cpu in online} - {None}
    limits = [_hertz(system / f"cpu{cpu}/cpufreq/cpuinfo_max_freq") for cpu in online]
    no_turbo = reading.number(system / "intel_pstate/no_turbo")
    boost = reading.number(system / "cpufreq/boost")
    return {
        "frequency_base": _hertz(one / "base_frequency"),
        "frequency_min": _hertz(one / "scaling_min_freq"),
        "frequency_max": max((each for each in limits if each), default=None),
        "driver": reading.text(one / "scaling_driver"),
        "governors": tuple((reading.text(one / "scaling_available_governors") or "").split()),
        "governor": ", ".join(sorted(each for each in governors if each)) or None,
        "preference": reading.text(one / "energy_performance_preference"),
        "boost": no_turbo == 0 if no_turbo is not None else boost == 1 if boost is not None else None,
    }
