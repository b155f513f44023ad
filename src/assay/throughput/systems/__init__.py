"""Batch systems that run jobs, one per file that holds `SYSTEM`."""
