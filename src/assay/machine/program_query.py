"""A short question to another program: it ends, with all it started, with its time, a budget, or a signal to Assay.

Such calls are made in threads, which a signal does not reach.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence

from assay import stops
from assay.since_start import within

PATIENCE = 5.0  # s
TIMED_OUT = 124  # the exit status that is given then


def answer(command: Sequence[str], given: str | None = None, patience: float = PATIENCE) -> tuple[int, str]:
    """Run a command with `given` as its standard input; what it wrote to both outputs. Never raises.

    It ends after `patience` s with status TIMED_OUT.
    """
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return 127, str(error)

    def end() -> None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)

    with process:
        try:
            with stops.current().also_ending(end):
                output, _ = process.communicate(given, within(patience))
        except subprocess.TimeoutExpired:
            end()
            return TIMED_OUT, ""
        except BaseException:
            end()
            raise
    return process.returncode, output
