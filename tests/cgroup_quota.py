"""A cgroup with a share of a processor, for tests: version 1 or 2 of the kernel's control groups."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def processor_share(share: float, period: int = 100_000) -> Iterator[list[str]]:
    """A command's beginning that puts it into a cgroup with this share of a processor; skips where none can be made.

    `period`: of the quota [us]; a repetition that is much shorter may be as fast as without it.
    """
    name = f"assay-test-{os.getpid()}"
    old, new = Path("/sys/fs/cgroup/cpu") / name, Path("/sys/fs/cgroup") / name
    folder = old if old.parent.is_dir() else new
    try:
        folder.mkdir()
        if folder == old:
            (folder / "cpu.cfs_period_us").write_text(str(period))
            (folder / "cpu.cfs_quota_us").write_text(f"{period * share:.0f}")
        else:
            (folder / "cpu.max").write_text(f"{period * share:.0f} {period}")
    except OSError as error:
        if folder.is_dir():
            folder.rmdir()
        pytest.skip(f"no cgroup can be made here ({error.strerror})")
    try:
        yield ["sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh"]
    finally:
        for _ in range(50):
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.1)
