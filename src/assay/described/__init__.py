"""Described machines: their files, the schema of these, and the shipped ones."""
