"""A worker process ends with the process that started it, however that one ends, also by SIGTERM or SIGKILL.

Only the standard library: a worker imports this first, before numpy, so that a Ctrl-C at the terminal, which reaches
every process of the group, is handled by the parent alone from the beginning. The workers' fork server ends with the
last of them: it waits for all of its clients.
"""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import parent_process


def follow() -> None:
    """Begin a worker: ignore Ctrl-C, and exit at once when the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait, daemon=True).start()


def _wait() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()  # a pipe whose other end only the parent has; a simulation does not hold the GIL
        os._exit(1)
