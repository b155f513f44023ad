"""Trials of localising a slow link: a fat tree's ways in closed form, and noise as measured between two ranks."""

from __future__ import annotations

from bench._slow_links import Floats, measured, noise, tree

__all__ = ["Floats", "measured", "noise", "tree"]
