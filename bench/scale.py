"""`./x bench scale`: very many ranks on a described machine, CPU time of the whole command on one core and its memory,
beside what is asked of it.

What bounds it: a message visits some forty cache lines that a million ranks have in no cache (the sender's frame, the
message twice, its worm at every hop, the words of its path twice, the receive, the receiver's frame).
SimGrid's SMPI (flow level, its default) took 23.7 s for an all-to-all among 128 ranks.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CASES: dict[str, tuple[list[str], float, float]] = {  # words, seconds asked for, bytes asked for
    "barrier of 1,048,576": (
        ["barrier", "--set", "machine.network.dimension=20", "-n", "1048576", "--set", "algorithm=dissemination"],
        20.0,
        2.5e9,
    ),
    "all-to-all of 1 KiB on 1,024": (
        ["alltoall", "--set", "machine.network.dimension=10", "-n", "1024", "--set", "bytes=1024"],
        2.0,
        2.5e9,
    ),
}


def measured(words: list[str]) -> dict[str, Any]:
    """CPU seconds, bytes at most, and messages of `assay run … --on ipsc860 --json` in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "assay", "run", words[0], "--on", "ipsc860", *words[1:], "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [*command, "--out", str(Path(folder) / "run")], capture_output=True, text=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "bytes": after.ru_maxrss * 1024,
        "messages": sum(where["messages"] for where in json.loads(done.stdout)["where"]),
    }


def main(argv: list[str]) -> int:
    """Print a table, or with `--json` one document; status 3 where a mark is missed."""
    parser = argparse.ArgumentParser(prog="./x bench scale")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    given = parser.parse_args(argv)
    start = measured(["echo", "-n", "2", "--set", "bytes=8", "--set", "hops=1"])["seconds"]
    rows = []
    for name, (words, seconds, size) in CASES.items():
        if given.only in name:
            seen = measured(words)
            rows.append({"case": name, **seen, "asked_seconds": seconds, "asked_bytes": size, "start": start})
    if given.json:
        print(json.dumps(rows))
    else:
        print(f"{'case':32} {'CPU s':>8} {'asked':>6} {'GB':>6} {'asked':>6} {'messages':>10} {'ns a message':>13}")
        for row in rows:
            each = (row["seconds"] - start) / max(1, row["messages"]) * 1e9
            print(
                f"{row['case']:32} {row['seconds']:8.2f} {row['asked_seconds']:6g} {row['bytes'] / 1e9:6.2f} "
                f"{row['asked_bytes'] / 1e9:6g} {row['messages']:10d} {each:13.0f}"
            )
        print(f"of each, {start:.2f} s start and report a run of nothing")
    missed = any(row["seconds"] > row["asked_seconds"] or row["bytes"] > row["asked_bytes"] for row in rows)
    return 3 if missed else 0
