"""Networks in the formats of other simulators, read as the tables of NETWORK.toml.

read.py      which format a file is of;  foreign_network.py  what it becomes;  tables.py  a routing table's lines
anynet.py    BookSim2's list of routers, nodes and links
platform.py  SimGrid's XML: its one cluster;  element.py  its numbers;  clusters.py  each kind of cluster as a network
"""
