"""Names of hosts in the form of Slurm, Flux and pdsh: `n[001-003,7]`, `rack[1-2]node[01-03]`, `n1,n2`."""

from __future__ import annotations

import itertools
import re

MOST = 65_536  # hosts of one word
_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_SPAN = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


def split(words: str) -> list[str]:
    """The parts between commas that are in no brackets."""
    return re.split(r",(?![^\[]*\])", words)


def expand(name: str) -> list[str]:
    """All names of a name with ranges, in order; leading zeros are preserved, further brackets multiply.

    ValueError with what is wrong: brackets without a partner, what is no number, a range that runs backwards, too many.
    """
    pieces: list[list[str]] = []
    at = count = 0
    while at < len(name):
        part = _PART.match(name, at)
        if part is None:
            raise ValueError("brackets without a partner")
        pieces.append([part[2]] if part[1] is None else _numbers(part[1]))
        at = part.end()
        count = (count or 1) * len(pieces[-1])
        if count > MOST:
            raise ValueError(f"more than {MOST} hosts")
    return ["".join(each) for each in itertools.product(*pieces)]


def _numbers(ranges: str) -> list[str]:
    """`1-3,007` as numbers with as many digits as the first of each range has."""
    found: list[str] = []
    for each in ranges.split(","):
        span = _SPAN.fullmatch(each)
        if span is None:
            raise ValueError(f"'{each}' is no number and no range of numbers")
        first, last = int(span[1]), int(span[2] or span[1])
        if last < first:
            raise ValueError(f"the range '{each}' runs backwards")
        if len(found) + last - first >= MOST:
            raise ValueError(f"more than {MOST} hosts")
        found += [f"{number:0{len(span[1])}d}" for number in range(first, last + 1)]
    return found
