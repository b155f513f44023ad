"""`./x bench device_check FOLDER`: what a machine with a device is measured with, in at most 10 minutes.

Memory, peaks, matrix products by our kernel and by the vendor's library, copies by NUMA node, latency, launches and
overlap: three launches of each, in turn, as far as the time goes. The best case of each kernel and type is shown with
its share of what the vendor states. FOLDER gets the programs, compiled for any x86-64-v2, and a script for bash (with
`timeout`, `dirname` and `rm`), so that the machine with the device needs neither Assay nor a compiler; it needs the
device's driver, and for CUDA NVRTC and cuBLAS:

    ./x bench device_check FOLDER --prepare     # here
    bash FOLDER/check.sh                        # there, then FOLDER back
    ./x bench device_check FOLDER --show        # here
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.execute.build import build
from assay.report.judge.device_statements import BY, stated_of
from assay.report.units import human
from bench._program_output import run

LIMIT, LAUNCHES = 570, 3  # s of all
# The name of each part of a launch, its benchmark and settings; what matters most first.
PARTS = {
    "memory": ("device-stream", ("width=1,2", "bytes=0")),
    "products": (
        "device-gemm",
        ("code=library", "n=4096,8192", "type=float64,float32,tf32,bfloat16,float16,float8,int8"),
    ),
    "peaks": ("device-peak", ("width=2,4",)),
    "copies": ("device-copy", ("bytes=16777216,67108864",)),
    "own": ("device-gemm", ("code=ours", "n=1024,4096", "type=float64,float32")),
    "latency": ("device-latency", ()),
    "launches": ("device-launch", ()),
    "overlap": ("device-overlap", ()),
    "sizes": ("device-stream", ("kernel=triad", "width=1")),
}
UNITS = {"device-stream": "B/s", "device-copy": "B/s", "device-peak": "flop/s", "device-gemm": "flop/s"}
SCRIPT = """#!/usr/bin/env bash
# Written by ./x bench device_check. At most SECONDS (first argument, {limit}); lines of the programs beside this file.
set -u
cd "$(dirname "$0")"
end=$((SECONDS + ${{1:-{limit}}}))
part() {{
  local name=$1 left=$((end - SECONDS))
  shift
  [ "$left" -ge 3 ] || {{ echo "$name: no time is left"; return; }}
  timeout "$left" "$@" --out "$name.lines" || echo "$name: ended with status $?"
}}
rm -f ./*.lines
"""


def prepare(folder: Path, device: str) -> None:
    """Put programs and script into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["CXXFLAGS"] = "-O2 -march=x86-64-v2 -static-libstdc++ -static-libgcc"
    records = {name: benchmark(name) for name, _ in PARTS.values()}
    for name, built in build(list(records.values()), mpi=None, progress=print).items():
        shutil.copy2(built.path, folder / name)
    lines = [SCRIPT.format(limit=LIMIT)]
    for launch in range(LAUNCHES):
        for part, (name, settings) in PARTS.items():
            words = [word for each in (f"device={device}", *settings) for word in ("--set", each)]
            words += ["--profile", "standard", "--seed", str(launch + 1), "--launch", str(launch)]
            words = [f"./{name}", *program_words(records[name], words)]
            lines.append(f"part {part}-{launch} {shlex.join(words)}\n")
    (folder / "check.sh").write_text("".join(lines))


@dataclass
class Best:
    """The readings of a case in all launches, and how many of its checks failed."""

    times: list[float] = field(default_factory=list)
    failed: int = 0


def show(folder: Path) -> int:
    """Print what the programs wrote; 1 where a check failed or there is nothing."""
    cases: dict[tuple[str, str, str], Best] = defaultdict(Best)
    notes: dict[str, None] = {}
    for path, event in _events(folder):
        name = PARTS[path.stem.rpartition("-")[0]][0]
        params = dict(event.get("case") or {})
        key = name, str(params.pop("name", "")), " ".join(f"{k}={v}" for k, v in params.items() if k != "on")
        if event["event"] == "block" and event["metric"] in ("time", "hidden"):
            cases[key].times += event["values"]
        elif event["event"] == "check" and not event["passed"]:
            cases[key].failed += 1
        elif event["event"] in ("note", "doubt", "skip"):
            notes[f"{event['event']}: {event['text']}"] = None
        elif event["event"] == "device":
            limits, others = ([each for each in event[key] if each is not None] for key in ("limits", "others"))
            slowed = f"{sum(map(bool, limits)) / len(limits):.0%}" if limits else "an unknown part"
            more = f"{max(others):g}" if others else "an unknown number of"
            notes[f"{path.stem}: {event['device']} slowed down in {slowed} of looks, {more} others"] = None
    for (name, device, case), best in cases.items():
        print(f"{name}: {case}: {_words(name, device, case, best)}")
    print(*notes, sep="\n")
    return 0 if cases and not any(each.failed for each in cases.values()) else 1


def _events(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(folder.glob("*.lines")):
        for line in path.read_text().splitlines():
            yield path, json.loads(line)


def _words(name: str, device: str, case: str, best: Best) -> str:
    failed = f"; {best.failed} checks FAILED" if best.failed else ""
    if not best.times:
        return f"no reading{failed}"
    if name == "device-overlap":
        return f"{max(best.times):.0%} hidden at best{failed}"
    least = min(best.times)
    if name not in UNITS:
        return human(least, "s", 3) + failed
    text = human(1 / least, UNITS[name], 3)
    of = dict(word.split("=", 1) for word in case.split()).get(BY.get(name, ""), "")
    known = stated_of(device)
    stated = known.rate(name, of, "cuda:0") if known else None
    beside = f", {1 / least / stated:.0%} of {human(stated, UNITS[name], 3)} as stated" if stated else ""
    return text + beside + failed


def main(arguments: list[str]) -> int:
    """Prepare, run and show, or one of these."""
    parser = argparse.ArgumentParser(prog="./x bench device_check", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("folder", type=Path, help="for programs, script and lines")
    parser.add_argument("--device", default="cuda", help="cuda, opencl, or one of them as cuda:0 (cuda)")
    parser.add_argument("--seconds", type=int, default=LIMIT, help=f"of measuring ({LIMIT})")
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--prepare", action="store_true", help="programs and script alone")
    alone.add_argument("--show", action="store_true", help="what the script wrote")
    given = parser.parse_args(arguments)
    if not given.show:
        prepare(given.folder, given.device)
    if not given.show and not given.prepare:
        command = ["bash", str(given.folder / "check.sh"), str(given.seconds)]
        print(run(command, limit=given.seconds + 60).stdout, end="")
    return 0 if given.prepare else show(given.folder)
