"""Calls the command line in this process, as a shell would: arguments in, status and both streams out."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from dataclasses import dataclass
from typing import Any
from unittest import mock

from assay.cli import main


@dataclass(frozen=True)
class Answer:
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output; fails where there is anything else."""
        return json.loads(self.out)


def assay(*arguments: str) -> Answer:
    """Run `assay ARGUMENT…`."""
    out, err = io.StringIO(), io.StringIO()
    status: Any = 0
    with (
        mock.patch.object(sys, "argv", ["assay", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            status = stop.code
    return Answer(0 if status is None else int(status), out.getvalue(), err.getvalue())
