"""The reference pages say what the code says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_fresh() -> None:
    made = subprocess.run([sys.executable, ROOT / "docs" / "write.py", "--check"], capture_output=True, text=True)
    assert made.returncode == 0, f"{made.stderr} (run ./x docs)"
