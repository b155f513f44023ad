"""The front of the simulated network: the keys of NETWORK.toml, and how a run of it is made and judged.

A reader goes through it in this order: lines (the line of a key), records (what the core knows), network_tables (what
a key may be), description (a file with its overrides), engine (one run), method (warm-up, intervals, growth),
simulation (what `assay simulate` does), saturation, sweep (many runs), trace and replaying (messages in and out of
CSV), network_keys (the reference table).
"""
