"""Workers for the runs of a sweep: threads of this process, processes that end with it, or MPI ranks."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Literal, cast, get_args

from assay.errors import InputError
from assay.search_paths import safe_path

WorkerKind = Literal["processes", "threads", "mpi"]


def kind(name: str) -> WorkerKind:
    """Check an executor's name; for MPI, also that this process was started with ranks as workers."""
    if name not in get_args(WorkerKind):
        raise InputError("no such executor", key="--executor", value=name, accepted=", ".join(get_args(WorkerKind)))
    if name == "mpi":
        _started_for_mpi()
    return cast(WorkerKind, name)


def _started_for_mpi() -> None:
    """Only a process that `python -m mpi4py.futures` started has ranks that wait for work; others would hang."""
    core = sys.modules.get("mpi4py.futures._core")  # not imported here: that alone would initialise MPI
    if core is not None and core.SharedPool is not None:
        return
    from importlib.util import find_spec

    if find_spec("mpi4py") is None:
        raise InputError(
            "mpi4py is not installed", key="--executor", value="mpi", accepted="threads, processes; or install it"
        )
    command = " ".join(sys.argv[1:])
    raise InputError(
        "MPI ranks to work on this are not running",
        key="--executor",
        value="mpi",
        accepted=f"mpiexec -n RANKS python -P -m mpi4py.futures -m assay {command}",
    )


@contextmanager
def executor(which: WorkerKind, workers: int | None) -> Iterator[Executor | None]:
    """Workers of this kind; None where there is one, which is the caller itself.

    After an exception (Ctrl-C too) the workers stop: runs under way end within some hundredths of a second.
    """
    if which == "mpi":
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor(max_workers=workers) as ranks:
            yield ranks
        return
    count = workers or len(os.sched_getaffinity(0))
    if count == 1:
        yield None
    elif which == "threads":
        with _threads(count) as pool:
            yield pool
    else:
        with _processes(count) as pool:
            yield pool


@contextmanager
def _threads(count: int) -> Iterator[Executor]:
    from assay._core import network as core

    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    except BaseException:
        core.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        core.stop(False)


@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    from multiprocessing import forkserver

    from assay.network.with_parent import follow

    try:
        with safe_path():
            forkserver.ensure_running()  # and with it the tracker of resources; workers are forks of it
    except OSError as error:  # its socket lies there, and a socket's path has 107 characters at most
        raise InputError(
            f"worker processes cannot be started: {error.strerror or error}",
            key="TMPDIR",
            value=tempfile.gettempdir(),
            accepted="a folder with a short path; or --executor threads",
        ) from None
    pool = ProcessPoolExecutor(count, mp_context=get_context("forkserver"), initializer=follow)
    try:
        yield pool
    except BaseException:
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
