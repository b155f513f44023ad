"""File systems: mounts with type, size and free space; which are on a network; where scratch files may go.

A dead NFS server lets statvfs(2) hang, so network mounts are queried in threads that may be abandoned.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path

from assay.machine import reading

PARALLEL = {
    "lustre",
    "gpfs",
    "beegfs",
    "pvfs2",
    "orangefs",
    "panfs",
    "ceph",
    "glusterfs",
    "daos",
    "wekafs",
    "fuse.ceph",
}
NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "ncpfs", "coda", "fuse.sshfs", "fuse.s3fs"} | PARALLEL
LOCAL = {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "bcachefs", "reiserfs", "jfs", "vfat", "exfat", "ntfs3"}
LOCAL |= {"overlay", "aufs", "fuse-overlayfs", "virtiofs", "erofs", "squashfs"}
MEMORY = {"tmpfs", "ramfs"}
PATIENCE = 0.3


class FileSystem(reading.HostPart):
    """A mounted file system; bytes. `rotating` is whether its disk turns, where the kernel reports it."""

    mount: str
    type: str
    device: str
    where: str
    size: int | None = None
    free: int | None = None
    writable: bool | None = None
    rotating: bool | None = None


class ScratchFolder(reading.HostPart):
    """A folder where the files of a benchmark may go."""

    path: str
    why: str
    mount: str | None = None
    type: str | None = None
    where: str | None = None
    free: int | None = None
    writable: bool = False


class FileSystems(reading.HostPart):
    """The real file systems (no /proc and the like), and the candidates for scratch space."""

    mounts: tuple[FileSystem, ...] = ()
    scratch: tuple[ScratchFolder, ...] = ()


def filesystems(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> FileSystems:
    """Read the mounts of the process under `root`; sizes are queried only for the real root."""
    words = reading.text(root / "proc/self/mounts") or reading.text(root / "proc/mounts")
    found: dict[str, FileSystem] = {}
    seen: set[tuple[str, str]] = set()
    for device, mount, kind, options in _mounts(words or ""):
        where = _where(kind)
        if where is None or (kind in MEMORY and mount not in ("/dev/shm", "/tmp", "/scratch", "/")):
            continue
        if (device, kind) in seen and kind not in MEMORY | {"overlay"}:
            continue  # the same disk bound to a second place
        seen.add((device, kind))
        size, free = _space(mount, where) if root == Path("/") else (None, None)
        found[mount] = FileSystem(
            mount=mount,
            type=kind,
            device=device,
            where=where,
            size=size,
            free=free,
            writable="rw" in options.split(","),
            rotating=_rotating(root, device),
            notes=("does not answer",) if root == Path("/") and size is None else (),
        )
    notes = () if words else ("the mounts are not readable (/proc/self/mounts)",)
    return FileSystems(mounts=tuple(found.values()), scratch=_scratch(found, environment), notes=notes)


def mount_of(path: str, root: Path = Path("/")) -> tuple[str, str, str] | None:
    """Mount point, type and device of whatever `path` (without symbolic links) lies on, of memory and the kernel's own
    file systems, too; None where the mounts are not readable. Queries no file system.
    """
    words = reading.text(root / "proc/self/mounts") or reading.text(root / "proc/mounts") or ""
    on = [each for each in _mounts(words) if _within(path, each[1])]
    if not on:
        return None
    length = max(len(mount) for _, mount, _, _ in on)
    device, mount, kind, _ = [each for each in on if len(each[1]) == length][-1]  # what was mounted last covers others
    return mount, kind, device


def _mounts(words: str) -> list[tuple[str, str, str, str]]:
    """Device, mount point, type and options of each line; \\040 and its like are turned back."""
    rows = []
    for line in words.splitlines():
        fields = [re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), each) for each in line.split(" ")]
        if len(fields) >= 4:
            rows.append((fields[0], fields[1], fields[2], fields[3]))
    return rows


def _where(kind: str) -> str | None:
    if kind in PARALLEL:
        return "parallel"
    if kind in NETWORK:
        return "network"
    return "memory" if kind in MEMORY else "local" if kind in LOCAL else None


def _space(mount: str, where: str) -> tuple[int | None, int | None]:
    answer: list[os.statvfs_result] = []

    def ask() -> None:
        try:
            answer.append(os.statvfs(mount))
        except OSError:
            return

    if where in ("network", "parallel"):
        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        thread.join(PATIENCE)
    else:
        ask()
    if not answer:
        return None, None
    return answer[0].f_blocks * answer[0].f_frsize, answer[0].f_bavail * answer[0].f_frsize


def _rotating(root: Path, device: str) -> bool | None:
    name = Path(device).name
    if not device.startswith("/dev/"):
        return None
    for disk in reading.entries(root / "sys/block"):
        if name == disk.name or (disk / name).is_dir():
            turns = reading.number(disk / "queue/rotational")
            return None if turns is None else turns == 1
    return None


def _scratch(mounts: Mapping[str, FileSystem], environment: Mapping[str, str]) -> tuple[ScratchFolder, ...]:
    wanted = [(environment.get(name), f"${name}") for name in ("SCRATCH", "LOCAL_SCRATCH", "SLURM_TMPDIR", "TMPDIR")]
    wanted += [("/scratch", "by its name"), ("/tmp", "by its name"), (environment.get("HOME"), "$HOME")]
    found: dict[str, ScratchFolder] = {}
    for path, why in wanted:
        if not path or path in found or not path.startswith("/"):
            continue
        on = max(
            (each for each in mounts.values() if _within(path, each.mount)), key=lambda m: len(m.mount), default=None
        )
        if on is not None and on.notes:
            continue  # asking about a folder there could hang
        if not Path(path).is_dir():
            continue
        found[path] = ScratchFolder(
            path=path,
            why=why,
            mount=on.mount if on else None,
            type=on.type if on else None,
            where=on.where if on else None,
            free=on.free if on else None,
            writable=os.access(path, os.W_OK),
        )
    return tuple(found.values())


def _within(path: str, mount: str) -> bool:
    return mount == "/" or path == mount or path.startswith(mount.rstrip("/") + "/")
