"""Errors for the user: one line, and an exit status (docs/usage.md, Output and exit status)."""

from __future__ import annotations

import sys


class AssayError(Exception):
    """Something that the user can mend. `str()` of it is the whole message; `status` the exit status."""

    status = 2


class InputError(AssayError):
    """The command or its input is wrong: names file, line, key, the value seen and what is accepted."""

    status = 2

    def __init__(
        self,
        problem: str,
        *,
        file: object = None,
        line: int | None = None,
        key: str | None = None,
        value: object = None,
        accepted: str | None = None,
    ) -> None:
        """Compose the message; `problem` alone must already make sense to a reader."""
        where = "" if file is None else f"{file}:{line}: " if line is not None else f"{file}: "
        parts = [f"{where}{f'{key}: ' if key else ''}{problem}"]
        given = [] if value is None else [f"got {value!r}"]
        wanted = [f"expected {accepted}"] if accepted else []
        super().__init__("; ".join([*parts, *([", ".join([*given, *wanted])] if given or wanted else [])]))


class InterruptError(AssayError):
    """Ctrl-C: `str()` of it states what is stored and how to resume, where that is possible."""

    status = 130


class MeasurementError(AssayError):
    """A measurement failed or is invalid: a compiler, a launcher, a rank or a check failed."""

    status = 1


class StorageError(MeasurementError):
    """The storage failed a run that was being measured: `str()` of it states what is stored and how to resume.

    Neither wrong input, nor a launch that failed: no other launch would do better, and the run is not done.
    """


class NotGrantedError(MeasurementError):
    """A batch system had not granted the nodes of a launch when the command's budget ended: nothing was started."""


def warn(text: str) -> None:
    """A warning in one line on standard error about an answer that is given all the same."""
    sys.stderr.write(f"assay: warning: {text}\n")
