"""What this process may use of the host: affinity, and the limits of its control groups, versions 1 and 2.

A limit anywhere on the way from the group to the root binds, so the least along that way is taken, also where the group
itself lacks the controller (a login node's `user-UID.slice`). Where both versions are mounted each controller has its
own hierarchy in one of them. Source: the kernel's admin guide, cgroup-v1 and cgroup-v2. In a container the group's path
may be that of the host: what of it is not there under the mount has no files, and the mount's own root is the group.
The programs read by the same rules (programs/timing/cgroups.hpp, memory_limits.hpp, quota.hpp).
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.machine import reading

UNLIMITED = 1 << 62  # version 1 writes "no limit" as the greatest number of pages


class Limits(reading.HostPart):
    """Hardware threads and memory (bytes) that this process may use; a quota can make them a fraction (2.5).

    `memory_left`: the least that a group on the way still leaves; cache that can be reclaimed is left, too.
    """

    cgroup_version: int | None = None
    affinity: tuple[int, ...] | None = None
    cpuset: tuple[int, ...] | None = None
    cpu_quota: float | None = None
    cpus: int | None = None
    usable_cpus: float | None = None
    memory_limit: int | None = None
    memory_used: int | None = None
    memory_left: int | None = None
    swap_limit: int | None = None
    pids_limit: int | None = None


def limits(root: Path = Path("/"), affinity: tuple[int, ...] | None = None) -> Limits:
    """Read the limits of the process whose /proc/self lies under `root`; `affinity` None: from the kernel."""
    notes: list[str] = []
    if affinity is None:
        try:
            affinity = tuple(sorted(os.sched_getaffinity(0)))
        except (AttributeError, OSError):
            notes.append("the affinity mask is not readable")
    found = {controller: _way(root, controller) for controller in ("cpu", "cpuset", "memory", "pids")}
    versions = {version for version, _ in found.values()}
    if versions == {0}:
        notes.append("no control groups are visible")
    quota = min((each for each in map(_quota, found["cpu"][1]) if each is not None), default=None)
    cpuset = next(filter(None, map(_cpuset, found["cpuset"][1])), None)
    allowed = set(affinity) if affinity is not None else None
    if cpuset is not None:
        allowed = set(cpuset) if allowed is None else (allowed & set(cpuset)) or allowed
    count = len(allowed) if allowed is not None else None
    usable = min((each for each in (count, quota) if each is not None), default=None)
    memory = found["memory"][1]
    return Limits(
        cgroup_version=max(versions) or None,
        affinity=affinity,
        cpuset=cpuset,
        cpu_quota=quota,
        cpus=count,
        usable_cpus=usable,
        memory_limit=_least(memory, "memory.max", "memory.high", "memory.limit_in_bytes"),
        memory_used=_first(memory, "memory.current", "memory.usage_in_bytes"),
        memory_left=min((left for folder in memory if (left := _left(folder)) is not None), default=None),
        swap_limit=_least(memory, "memory.swap.max"),
        pids_limit=_least(found["pids"][1], "pids.max"),
        notes=tuple(notes),
    )


def _way(root: Path, controller: str) -> tuple[int, list[Path]]:
    """The version of the hierarchy that has this controller (0: none), and its folders from the group to the root."""
    groups: dict[str, str] = {}
    for line in (reading.text(root / "proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3:
            groups.update(dict.fromkeys(parts[1].split(","), parts[2]))
    name = controller if controller in groups else ""
    for line in (reading.text(root / "proc/self/mountinfo") or "").splitlines():
        before, dash, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if not dash or len(fields) < 5 or not kind or name not in groups:
            continue
        mine = kind[0] == ("cgroup" if name else "cgroup2") and (not name or controller in kind[-1].split(","))
        if not mine:
            continue
        mount, top, group = root / fields[4].lstrip("/"), fields[3].rstrip("/"), groups[name]
        inside = group[len(top) :] if group == top or group.startswith(f"{top}/") else group
        folder = mount / inside.strip("/")
        way = [each for each in (folder, *folder.parents) if each == mount or mount in each.parents]
        return (1 if name else 2), way
    return 0, []


def _left(folder: Path) -> int | None:
    """Bytes that this group still leaves: its limit less what is used of it and cannot be reclaimed."""
    limit = _least([folder], "memory.max", "memory.high", "memory.limit_in_bytes")
    used = _first([folder], "memory.current", "memory.usage_in_bytes")
    if limit is None or used is None:
        return None
    known = (line.split() for line in (reading.text(folder / "memory.stat") or "").splitlines())
    stated = {words[0]: int(words[1]) for words in known if len(words) == 2 and words[1].isdecimal()}
    old = (folder / "memory.usage_in_bytes").exists()
    now = ("inactive_file", "active_file", "slab_reclaimable")
    names = ("total_inactive_file", "total_active_file") if old else now
    return max(0, min(limit, limit - used + sum(stated.get(name, 0) for name in names)))


def _quota(folder: Path) -> float | None:
    words = (reading.text(folder / "cpu.max") or "").split()
    if not words:
        words = [reading.text(folder / "cpu.cfs_quota_us") or "", reading.text(folder / "cpu.cfs_period_us") or ""]
    try:
        quota, period = (float(each) for each in words)
    except ValueError:
        return None
    return quota / period if quota > 0 and period > 0 else None


def _cpuset(folder: Path) -> tuple[int, ...] | None:
    for name in ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"):
        if found := reading.cpus(reading.text(folder / name)):
            return found
    return None


def _least(way: list[Path], *names: str) -> int | None:
    limits = [reading.number(folder / name) for folder in way for name in names]
    return min((each for each in limits if each is not None and each < UNLIMITED), default=None)


def _first(way: list[Path], *names: str) -> int | None:
    found = (reading.number(folder / name) for folder in way for name in names)
    return next((each for each in found if each is not None), None)
