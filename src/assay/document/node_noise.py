"""The results of the traces of noise of one node."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class NoiseSource:
    """What takes hardware threads away: how often per second of one, and in words (`analysis.noise.Cause`)."""

    name: str
    rate: float
    text: str


@dataclass(frozen=True, kw_only=True)
class NamedPeak:
    """A period of the spectrum (`analysis.noise.Peak`: Hz, Hz, power over the mean, harmonics), and what causes it."""

    frequency: float
    width: float
    power: float
    harmonics: int
    cause: str | None


@dataclass(frozen=True, kw_only=True)
class NodeSpectrum:
    """Power over its mean by frequency (Hz), averaged over so many blocks; what passes `limit` is no chance."""

    frequency: list[float]
    power: list[float]
    blocks: int
    limit: float


@dataclass(frozen=True, kw_only=True)
class NodeNoise:
    """One node: seconds traced (of one hardware thread, summed), share of them lost, detours per second.

    `tick` (Hz) is the kernel's, `in_step` the share of the detours that come with it; `text`: the same in sentences.
    """

    host: str
    seconds: float
    lost: float
    detours: float
    tick: float | None
    in_step: float
    causes: list[NoiseSource]
    peaks: list[NamedPeak]
    spectrum: NodeSpectrum | None
    text: list[str]
