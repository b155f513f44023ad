"""This tool beside its peers or its limit, in one run, A/B/A/B, as ratios: one part a file."""
