"""Rates and latencies over time: stalls, sustained rates, and their plots."""
