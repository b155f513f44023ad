"""A file of hosts as MPIs and batch systems write it.

* Open MPI: `host slots=4 max_slots=8`; a host that is there again adds its slots.
* MPICH and Intel MPI: `host:4`.
* PBS (`$PBS_NODEFILE`): a line for each process, so that a host is there as often as it has slots.
* Slurm: `n[001-003,7]`, also several with commas between.
* IPv6 addresses, with brackets where slots are behind them: `[2001:db8::1]:4`.

Comments run from `#` on. What other dialects have (a user, a binding, a queue) is refused by its name.
"""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

from assay import input_file
from assay.errors import InputError
from assay.machine import host_ranges

ACCEPTED = "HOST, HOST:N, HOST slots=N [max_slots=N], with ranges as in n[001-003]"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
_ADDRESS = re.compile(r"[0-9a-f:.]+(%[A-Za-z0-9_.-]+)?", re.ASCII)
_SLOTS = {"slots": "slots", "count": "slots", "max_slots": "most", "max-slots": "most"}
_COUNT = re.compile(r"0*[1-9]\d{0,8}", re.ASCII)


def read_hosts(path: Path) -> dict[str, int | None]:
    """Hosts of a file with their slots (None: not given); InputError names the line that is wrong."""
    data = input_file.content(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at, seen = data[: error.start].count(b"\n") + 1, data[error.start : error.end].hex()
        raise InputError("is not text in UTF-8", file=path, line=at, value=f"byte 0x{seen}") from None
    listed: list[tuple[str, int | None]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            listed += _line(words)
        except _WrongWordError as wrong:
            raise InputError(wrong.why, file=path, line=number, value=wrong.word, accepted=ACCEPTED) from None
        if len(listed) > host_ranges.MOST:
            raise InputError(f"more than {host_ranges.MOST} hosts", file=path, line=number, accepted=ACCEPTED)
    repeated = len({host for host, _ in listed}) < len(listed)
    hosts: dict[str, int | None] = {}
    for host, slots in listed:
        counted = slots or (1 if repeated else None)  # where hosts are repeated each line is a process
        hosts[host] = counted if hosts.get(host) is None else (hosts[host] or 0) + (counted or 0)
    return hosts


class _WrongWordError(Exception):
    """A word of a line that is not understood, and why."""

    def __init__(self, word: str, why: str) -> None:
        super().__init__(why)
        self.word, self.why = word, why


def _line(words: list[str]) -> list[tuple[str, int | None]]:
    """The hosts of one line."""
    first, *options = words
    given: dict[str, int] = {}
    for word in options:
        key, equals, value = word.partition("=")
        if not equals or key.lower() not in _SLOTS or not _COUNT.fullmatch(value):
            raise _WrongWordError(word, "not understood")
        given[_SLOTS[key.lower()]] = int(value)
    slots, most = given.get("slots"), given.get("most")
    if slots and most and slots > most:
        raise _WrongWordError(" ".join(options), "more slots than its greatest number")
    found: list[tuple[str, int | None]] = []
    for name in host_ranges.split(first):
        bare, own = _slots_behind(name)
        if own and slots:
            raise _WrongWordError(" ".join(words), "slots are there twice")
        found += [(host, own or slots or most) for host in _names(bare)]
    return found


def _slots_behind(name: str) -> tuple[str, int | None]:
    """A name without its `:N`, and N."""
    address = re.fullmatch(r"\[([^\[\]]*:[^\[\]]*)\](?::(.*))?", name)
    if address:
        bare, count = address[1], address[2]
    elif name.count(":") == 1:
        bare, count = name.split(":")
    else:
        return name, None
    if count is not None and not _COUNT.fullmatch(count):
        raise _WrongWordError(name, "no number of slots behind the colon")
    return bare, int(count) if count else None


def _names(name: str) -> list[str]:
    """The hosts of one word."""
    if "@" in name:
        raise _WrongWordError(name, "a user before a host is not accepted: set `User` in ~/.ssh/config")
    if ":" in name:
        try:
            address = str(ipaddress.IPv6Address(name))
        except ValueError:
            address = ""
        if not _ADDRESS.fullmatch(address):
            raise _WrongWordError(name, "is no IPv6 address")
        return [address]
    try:
        found = host_ranges.expand(name)
    except ValueError as wrong:
        raise _WrongWordError(name, str(wrong)) from None
    if not found or not all(map(_NAME.fullmatch, found)):
        raise _WrongWordError(name, "no host")
    return found
