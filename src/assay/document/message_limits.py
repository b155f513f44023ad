"""What a description allows messages at best, as a run's provenance has it (described/limits.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ProtocolLimits:
    """Messages up to a length (B; None: any): processor time at the sender and at the receiver (s)."""

    up_to: float | None
    startup: float
    receive: float


@dataclass(frozen=True, kw_only=True)
class BarrierLimits:
    """The machine's own barrier: its algorithm, and the time of a step (s)."""

    algorithm: Literal["hardware", "dissemination", "tree", "tree-exchange", "linear"]
    step: float


@dataclass(frozen=True, kw_only=True)
class MessageLimits:
    """The bounds of all messages; `rate` (B/s) and what bounds it, None where nothing does.

    `nodes` there are (None: any number), with `per_node` ranks each by default.
    """

    protocols: list[ProtocolLimits]
    rate: float | None = None
    rate_by: str | None = None
    barrier: BarrierLimits | None = None
    nodes: int | None = None
    per_node: int = 1
