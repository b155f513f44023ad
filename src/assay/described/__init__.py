"""Described machines: their files, what these may say, and which of them ship."""
