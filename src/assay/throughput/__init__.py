"""Workloads, batch systems, scheduling policies."""
