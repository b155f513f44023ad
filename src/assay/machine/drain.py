"""The line that takes a node out of Slurm's use, for a person to read and run: Assay never runs it."""

from __future__ import annotations

import re
import shlex

MOST = 120  # characters of a reason


def drain_line(node: str, why: str) -> str:
    """`scontrol update` that drains a node with a reason of one line, quoted for a shell."""
    reason = re.sub(r"[\s\"=]+", " ", f"assay: {why}").strip()
    reason = reason if len(reason) <= MOST else f"{reason[: MOST - 3]}..."
    return shlex.join(["scontrol", "update", f"NodeName={node}", "State=DRAIN", f"Reason={reason}"])
