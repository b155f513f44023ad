"""Which level of memory holds a working set, by the caches that this run's latency curve shows.

What a system states of its caches can be wrong: a guest sees the last cache of a whole socket, of which neighbours
leave it a part. The curve was measured (analysis/cache_levels.py); where it says otherwise, it decides.
"""

from __future__ import annotations

from assay.analysis.level_rates import name_levels
from assay.document.fits import LevelsFit
from assay.document.run_document import Document

Caches = dict[int, float]


def caches(document: Document) -> Caches | None:
    """Sizes (B) of the caches found, by number; None where this run measured no curve, or found none in it."""
    fits = [fit for section in document.benchmarks for fit in section.fits if isinstance(fit, LevelsFit)]
    huge = [fit for fit in fits if fit.params.get("pages") in ("huge", None)] or fits
    if not huge:
        return None
    sizes = [level.size for level in huge[0].levels if level.below is not None]
    return dict(enumerate(sizes, 1)) or None


def contradicted(level: str, size: float | None, found: Caches | None) -> str:
    """Say where a working set of `size` that was meant for `level` lies by the caches `found`; "" where it agrees."""
    if size is None or not found or not level.startswith("L"):
        return ""
    (place,) = name_levels([size], found)
    if place is None or place == level:
        return ""
    return "beyond the caches found" if place == "memory" else f"in {place} by the latency curve"
