"""Sensitivity: how much each figure of a described machine depends on each number of its description."""
