"""Seeded damage of kept files, as disks and people do it: bits, lines, ranges, whole files, files of another run."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

Mutation = Callable[[Path, Path, random.Random], None]  # of a file; its counterpart in another folder


def flipped(path: Path, other: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def another_digit(path: Path, other: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    at = dice.choice(digits or range(len(data)))
    data[at] = dice.choice([byte for byte in b"0123456789" if byte != data[at]])
    path.write_bytes(data)


def zeroed(path: Path, other: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    at = dice.randrange(len(data))
    size = min(len(data) - at, dice.choice([1, 16, 512, 4096]))
    data[at : at + size] = bytes(size)
    path.write_bytes(data)


def truncated(path: Path, other: Path, dice: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: dice.randrange(len(data))])


def _lines(change: Callable[[list[bytes], random.Random], None]) -> Mutation:
    def mutate(path: Path, other: Path, dice: random.Random) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        change(lines, dice)
        path.write_bytes(b"".join(lines))

    return mutate


def _without(lines: list[bytes], dice: random.Random) -> None:
    at = dice.randrange(len(lines))
    del lines[at : at + dice.randint(1, 2)]


def _doubled(lines: list[bytes], dice: random.Random) -> None:
    lines.insert(dice.randint(0, len(lines)), dice.choice(lines))


def _moved(lines: list[bytes], dice: random.Random) -> None:
    lines.insert(dice.randint(0, len(lines) - 1), lines.pop(dice.randrange(len(lines))))


def _cut_at_a_line(lines: list[bytes], dice: random.Random) -> None:
    del lines[dice.randrange(len(lines)) :]


def deleted(path: Path, other: Path, dice: random.Random) -> None:
    path.unlink()


def anothers(path: Path, other: Path, dice: random.Random) -> None:
    if other.is_file():
        shutil.copyfile(other, path)
    else:
        path.unlink()


MUTATIONS: dict[str, Mutation] = {
    **{"bit": flipped, "digit": another_digit, "zeroed": zeroed, "truncated": truncated},
    **{"line deleted": _lines(_without), "line twice": _lines(_doubled), "line moved": _lines(_moved)},
    **{"lines cut off": _lines(_cut_at_a_line), "deleted": deleted, "another's": anothers},
}


def mutate(folder: Path, other: Path, dice: random.Random, unread: tuple[str, ...]) -> str:
    """Damage one file below `folder`; says how. `other`: a like folder; `unread`: names that nothing is read from."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in unread)
    files = [path for path in files if path.stat().st_size and path.parent.name != "log"]
    kinds = sorted({path.parent.name[:1] + path.suffix for path in files})
    kind = dice.choice(kinds)
    path = dice.choice([path for path in files if path.parent.name[:1] + path.suffix == kind])
    name = dice.choice(sorted(MUTATIONS))
    MUTATIONS[name](path, other / path.relative_to(folder), dice)
    return f"{path.relative_to(folder)}: {name}"
