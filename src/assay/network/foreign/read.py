"""Which format a network's file is of, and what it becomes: tables as of NETWORK.toml, with what was assumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from assay import input_file, versions
from assay.network.foreign.foreign_network import ForeignNetwork
from assay.toml.source import Source, read

ANYNET = re.compile(r"\s*(router|node) \d")


def read_network(path: Path) -> tuple[Mapping[str, object], Source]:
    """Read NETWORK.toml, or another simulator's file: its tables, and where they came from. InputError as `read`."""
    if path.suffix == ".toml":
        return read(path, versions.NETWORK)
    text = input_file.text(path, accepted="a TOML file, an XML platform of SimGrid, or an anynet file of BookSim2")
    reader = _reader(path, text)
    if reader is None:
        return read(path, versions.NETWORK)
    return reader(path, text).tables, Source(path, text)


def assumptions(path: Path) -> tuple[str, ...]:
    """What was assumed to read a file of another simulator; nothing of NETWORK.toml."""
    if path.suffix == ".toml":
        return ()
    text = input_file.text(path)
    reader = _reader(path, text)
    return () if reader is None else reader(path, text).assumptions


def _reader(path: Path, text: str) -> Callable[[Path, str], ForeignNetwork] | None:
    if path.suffix == ".xml" or text.lstrip().startswith("<"):
        from assay.network.foreign.platform import read_platform

        return read_platform
    if path.suffix == ".anynet" or ANYNET.match(text):
        from assay.network.foreign.anynet import read_anynet

        return read_anynet
    return None
