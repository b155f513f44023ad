"""Tables of a description that a fit makes, as its file has them."""

from __future__ import annotations

from typing import TypedDict

from assay.toml.source import TomlTable


class FittedTables(TypedDict, total=False):
    """Those that the run shows."""

    network: TomlTable
    protocol: list[TomlTable]
    node: TomlTable
    progress: TomlTable
    compute: TomlTable
    self: list[TomlTable]
    variant: dict[str, TomlTable]
