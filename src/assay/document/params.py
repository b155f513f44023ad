"""What is free in a document, because benchmarks, launchers and hosts name its keys."""

from __future__ import annotations

from typing import Any

Params = dict[str, Any]  # a case: a benchmark's parameters by name
Facts = dict[str, Any]  # circumstances as a host or a launcher states them, in SI units
Plot = dict[str, Any]  # a Plotly figure: {data, layout, ticks}

# How near two ranks are whose messages no network carries: `placement` of a case (programs/mpi/nearness.cpp).
WITHIN_A_NODE = ("same core", "same core complex", "same socket", "same node")
