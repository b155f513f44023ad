"""Where this process and those that it starts look for code: never in the folder that Assay happens to be started in.

An empty entry of PYTHONPATH, PATH, LD_LIBRARY_PATH and the compilers' lists means that folder, and `export
PATH=$PATH:$NEW` makes one where a variable is empty. `python -m` and `python -c` put it before all others.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

_PYTHON = "PYTHONPATH"
_LISTS = (
    *(_PYTHON, "PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "COMPILER_PATH"),
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"),
)

_MODULES = (("-m", "assay"), ("-m", "mpi4py.futures"))


def leave_out_current_folder() -> None:
    """Take the current folder out of this process's own paths, and out of those that its children inherit.

    A folder that is named by an absolute path stays, also where it is the current one.
    """
    named = os.environ.get(_PYTHON, "").split(os.pathsep)
    by_environment = _PYTHON in os.environ and any(_names_current(each) for each in named)
    for key in _LISTS:
        if key in os.environ:
            entries = os.environ[key].split(os.pathsep)
            kept = [each for each in entries if not _names_current(each)]
            if kept and kept != entries:
                os.environ[key] = os.pathsep.join(kept)
            elif not kept:
                del os.environ[key]
    try:
        here = os.path.realpath(os.curdir)
    except OSError:  # it is gone
        here = ""
    absolute = (by_environment or _started_as_module()) and here not in named
    sys.path[:] = [
        each for each in sys.path if not _names_current(each) and not (absolute and os.path.realpath(each) == here)
    ]


def _names_current(entry: str) -> bool:
    """Whether an entry names the current folder, whatever that is: empty, `.`, `./`."""
    return not entry or os.path.normpath(entry) == os.curdir


def _started_as_module() -> bool:
    """Whether this process is `python -m assay`, or a rank of `python -m mpi4py.futures -m assay`."""
    pairs = zip(sys.orig_argv, sys.orig_argv[1:], strict=False)
    return not sys.flags.safe_path and any(pair in _MODULES for pair in pairs)


@contextlib.contextmanager
def safe_path() -> Iterator[None]:
    """While a Python process is started whose command line is not ours to write, as those of multiprocessing."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before
