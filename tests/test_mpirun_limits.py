"""More ranks of an MPI program than this computer can have are refused by the limit's name, before anything starts."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.mpi import limits


def computer(root: Path, *, pid_max: int, threads: int, running: int, group: str, pids: str, there: int) -> Path:
    """The files that are read, in a folder: `group` as /proc/self/cgroup has it."""
    kernel, folder = root / "proc/sys/kernel", root / "sys/fs/cgroup" / group.split(":")[1] / "a/b"
    for each in (kernel, root / "proc/self", folder):
        each.mkdir(parents=True)
    (kernel / "pid_max").write_text(f"{pid_max}\n")
    (kernel / "threads-max").write_text(f"{threads}\n")
    (root / "proc/loadavg").write_text(f"0.10 0.20 0.30 2/{running} 4711\n")
    (root / "proc/self/cgroup").write_text(f"12:memory:/other\n{group}\n")
    (folder.parent / "pids.max").write_text(f"{pids}\n")  # of the group above
    (folder.parent / "pids.current").write_text(f"{there}\n")
    (folder / "pids.max").write_text("max\n")
    return root


CASES = [
    (
        {"pid_max": 5000, "threads": 90_000, "running": 100, "group": "0::/a/b", "pids": "max", "there": 9},
        4892,
        "pid_max is 5000",
    ),
    (
        {"pid_max": 50_000, "threads": 900, "running": 100, "group": "0::/a/b", "pids": "max", "there": 9},
        792,
        "threads-max is 900",
    ),
    (
        {"pid_max": 50_000, "threads": 90_000, "running": 1, "group": "0::/a/b", "pids": "512", "there": 12},
        492,
        "a/pids.max is 512",
    ),
    (
        {"pid_max": 50_000, "threads": 90_000, "running": 1, "group": "3:pids:/a/b", "pids": "512", "there": 12},
        492,
        "pids/a/pids",
    ),
]


@pytest.mark.parametrize(("there", "most", "limit"), CASES)
def test_the_least_limit_counts_and_is_named(
    there: dict[str, object], most: int, limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.resource, "getrlimit", lambda which: (resource.RLIM_INFINITY,) * 2)
    root = computer(tmp_path, **there)  # type: ignore[arg-type]
    limits.check(most, mpich=False, root=root)
    with pytest.raises(InputError) as refused:
        limits.check(most + 1, mpich=False, root=root)
    text = str(refused.value)
    assert text.startswith(f"-n: more ranks than processes that can be started on this computer; got {most + 1}, ")
    assert f"expected 1 to {most} (" in text and limit in text


def test_without_these_files_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits.resource, "getrlimit", lambda which: (resource.RLIM_INFINITY,) * 2)
    limits.check(1 << 20, mpich=True, root=tmp_path)


def test_open_files_of_the_launcher_count_under_mpich(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit that may be raised is, up to the one that may not."""
    now = {resource.RLIMIT_NOFILE: (1024, 4096)}
    monkeypatch.setattr(limits.resource, "getrlimit", lambda which: now.get(which, (resource.RLIM_INFINITY,) * 2))
    monkeypatch.setattr(limits.resource, "setrlimit", now.__setitem__)
    limits.check(100, mpich=True, root=tmp_path)
    assert now[resource.RLIMIT_NOFILE] == (1024, 4096)
    limits.check(1000, mpich=True, root=tmp_path)
    assert now[resource.RLIMIT_NOFILE] == (4064, 4096)
    with pytest.raises(InputError, match=r"got 2000, expected 1 to 1008 \(ulimit -n is 4096"):
        limits.check(2000, mpich=True, root=tmp_path)
    limits.check(2000, mpich=False, root=tmp_path)
