"""Keys without effect are refused: the author of a file expects an effect.

A key at its default is no fault; nor is a key of the file that is idle only because of what was set
from outside (`--set`, `--sweep`, a variant), so that a sweep over patterns can have hotspots.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from assay.errors import InputError
from assay.toml.source import Keys, Source

PROBLEM = "has no effect here"


@dataclass(frozen=True)
class Idle:
    """A key without effect: its place, why, and what would give it an effect."""

    keys: Keys
    why: str = PROBLEM
    accepted: str = "the key left out"
    value: object = None


def refuse_idle(
    source: Source, found: Iterable[Idle], overridden: Collection[Keys], filed: Callable[[], Iterable[Idle]]
) -> None:
    """Refuse the first key that changes nothing; InputError.

    `overridden`: keys that were set from outside; `filed` finds the idle keys of the file without these.
    """
    own: set[Keys] | None = None
    for each in found:
        if overridden and own is None:
            try:
                own = {one.keys for one in filed()}
            except InputError:  # incomplete without what was set
                own = set()
        if own is None or each.keys in overridden or each.keys in own:
            raise source.error(each.keys, each.why, value=each.value, accepted=each.accepted)
