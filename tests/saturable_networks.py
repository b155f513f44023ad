"""Networks whose saturation point is known, without their load: the tests of `simulate` add it, as a last line."""

FLITS = 32
QUEUE = f"""
[network]
topology = "hypercube"
dimension = 1
injection_channels = 1
[traffic]
flits = {FLITS}
"""  # a source and a channel of one flit per cycle: saturates at a load of 1
CUBE = """
[network]
topology = "hypercube"
dimension = 7
injection_channels = 9
ejection_channels = 9
[traffic]
flits = 32
"""  # saturates near 0.784: still in balance at 0.7832 and growing in proportion to time at 0.789, in 40 million cycles
TORUS = """
[network]
topology = "torus"
extents = [4, 4]
routing = "dimension-order"
[traffic]
flits = 8
"""  # the engine of flits; saturates near 0.55
HOT_SPOT = """
[network]
topology = "hypercube"
dimension = 6
injection_channels = 8
[traffic]
pattern = "hotspot"
hotspot_share = 0.05
flits = 16
"""  # saturates near 0.238: an eighth of the messages goes to one node, whose channel passes a flit per cycle
IO_NODES = """
[network]
topology = "hypercube"
dimension = 5
channel_rate = "20 MB/s"
[io]
nodes = [0, 7, 25, 30]
io_rate = 0.05
read_ratio = 1.0
locality = 0.2
"""  # an element sends a message every 1/load cycles; saturates near 0.00067
