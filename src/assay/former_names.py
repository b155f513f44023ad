"""Benchmarks that had another name, with underscores: the old one still means them, and older runs read as new ones."""

from __future__ import annotations

import functools

from assay.errors import warn

RENAMED = (
    *("block-gauss-seidel", "boundary-value", "bus-files", "core-to-core", "dot-product", "inner-product"),
    *("linear-optimisation", "linpack-largest", "loaded-latency", "matrix-vector", "nonlinear-optimisation"),
    *("random-numbers", "shallow-water", "sparse-eigenvalues", "sparse-system", "thread-barrier"),
)
FORMER = {name.replace("-", "_"): name for name in RENAMED}


def current(name: str) -> str:
    """The name that a benchmark has now."""
    return FORMER.get(name, name)


def accepted(name: str) -> str:
    """The same of a name that a person gave: an old one is reported once, with the new one, on standard error."""
    if name in FORMER:
        _say(name)
    return current(name)


@functools.cache
def _say(name: str) -> None:
    warn(f"{name} is now called {FORMER[name]}")
