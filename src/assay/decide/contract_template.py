"""A contract to begin with, as a person edits it."""

TEMPLATE = """\
# A contract for `assay accept`: what a machine must reach. Change names, figures and limits.
# `assay catalogue --benchmarks` lists benchmarks with their figures and parameters.
version = 1
name = "delivery"

[risks]
vendor = "5%"   # how probably a machine that meets all limits is rejected
buyer = "5%"    # how probably a machine that misses a limit is accepted

[[requirement]]
name = "memory bandwidth of one thread"
benchmark = "stream"
figure = "rate"
case = { kernel = "triad", threads = 1 }   # a node: as many threads as it has
at_least = "12 GB/s"
share = 1             # of the nodes that must meet it; 0.95: all but one in twenty
indifference = "5%"   # the smallest shortfall that must be found
spread = "3%"         # how much launches differ: the number of launches is planned by it

[[requirement]]
name = "latency between two ranks"
benchmark = "echo"
figure = "half_round_trip"
case = { bytes = 8 }
at_most = "3 us"
"""
