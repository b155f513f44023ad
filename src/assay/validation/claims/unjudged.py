"""Claims of the three papers that are not judged, each with the reason."""

from __future__ import annotations

_CHIP = "A figure of the processor's manual; instructions are not simulated, and no table measures it."
_ALONE = "No table has this number; of nodes only the kernels' rates are described."

REASONS = {
    "d91h.contention-varies": "Simulated runs are exactly alike; the paper does not say how its runs differed.",
    "d91h.i860-peak-32": _CHIP,
    "d91h.i860-peak-64": _CHIP,
    "d91h.i860-compiled": _ALONE,
    "d95p.memory-traffic-share": "An estimate from cache hits that are nowhere printed.",
    "d95p.peak-vs-fortran": _ALONE,
    "d95p.shallow-water": "No number is printed, and the kernel is not described.",
    "d95p.multiple-of-32": "Of earlier software, of which no number is printed.",
}
