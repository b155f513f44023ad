"""A tournament of all pairs of ranks: what it found slow, in tables, plots and lines."""
