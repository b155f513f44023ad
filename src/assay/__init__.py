"""Assay evaluates parallel machines: measured, described and published, with the same programs and tables."""

__version__ = "0.1.0"
