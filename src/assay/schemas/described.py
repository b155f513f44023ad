"""Documents of simulated networks under `--json`, as types: what `assay.network` gives as plain data.

Times in seconds but for keys with `cycles` in their names; JSON may have more keys than these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict


@dataclass(frozen=True)
class AnyFigure:
    """One figure, SI units: every verb's `figures` has these keys, and more that say how good it is."""

    __pydantic_config__ = ConfigDict(extra="allow")

    name: str
    value: float | None
    unit: str
    statistic: str
    params: dict[str, Any]


@dataclass(frozen=True)
class WarmupFound:
    """How the cycles before the measured ones were chosen."""

    cycles: int
    how: str
    pilot_cycles: int
    pilot_cpu_seconds: float
    correlation_cycles: float | None


@dataclass(frozen=True)
class Simulation:
    """`assay simulate`: counts are sums over the replications."""

    engine: str
    simulated_cycles: int
    measured_cycles: int
    cpu_seconds: float
    replications: int
    ended: str
    warmup: WarmupFound
    messages: int
    unroutable: int
    generated: int
    head_hops: int
    saturated: bool
    deadlock: dict[str, Any] | None
    deadlocked: int
    last_delivery: int | None
    seed: int
    cycle_seconds: float
    version: int
    definitions: dict[str, str]
    figures: list[AnyFigure]
    estimates: dict[str, dict[str, Any]]
    utilisation: list[dict[str, Any]] | None = None
    setting: dict[str, Any] | None = None
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class SaturationFound:
    """What `--saturation` found: loads in flits per node per cycle, with [io] in messages per element per cycle."""

    __pydantic_config__ = ConfigDict(extra="allow")

    load: float | None
    interval: list[float | None] | None
    accepted_beyond: list[dict[str, Any]]
    deadlocks: list[dict[str, Any]]
    tried: list[dict[str, Any]]


@dataclass(frozen=True)
class SaturationSearch:
    """`assay simulate --saturation`."""

    engine: str
    simulated_cycles: int
    cpu_seconds: float
    messages: int
    head_hops: int
    seed: int
    cycle_seconds: float
    deadlock: dict[str, Any] | None
    version: int
    figures: list[AnyFigure]
    saturation: SaturationFound
    setting: dict[str, Any] | None = None
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class Sweep:
    """`assay simulate --sweep`: a document a point."""

    version: int
    figures: list[AnyFigure]
    points: list[Simulation | SaturationSearch]
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class Replay:
    """`assay replay`: what came of the messages of a file; `delivered_file` says when each arrived."""

    engine: str
    simulated_cycles: int
    cpu_seconds: float
    messages: int
    delivered: int
    unroutable: int
    head_hops: int
    deadlock: dict[str, Any] | None
    delivered_file: str
    definitions: dict[str, str]
    figures: list[AnyFigure]
    assumptions: list[str] | None = None


@dataclass(frozen=True)
class KeysOfTable:
    """One table of a file that people write: `keys` say key, default and meaning."""

    table: str
    text: str
    keys: list[dict[str, Any]]


@dataclass(frozen=True)
class NetworkKeys:
    """`assay simulate --keys`."""

    figures: list[AnyFigure]
    tables: list[KeysOfTable]


@dataclass(frozen=True)
class StudyAnswer:
    """`assay study NAME`: latencies in us, rates in messages per element per ms (without I/O flits/node/cycle)."""

    version: int
    study: str
    title: str
    figure: str | None
    source: str | None
    figures: list[AnyFigure]
    cpu_seconds: float
    messages: int
    points: list[dict[str, Any]]
    saturation: list[dict[str, Any]]
    tables: list[dict[str, Any]]
    claims: list[dict[str, Any]]


@dataclass(frozen=True)
class AllStudies:
    """`assay study all`."""

    version: int
    figures: list[AnyFigure]
    studies: list[StudyAnswer]


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
