"""Sections of a report, one a file or a folder: each has a `SECTION` (report/registry.py)."""
