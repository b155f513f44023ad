"""Which Assay is installed: its version, written in `assay/__init__.py` alone, and the commit that it is made from."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from assay import __version__

_PACKAGE = Path(__file__).resolve().parent
_WRITTEN = _PACKAGE / "_commit"  # by the build of a wheel (cmake/commit.cmake)
_DIGITS = 12  # of a commit: enough to identify one
_WITHIN = 5.0  # s, for git


def version() -> str:
    """Give the version and, where it is known, the commit: `0.2.0 (commit 0123456789ab)`."""
    made_from = commit()
    return __version__ if made_from is None else f"{__version__} (commit {made_from})"


@functools.cache
def commit() -> str | None:
    """The commit that a wheel was made from, or a checkout's; None where neither is known, as without git."""
    if _WRITTEN.is_file():
        return _WRITTEN.read_text(encoding="ascii", errors="replace").strip()[:_DIGITS] or None
    checkout = _PACKAGE.parent.parent
    if not (checkout / ".git").exists() or not (checkout / "x").is_file():
        return None
    try:
        answer = subprocess.run(
            ["git", "-C", str(checkout), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=_WITHIN,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()[:_DIGITS] or None if answer.returncode == 0 else None
