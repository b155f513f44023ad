"""Rounds of `assay watch` in the foreground, each a process of its own, until a signal ends them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TextIO

from assay.errors import InterruptError
from assay.execute.plan import check_profile, select_benchmarks
from assay.execute.run_request import seconds

GIVE_UP = 30.0  # s after SIGTERM


def check_options(options: Mapping[str, object]) -> list[str]:
    """The words of a round's options. InputError for what a round would refuse."""
    profile, only, budget = (
        None if options[key] is None else str(options[key]) for key in ("profile", "only", "budget")
    )
    check_profile(str(profile))
    select_benchmarks(only, first_look=profile == "quick", profile=str(profile))
    seconds(budget, "--budget")
    names = {"only": "--only", "profile": "--profile", "budget": "--budget", "metrics": "--metrics"}
    names["regression"] = "--fail-on-regression"
    given = {flag: str(options[key]) for key, flag in names.items() if options[key] is not None}
    return [word for flag, value in given.items() if (flag, value) != ("--profile", "quick") for word in (flag, value)]


def rounds(words: Sequence[str], every: float, say: TextIO) -> None:
    """Make a round each `every` seconds from the beginning of the last one; InterruptError at a signal."""
    made = 0
    try:
        while True:
            began = time.monotonic()
            status = _round(words)
            made += 1
            left = max(0.0, began + every - time.monotonic())
            say.write(f"assay: round {made} ended with status {status}; the next one in {left / 60:.0f} min\n")
            say.flush()
            time.sleep(left)
    except KeyboardInterrupt:
        raise InterruptError(f"interrupted after {made} round{'s' * (made != 1)}; their runs are stored") from None


def _round(words: Sequence[str]) -> int:
    with subprocess.Popen([sys.executable, "-P", "-m", "assay", "watch", "--once", *words]) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GIVE_UP)
            process.kill()
            raise
