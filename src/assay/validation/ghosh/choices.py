"""What the paper leaves open, by the catalogue's ids, and what is done about it here; what is known not to match."""

from __future__ import annotations

CHOICES = {
    "links": "As the words have it; k = 9 in every cube.",
    "link-direction": "Each width in each direction; requests enter an I/O node over m channels as well.",
    "header-latency": "With waiting at the source; waiting is reported beside it (`pe_waiting`, `io_waiting`).",
    "io-transaction-latency": "The sum of the header latencies of a read's messages; the parts are reported too.",
    "io-node-service": "A pure delay: any number of requests at once.",
    "blocks-per-request": "One block a request.",
    "run-length": "150,000 messages received in all, of every kind, the first 50,000 left out.",
    "saturation-criterion": (
        "A backlog that grows in proportion to time (points: when a run is quadrupled); never a large mean."
    ),
    "uniform-destinations": (
        "Simulated among the other 15 I/O nodes. The bound for b = 0 is given both ways; the printed 26.3 needs 8/15."
    ),
    "adjusted-service-weights": (
        "All readings are in the table of section 6. Claims take the nearest: only the next channel, the PE channel "
        "with "
        "7/8 always, the variance of the lengths. The general method takes the turns of the routes as they are."
    ),
    "zero-hop-factor": "2^n/(2^n - 1), which is what exact rates of the routes give.",
    "io-addresses": "The code's information bits, highest dimension first.",
    "small-cubes": (
        "Smaller perfect cubes combined, their codes shifted against each other as in figure 1; of two I/O nodes "
        "equally "
        "near, the one over the lowest dimension, so that each serves four PEs. k = 9, m = 8, r = n = 4b."
    ),
    "channel-choice": "Any idle channel; one first-in-first-out queue a link.",
    "sweep-values": "Evenly spaced, given with each figure.",
}

MISMATCHES = {
    "ghosh.m2-gain": (
        "By the definition used everywhere else, a read's header latencies, m = 2 gains twice the paper's 40%. With "
        "the rest of the block it would be less than 40%, with start-ups and access a tenth: what the paper's response "
        "contains there is not said."
    ),
    "ghosh.3cube-b0-saturated": (
        "The 3-cube without an I/O network is not saturated at 78 us here; its placement, widths and tie rules are "
        "not in "
        "the text."
    ),
    "ghosh.saturation-b0-simulation": (
        "The saturation point lies below the paper's 'around 22.2', whose grid of rates is coarse and whose runs are "
        "short: at 22.2 the backlog grows, but over 150,000 messages not by much."
    ),
}
