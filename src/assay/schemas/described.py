"""Documents of simulated networks under `--json` that no part of the simulation writes: keys, shipped studies."""

from __future__ import annotations

from dataclasses import dataclass

from assay.network.documents import AnyFigure


@dataclass(frozen=True)
class KeyOfTable:
    """A key of a file that people write; `unit` of described machines' keys."""

    key: str
    default: str
    meaning: str
    unit: str | None = None


@dataclass(frozen=True)
class KeysOfTable:
    """One table of a file that people write."""

    table: str
    text: str
    keys: list[KeyOfTable]


@dataclass(frozen=True)
class NetworkKeys:
    """`assay simulate --keys`."""

    figures: list[AnyFigure]
    tables: list[KeysOfTable]


@dataclass(frozen=True)
class ShippedStudy:
    """A study that ships."""

    name: str
    title: str
    source: str | None


@dataclass(frozen=True)
class ShippedStudies:
    """`assay study`."""

    figures: list[AnyFigure]
    studies: list[ShippedStudy]
