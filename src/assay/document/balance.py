"""The balance of a machine: how many flops it computes while memory moves a byte."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class MachineBalance:
    """Flops of `rate` for each byte of `bandwidth`: what computes fewer per byte from memory is limited by it.

    `range`: the least rate over the greatest bandwidth, and the reverse, over launches. `sources`: which figure and
    case each of both is, in words.
    """

    against: str
    flop_per_byte: float
    range: list[float]
    rate: float
    bandwidth: float
    threads: int
    sources: list[str]
