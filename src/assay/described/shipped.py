"""Which machines are described: files that ship in `catalogue/machines/`, and any file that a person names."""

from __future__ import annotations

import difflib
import functools
import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path

from assay import input_file
from assay.described.machine_file import DescribedMachine, load
from assay.described.published_name import SHIPPED
from assay.errors import InputError


def shipped() -> dict[str, Path]:
    """All shipped descriptions by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


MOST_OPEN = 64  # descriptions that a process keeps parsed


def open_described(name: str, overrides: Mapping[str, str] | None = None, option: str = "--on") -> DescribedMachine:
    """Load what `--on NAME`, `--on FILE.toml` or `--on NAME:VARIANT` means, with keys set from outside.

    `option`: that named it, for errors.

    A file is parsed once for the same overrides, however often a command opens it, and again where its content changed.
    """
    given = dict(overrides or {})
    base, colon, variant = name.rpartition(":")
    if colon and not Path(name).exists():
        name = base
        given.setdefault("variant", variant)
    elif name not in shipped() and (found := _variant_published_as(name)) is not None:
        name, variant = found
        given.setdefault("variant", variant)
    path = find(name, option)
    digest = hashlib.sha256(input_file.content(path)).digest()
    return _loaded(path, digest, tuple(given.items()))


@functools.lru_cache(maxsize=MOST_OPEN)
def _loaded(path: Path, digest: bytes, overrides: tuple[tuple[str, str], ...]) -> DescribedMachine:
    """`digest`: of the file's content, so that an edited file is parsed again."""
    return load(path, dict(overrides))


def _variant_published_as(name: str) -> tuple[str, str] | None:
    """The shipped description, and its variant, of a published machine that has no file of its own; None of others."""
    if name.endswith(".toml") or Path(name).exists():
        return None
    from assay.machine import catalogue

    try:
        meant = catalogue.machine(name).id  # as people write it
    except InputError:
        return None
    for each, path in shipped().items():
        for variant, tables in tomllib.loads(path.read_text(encoding="utf-8")).get("variant", {}).items():
            if tables.get("published") == meant:
                return each, variant
    return None


def room(description: DescribedMachine, per_node: int | None = None) -> int | None:
    """How many ranks the machine has room for, so many per node; None where that is any number.

    InputError where a node has not so many processors.
    """
    from assay._core import ranks as core

    most = description.node.processors if description.node else 1
    if per_node is not None and (per_node > most or description.network is None):
        accepted = f"up to {most}" if description.network is not None else "no --ppn: its ranks have no nodes"
        raise InputError(
            "more ranks per node than it has processors", key=f"{description.name} --ppn", value=per_node,
            accepted=accepted,
        )  # fmt: skip
    try:
        return int(core.room(description.for_core(per_node))) or None
    except (ValueError, MemoryError) as error:
        raise description.refused(error) from None


def nodes_of(description: DescribedMachine) -> int | None:
    """How many nodes the machine has; None where that is any number."""
    return room(description, 1) if description.network is not None else room(description)


def usual_per_node(description: DescribedMachine) -> int:
    """How many ranks go on a node by default: the description's `node.ranks`, else its processors."""
    node = description.node
    return 1 if node is None else node.ranks or node.processors


def per_node(description: DescribedMachine, ranks: int, given: int | None = None) -> int | None:
    """How many ranks go on a node: as `given` (--ppn), else the description's own, or more where `ranks` need it.

    None: one per node, or no nodes. InputError where a node has not so many processors.
    """
    if given is not None:
        room(description, given)
        return given
    node = description.node
    if node is None or node.ranks is None:
        return None
    nodes = (room(description, 1)) or ranks
    return min(max(node.ranks, -(-ranks // nodes)), node.processors)


def find(name: str, option: str = "--on") -> Path:
    """Find the description that `--on NAME` means; InputError names the option and lists what is accepted."""
    known = shipped()
    if name in known:
        return known[name]
    path = Path(name)
    if path.suffix == ".toml" or path.exists():
        if path.is_file():
            return path
        raise InputError(_unreadable(name), key=option, value=name, accepted="a TOML file that describes a machine")
    from assay.machine import catalogue  # all published machines, for a name without a file

    published = catalogue.load().machines
    try:
        meant = catalogue.machine(name).id  # as people write it: paragon_mp, Paragon MP
    except InputError:
        meant = name
    if meant in known:
        return known[meant]
    if meant in published:
        raise InputError(
            "is published but not described yet, so it cannot be simulated",
            key=option,
            value=name,
            accepted=f"{', '.join(known) or 'a TOML file'}; `assay catalogue {name}` shows what was published of it",
        )
    near = difflib.get_close_matches(name, [*known, *published], 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise InputError(
        f"no such machine{hint}", key=option, value=name, accepted=f"a TOML file{''.join(f', {n}' for n in known)}"
    )


def _unreadable(name: str) -> str:
    """Why a path names no description. A pipe is none: it can be read once, and a run reads it several times."""
    path = Path(name)
    if not name or not path.exists():
        return "no such file"
    return "is a folder" if path.is_dir() else "is not a regular file: a description is read more than once"
