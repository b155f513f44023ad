"""Studies: a description swept over some of its keys, simulated, analysed, and compared with what was published."""
