"""What the programs of all launches noted, each thing once: launches that counted differently are summed up.

A note is what its program wrote, so that its words tell what its numbers are: of `12 of 300 …` both numbers are summed,
of `… within 1.5 us` the greatest stands. Whatever else differs from launch to launch stands as each wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_COUNTED = re.compile(r"(\d+) of (\d+) (.+)")
_WITHIN = re.compile(r"(.+ within )(\d+(?:\.\d+)?)( .+)?")


def launch_notes(launches: Iterable[Sequence[str]]) -> list[str]:
    """The notes of all launches in the order in which they first came."""
    counted: dict[str, tuple[int, int]] = {}
    within: dict[tuple[str, str], float] = {}
    made: dict[str, None] = {}
    every = [note for notes in launches for note in notes]
    for note in every:
        if count := _COUNTED.fullmatch(note):
            some, of, what = int(count[1]), int(count[2]), count[3]
            before = counted.get(what, (0, 0))
            counted[what] = before[0] + some, before[1] + of
        elif most := _WITHIN.fullmatch(note):
            words = most[1], most[3] or ""
            within[words] = max(within.get(words, 0.0), float(most[2]))
    for note in every:
        if count := _COUNTED.fullmatch(note):
            some, of = counted[count[3]]
            made[f"{some} of {of} {count[3]}"] = None
        elif most := _WITHIN.fullmatch(note):
            words = most[1], most[3] or ""
            made[f"{words[0]}{within[words]:.3g}{words[1]}"] = None
        else:
            made[note] = None
    return list(made)
