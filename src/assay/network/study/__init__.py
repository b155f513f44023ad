"""Studies: a description swept over some of its keys, simulated, analysed, and held against what was published."""
