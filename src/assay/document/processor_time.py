"""Processor time of a benchmark's launches, as its programs state it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from assay.document.json_form import WRITTEN_IF_SET


@dataclass(frozen=True, kw_only=True)
class ProcessorTime:
    """Seconds of all processes of `launches` complete launches, on all their hosts: in user code, and in the kernel.

    `elapsed`: wall seconds of the same launches, from their start to their end, where the run's journal has them.
    """

    launches: int
    user: float
    system: float
    elapsed: Annotated[float | None, WRITTEN_IF_SET] = None
