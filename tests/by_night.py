"""Cases of a test of which a few run each time, and the others by `./x test --nightly`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def by_night(cases: Iterable[Any], always: Iterable[Any]) -> list[Any]:
    """Mark the cases that are not in `always`, which are all among them, as nightly."""
    every, chosen = list(cases), list(always)
    assert chosen and all(each in every for each in chosen), "a case that runs each time is no case"
    return [
        each if each in chosen else pytest.param(*_values(each), marks=pytest.mark.nightly, id=_id(each))
        for each in every
    ]


def first_by_day(cases: Iterable[Any]) -> list[Any]:
    """Mark all cases but the first, where there is one, as nightly: MPIs where it does not matter which."""
    every = list(cases)
    return by_night(every, every[:1]) if every else []


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)


def _id(case: Any) -> str | None:
    return case if isinstance(case, str) else None
