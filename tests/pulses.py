"""Planted noise: on each processor a process that takes it for a while at random moments, by a law that is known."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LENGTH = 2e-3  # s, of a pulse
GAP = 8e-3  # s, the mean of exponential gaps between one pulse and the next
_PULSES = """
import os, random, sys, time
cpu, length, gap = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
os.sched_setaffinity(0, {cpu})
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # at once, whoever has the processor
except PermissionError:
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
dice = random.Random(cpu)
while True:
    time.sleep(dice.expovariate(1 / gap))
    until = time.perf_counter() + length
    while time.perf_counter() < until:
        pass
"""


@contextmanager
def pulses() -> Iterator[None]:
    """Have every usable processor lose LENGTH / (LENGTH + GAP) of its time, each at moments of its own."""
    made = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", _PULSES, str(cpu), str(LENGTH), str(GAP)])
        for cpu in sorted(os.sched_getaffinity(0))
    ]
    try:
        yield
    finally:
        for process in made:
            process.kill()
            process.wait()
