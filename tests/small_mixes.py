"""Small described machines on which jobs run beside one another, and mixes for them."""

from __future__ import annotations

from pathlib import Path

from assay.described.machine_file import DescribedMachine, load

PROTOCOLS = """
[[protocol]]
up_to = "512 B"
startup = "5 us"
receive = "4 us"

[[protocol]]
startup = "9 us"
receive = "4 us"
copy = "2 ns/B"
packet = "1 KiB"
handshake = true
rendezvous = "posted"

[[self]]
startup = "2 us"
copy = "1 ns/B"

[progress]
kind = "interrupt"
interrupt = "3 us"
"""
WORMHOLE = """
switching = "wormhole"
buffer_flits = 0
cycle = "1 ns"
flit_bytes = 8.0
flit_ticks = "80 ns"
body_ticks = "80 ns"
head_ticks = "0.5 us"
"""
# Nothing is shared but by jobs on one node; the clock's ticks are no whole number of the network's cycles.
BARS = 'name = "bars"\n[network]\ntopology = "crossbar"\nnodes = 12\n'
CROSSBAR = f'{BARS}{WORMHOLE}{PROTOCOLS}\n[node]\nclock_tick = "0.7 us"\n'
CUBE = f'name = "cube"\n[network]\ntopology = "hypercube"\ndimension = 4\n{WORMHOLE}{PROTOCOLS}'
LINE = f'name = "line"\n[network]\ntopology = "mesh"\nextents = [6]\n{WORMHOLE}{PROTOCOLS}'
# Two I/O nodes, at nodes that no rank needs, with buffers that several jobs want.
STORAGE = """
[storage]
io_nodes = 2
nodes = [10, 11]
stripe = "4 KiB"
request = "20 us"
client_request = "5 us"
open = "50 us"
outstanding = 2
"""
DEVICE = '[storage.device]\naccess = "1 ms"\nper_byte = "20 ns/B"\n'
BUFFERS = '[storage.cache]\nsize = "64 KiB"\nread_ahead = "16 KiB"\nwrite_behind = true\n'


def described(folder: Path, text: str) -> DescribedMachine:
    """The machine of a text."""
    return load(written(folder, text))


def written(folder: Path, text: str) -> Path:
    """The machine's file."""
    path = folder / "machine.toml"
    path.write_text(text)
    return path
