"""An element of SimGrid's XML: its attributes as numbers in SI units, and errors that name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError

MOST_SECONDS = 1e6  # of a latency
BANDWIDTH = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?)\s*(?:([kKMGTPE]?)(i?)(Bps|bps))?")
TIME = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?)\s*(ps|ns|us|ms|s|m|h|d|w)?")
SECONDS = {
    "ps": 1e-12,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
}


@dataclass(frozen=True)
class Element:
    """An element of the file: where it begins, and its attributes."""

    file: Path
    line: int
    name: str
    given: dict[str, str]

    def wrong(self, key: str, problem: str, accepted: str) -> InputError:
        """An error about an attribute."""
        where = f"{self.name} {key}"
        return InputError(
            problem, file=self.file, line=self.line, key=where, value=self.given.get(key), accepted=accepted
        )

    def integers(self, key: str, text: str) -> list[int]:
        """A list of whole numbers above 0 with commas."""
        words = text.split(",")
        if not all(word.strip().isascii() and word.strip().isdigit() and int(word) > 0 for word in words):
            raise self.wrong(key, "is no list of whole numbers above 0", "such as 3,2,2")
        return [int(word) for word in words]

    def rate(self, key: str) -> float:
        """A bandwidth in B/s."""
        found = BANDWIDTH.fullmatch(self.given.get(key, "").strip())
        if found is None or not float(found[1]) > 0:
            raise self.wrong(key, "is no bandwidth", 'such as "125MBps" or "1Gbps"')
        step = 1024 if found[3] else 1000
        power = "kMGTPE".index(found[2].replace("K", "k")) + 1 if found[2] else 0
        return float(found[1]) * float(step**power) / (8 if found[4] == "bps" else 1)

    def seconds(self, key: str) -> float:
        """A time."""
        found = TIME.fullmatch(self.given.get(key, "0").strip())
        seconds = None if found is None else float(found[1]) * SECONDS[found[2] or "s"]
        if seconds is None or seconds > MOST_SECONDS:
            raise self.wrong(key, "is no latency", 'such as "50us"')
        return seconds

    def count(self) -> int:
        """How many hosts `radical` names, such as 0-99 or 0,2-4,6."""
        count = 0
        for part in re.split("[,;]", self.given.get("radical", "")):
            ends = part.strip().split("-")
            if (
                len(ends) > 2
                or not all(end.isascii() and end.isdigit() for end in ends)
                or int(ends[0]) > int(ends[-1])
            ):
                raise self.wrong("radical", "names no hosts", "such as 0-99, or 0,2-4")
            count += int(ends[-1]) - int(ends[0]) + 1
        if count > 4194304:
            raise self.wrong("radical", f"names {count:,} hosts", "up to 4,194,304")
        return count
