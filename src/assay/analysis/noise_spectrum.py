"""Noise of a node: its spectrum, the periods in it, and their causes as far as the kernel's counts show.

The spectrum is the periodogram of what each fixed time quantum lost, averaged over blocks (Bartlett 1948). Where the
loss is white, an ordinate over the mean of all is exponential, and the mean of B of them is gamma(B)/B; a peak counts
if the greatest of all frequencies would be as high by chance with probability `significance` at most (Fisher 1929).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

Floats = npt.NDArray[np.float64]
# rows of /proc/interrupts, in words (Linux, arch/x86/kernel/irq.c)
WORDS = {
    "LOC": "timer interrupts",
    "RES": "rescheduling interrupts",
    "CAL": "function calls from other processors",
    "TLB": "shootdowns of address translations",
    "NMI": "non-maskable interrupts",
    "PMI": "performance monitoring interrupts",
    "MCP": "polls for machine checks",
    "IWI": "deferred kernel work",
    "HYP": "calls of the hypervisor",
    "arch_timer": "timer interrupts",
}


@dataclass(frozen=True)
class Spectrum:
    """`frequency` (k,) in Hz without zero, `power` (k,) relative to the mean of all, over so many blocks."""

    frequency: Floats
    power: Floats
    blocks: int
    limit: float


@dataclass(frozen=True)
class Peak:
    """A period: its frequency in Hz, its width in Hz, its power over the mean, how many harmonics it shows."""

    frequency: float
    width: float
    power: float
    harmonics: int


@dataclass(frozen=True)
class Cause:
    """What interrupts a program: how often per second of one hardware thread, and in words."""

    name: str
    rate: float
    text: str


def spectrum(series: Sequence[Floats], step: float, significance: float = 0.01) -> Spectrum | None:
    """Average the periodograms of equally long `series`, each (n,) of what was lost every `step` seconds.

    None where there are too few values, or nothing varies.
    """
    length = min((len(each) for each in series), default=0)
    if length < 16:
        return None
    total, blocks = np.zeros((length - 1) // 2), 0
    for each in series:
        values = np.asarray(each[:length], float)
        power = np.abs(np.fft.rfft(values - values.mean())[1 : (length - 1) // 2 + 1]) ** 2
        if power.mean() > 0:
            total += power / power.mean()
            blocks += 1
    if blocks == 0:
        return None
    frequency = np.arange(1, len(total) + 1) / (length * step)
    one = -np.expm1(np.log1p(-significance) / len(total))  # at a single frequency, so that of all it is `significance`
    return Spectrum(frequency, total / blocks, blocks, float(scipy.special.gammainccinv(blocks, one) / blocks))


def peaks(of: Spectrum, most: int = 5) -> list[Peak]:
    """Periods whose power passes the limit, the strongest first; a harmonic of one that is named counts with it.

    A comb of harmonics belongs to its lowest frequency: the one that has most of the peaks on its multiples.
    """
    width = float(of.frequency[0])
    high = [
        i
        for i in np.flatnonzero(of.power > of.limit)
        if of.power[i] == of.power[max(0, i - 2) : i + 3].max()  # the top of its leakage
    ]
    left = {float(of.frequency[i]): float(of.power[i]) for i in high}
    found: list[Peak] = []
    while left and len(found) < most:

        def comb(base: float) -> list[float]:
            return [f for f in left if abs(f - round(f / base) * base) <= width * max(1.0, 0.5 * round(f / base))]

        # what most of the power hangs on; of such, the highest frequency (250 Hz explains 500; 125 would as well)
        explained = {base: sum(left[f] for f in comb(base)) for base in left}
        most_power = max(explained.values())
        base = max(f for f, power in explained.items() if power >= 0.95 * most_power)
        members = comb(base)
        found.append(Peak(base, width, max(left[f] for f in members), len(members) - 1))
        for f in members:
            del left[f]
    return sorted(found, key=lambda peak: -peak.power)


def in_step(starts: Floats, frequency: float, tolerance: float, significance: float = 0.01) -> float:
    """Share of events (n,) in s that come in step with `frequency` in Hz, placed to within `tolerance` in s.

    The fullest window of phases, twice the tolerance wide, less what chance puts there; 0 where chance could have put
    all of it there (binomial, for as many windows as there are events).
    """
    count = len(starts)
    wide = 2 * tolerance * frequency
    if count < 2 or wide >= 0.5:
        return 0.0
    phases = np.sort(np.asarray(starts, float) * frequency % 1.0)
    around = np.concatenate([phases, phases + 1.0])
    held = np.searchsorted(around, phases + wide, side="right") - np.arange(count)
    most = int(held.max())
    # at least `most - 1` of the other events within the window that one event opens
    chance = float(scipy.special.bdtrc(most - 2, count - 1, wide)) if most >= 2 else 1.0
    if count * chance > significance:
        return 0.0
    return max(0.0, (most - count * wide) / (count * (1.0 - wide)))


def causes(
    interrupts: Mapping[str, int], seconds: float, *, tick: float | None, steal: float, involuntary: int, detours: int
) -> list[Cause]:
    """What the kernel counted over `seconds` of one hardware thread's time, the most frequent first.

    Counts show how often each happened, not how long it took: only what happens about as often as detours can be most
    of them.
    """
    if seconds <= 0:
        return []
    per_second = detours / seconds
    found = []
    named: dict[str, int] = {}
    for row, count in interrupts.items():
        name = WORDS.get(row, f"interrupts of device {row}" if row.isdigit() else f"interrupts {row}")
        named[name] = named.get(name, 0) + count
    for name, count in named.items():
        rate = count / seconds
        text = f"{rate:.3g} {name} per second"
        if name == "timer interrupts" and tick:
            text += f" (the kernel ticks {tick:g} times per second)"
        found.append(Cause(name, rate, text))
    if involuntary:
        rate = involuntary / seconds
        found.append(Cause("other processes", rate, f"{rate:.3g} times per second another process ran instead"))
    if steal > 0:
        text = f"the hypervisor took {steal / seconds:.2%} of the time"
        found.append(Cause("hypervisor", steal / seconds, text))
    found.sort(key=lambda cause: -cause.rate)
    return [c for c in found if c.name in ("hypervisor", "other processes") or c.rate >= 0.01 * per_second]


def name_peak(peak: Peak, found: Sequence[Cause], tick: float | None) -> str | None:
    """Which cause has the frequency of a peak: the kernel's tick, or what the kernel counted as often."""
    if tick and abs(peak.frequency - tick) <= peak.width:
        return "the kernel's timer tick"
    for cause in found:
        if cause.name != "hypervisor" and abs(peak.frequency - cause.rate) <= max(peak.width, 0.02 * cause.rate):
            return cause.name
    return None
