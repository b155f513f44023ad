"""Lines of where an application's time goes (event `account`; their form: programs/applications/account.hpp)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from assay.case import Case
from assay.samples import Circumstance, case_of

MOST = 1e18  # of any number in them
BY_RANK = ("computing", "communicating", "ended", "user", "system", "memory")
ON_REAL = ("user", "system", "memory")  # empty on a described machine


class Account(TypedDict):
    """Times, calls and messages of one case: seconds and bytes, `ranks` numbers each of what is by rank."""

    params: Case
    ranks: int
    time: float
    calls: dict[str, tuple[float, float, float]]
    kernels: dict[str, tuple[float, float, float]]
    lengths: list[tuple[float, float, float]]
    waits: list[tuple[int, int, float]]
    messages: list[tuple[float, float]]
    computing: list[float]
    communicating: list[float]
    ended: list[float]
    user: list[float]
    system: list[float]
    memory: list[float]


@dataclass(frozen=True)
class AccountLine:
    """The account of one case in one launch: as the event has it, lists checked, params separate."""

    case: Case
    ranks: int
    account: Account


def account_line(event: Mapping[str, object], about: Circumstance) -> AccountLine:
    """Read a line of a launch that is `about`. ValueError for impossible values."""
    ranks = event.get("ranks")
    if type(ranks) is not int or not 1 <= ranks < 2**31:
        raise ValueError(f"ranks: got {ranks!r}, expected a number of ranks")
    by_rank = {key: _numbers(key, event.get(key)) for key in BY_RANK}
    for key, values in by_rank.items():
        if len(values) != ranks and (values or key not in ON_REAL):
            raise ValueError(f"{key}: got {len(values)} values, expected one for each of {ranks} ranks")
    case = case_of(event, about)
    (time,) = _numbers("time", [event.get("time")])
    account = Account(
        params=case,
        ranks=ranks,
        time=time,
        calls=_threes("calls", event.get("calls")),
        kernels=_threes("kernels", event.get("kernels")),
        lengths=[(each[0], each[1], each[2]) for each in _rows("lengths", event.get("lengths"), 3)],
        waits=[(int(each[0]), int(each[1]), each[2]) for each in _rows("waits", event.get("waits"), 3)],
        messages=[(each[0], each[1]) for each in _rows("messages", event.get("messages", []), 2)],
        computing=by_rank["computing"],
        communicating=by_rank["communicating"],
        ended=by_rank["ended"],
        user=by_rank["user"],
        system=by_rank["system"],
        memory=by_rank["memory"],
    )
    return AccountLine(case, ranks, account)


def _numbers(key: str, values: object) -> list[float]:
    if not isinstance(values, list):
        raise ValueError(f"{key}: got {str(values)[:40]!r}, expected a list of numbers")
    for value in values:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or abs(value) > MOST
        ):
            raise ValueError(f"{key}: got {value!r}, expected finite numbers")
    return [float(value) for value in values]


def _rows(key: str, values: object, wide: int) -> list[list[float]]:
    if not isinstance(values, list):
        raise ValueError(f"{key}: got {str(values)[:40]!r}, expected a list")
    rows = [_numbers(key, row) for row in values]
    if any(len(row) != wide for row in rows):
        raise ValueError(f"{key}: expected lists of {wide} numbers")
    return rows


def _threes(key: str, values: object) -> dict[str, tuple[float, float, float]]:
    if not isinstance(values, dict):
        raise ValueError(f"{key}: got {str(values)[:40]!r}, expected an object")
    rows = _rows(key, list(values.values()), 3)
    return {str(name): (row[0], row[1], row[2]) for name, row in zip(values, rows, strict=True)}
