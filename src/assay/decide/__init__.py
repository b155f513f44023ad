"""Decisions: two variants in turn, requirements of a contract, a machine over time."""
