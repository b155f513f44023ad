"""Simulated beside published: cells with their errors and marks, claims judged, figures redrawn, fits redone."""
