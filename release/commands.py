"""Commands that packing starts in the checkout, and where it works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = Path(os.environ.get("ASSAY_BUILD") or ROOT / "build") / "wheel"


class PackingError(Exception):
    """What prevents a wheel, in a line or two."""


def uv(*words: str) -> list[str]:
    """Give a command of the checkout's uv; what it prints is seen where it fails."""
    return [str(Path(sys.executable).with_name("uv")), *words]


def run(command: Sequence[str], environment: dict[str, str] | None = None) -> None:
    """Run a command; PackingError, with all that it printed on standard error, where it fails."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise PackingError(f"status {done.returncode} of {' '.join(command)}")
