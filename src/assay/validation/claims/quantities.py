"""What claims speak of, as functions: a quantity (SI) of a described machine by the paper's benchmark, metric, params.

A claim says `benchmark = "spincom"`, `metric = "slowdown"`, `message = "small"`; here stands which of our programs
answers that, at which length, and over which values its trends go. Words are read once, in `SIZES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.machine import catalogue
from assay.published.cells import application_twins, twins
from assay.published.cells.answers import Answers
from assay.validation.claims.breaks import break_near

Params = Mapping[str, Any]
Quantity = Callable[[Answers, str, Params], float | None]
QUANTITIES: dict[tuple[str, str], Quantity] = {}

SIZES = {"small": 8, "large": 8192}  # B, for the words that claims use
LONGEST = "longest in 64 nodes"
FARTHEST = {"delta": 14}  # hops between opposite corners of 8 x 8 nodes; 6 on a 6-cube
TRENDS: dict[str, tuple[Any, ...]] = {
    "hops": (1, 2, 3, 4, 5, 6),
    "message_B": (8, 64, 256, 1024),
    "load": (0, 25, 50, 75, 100),
    "senders": (1, 2, 4, 6),
    "nodes": (2, 4, 8, 16, 32, 64),
}
MESH_SENDERS = (1, 2, 3, 4)
INSIDE = {"delta": 33}  # a rank with four neighbours: the second of the second row of 32
LOOP = 0.5  # s: hundreds of the slowest echo


def quantity(benchmark: str, *metrics: str) -> Callable[[Quantity], Quantity]:
    """Register a quantity."""

    def keep(made: Quantity) -> Quantity:
        QUANTITIES.update({(benchmark, metric): made for metric in metrics})
        return made

    return keep


def size(params: Params, default: int = 8192) -> int:
    """The length (B) that a claim's parameters mean."""
    if "message" in params:
        return SIZES[params["message"]]
    if "message_MB" in params:
        return int(params["message_MB"] * 1e6)
    return int(params.get("message_B", default))


def one(answers: Answers, machine: str, benchmark: str, figure: str, **settings: Any) -> float | None:
    """The only value of a figure for these settings; None where there is none."""
    found = answers.ask(machine, benchmark, figure, **settings)
    return found[0].value if found else None


def _hops(machine: str, params: Params) -> int:
    wanted = params.get("hops", 1)
    return FARTHEST.get(machine, 6) if wanted == LONGEST else int(wanted)


@quantity("echo", "rate")
def echo_rate(answers: Answers, machine: str, params: Params) -> float | None:
    """Bytes over half a round trip."""
    return one(answers, machine, "echo", "rate", bytes=(size(params),), hops=(_hops(machine, params),))


@quantity("echo", "time")
def echo_time(answers: Answers, machine: str, params: Params) -> float | None:
    """Half a round trip; a mode in turbo is a variant."""
    variant = ":turbo" if "turbo" in str(params.get("mode", "")) else ""
    return one(
        answers, machine + variant, "echo", "half_round_trip", bytes=(size(params),), hops=(_hops(machine, params),)
    )


@quantity("echo", "time_per_extra_hop")
def per_hop(answers: Answers, machine: str, params: Params) -> float | None:
    """Slope of the echo's time over hops 1 to 6, the mean over the papers' lengths that the claim is about."""
    least, most = params.get("message_B_min", 0), params.get("message_B_max", 8192)
    lengths = tuple(n for n in twins.LENGTHS if least <= n <= most)
    near, far = (twins.times(answers, machine, lengths, hops) for hops in (1, 6))
    slopes = [(far[n] - near[n]) / 5 for n in lengths if n in near and n in far]
    return sum(slopes) / len(slopes) if slopes else None


@quantity("", "time_per_extra_hop")
def specified_per_hop(answers: Answers, machine: str, params: Params) -> float | None:
    """The same on a mesh whose hop latency is specified: from 1 to 3 hops."""
    near, far = (one(answers, machine, "echo", "half_round_trip", bytes=(8,), hops=(hops,)) for hops in (1, 3))
    return None if near is None or far is None else (far - near) / 2


@quantity("echo", "extra_time_corner_to_corner")
def corner_to_corner(answers: Answers, machine: str, params: Params) -> float | None:
    """What the longest way adds to a neighbour's time."""
    large = "paragon-mp:xps150"
    near, far = (one(answers, large, "echo", "half_round_trip", bytes=(8,), hops=(hops,)) for hops in (1, 78))
    return None if near is None or far is None else far - near


@quantity("echo", "break_at_message_B")
def echo_break(answers: Answers, machine: str, params: Params) -> float | None:
    """The last length before the echo's time jumps most, beyond what a byte adds elsewhere."""
    return break_near(answers, machine, params)


@quantity("echo-force-type", "rate")
def forced_rate(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate of messages whose receive is posted."""
    return one(answers, machine, "forced", "rate", bytes=(size(params),), send="ready")


@quantity("summary", "comm_comp_ratio")
def balance(answers: Answers, machine: str, params: Params) -> float | None:
    """Simulated 8-byte time over the multiply's time that the oldest paper prints."""
    time = one(answers, machine, "echo", "half_round_trip", bytes=(8,), hops=(1,))
    multiply = catalogue.cells(machine=machine, benchmark="summary", metric="time_8_B_multiply")
    return None if time is None or not multiply else time / multiply[0].value


@quantity("echo-fit", "alpha", "alpha_up_to_100_B", "beta")
def coefficient(answers: Answers, machine: str, params: Params) -> float | None:
    """The papers' estimator; `params` carries the metric."""
    alpha, beta = twins.line(answers, machine, str(params.get("metric", "alpha")))
    found = beta if params.get("metric") == "beta" else alpha
    return None if math.isnan(found) else found


@quantity("echo-host", "rate")
def host_rate(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate between host and node 0."""
    return one(answers, machine, "host", "rate", bytes=(size(params),))


@quantity("routing-echo", "rate")
def routed_rate(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate of a two-hop echo, the nodes between busy or idle."""
    between = "computing" if params.get("routing_nodes") == "busy" else "idle"
    return one(answers, machine, "routing-echo", "rate", bytes=(size(params, 1024),), between=(between,))


@quantity("spincom", "slowdown")
def slowdown(answers: Answers, machine: str, params: Params) -> float | None:
    """By how much a loop on a routing node is slower than without traffic."""
    return one(answers, machine, "spin", "slowdown", bytes=(size(params, 8),), loop=LOOP)


@quantity("contention", "rate")
def contended(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate of the measured stream with a load on its channel, which the loading messages' length sets, as there."""
    settings = {"bytes": (size(params, 8192),), "load": (int(params.get("load", 0)),), "load_by": "length"}
    return one(answers, machine, "contention", "rate", **settings)


@quantity("fan-in", "rate_aggregate")
def fan_in(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate at which one node receives from its neighbours together."""
    where = {"middle": INSIDE[machine]} if machine in INSIDE else {}
    count = int(params["senders"])
    return one(answers, machine, "fan-in", "rate", bytes=(size(params, 8192),), neighbours=(count,), **where)


@quantity("pfldq-with-messages", "rate_aggregate")
def beside_the_stream(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate of the stream, of the messages, or of both, while both are at work on one node's bus."""
    found = answers.ask(
        f"{machine}:threads", "bus", str(params["share"]), form="echo", bytes=(1 << 20,), window=1.0, on_ranks=3
    )
    return next((answer.value for answer in found if answer.params.get("load") == "both"), None)


@quantity("barrier", "time")
def barrier(answers: Answers, machine: str, params: Params) -> float | None:
    """Time of the machine's own barrier on so many nodes."""
    return one(answers, machine, "barrier", "time", ranks=(int(params["nodes"]),), algorithm="library", timing="window")


@quantity("cholesky", "rate_aggregate")
def cholesky(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate of a Cholesky factorisation on so many nodes, by its precision."""
    return application_twins.cholesky_rate(answers, machine, params)


@quantity("linpack-peak", "rate_aggregate")
def linpack(answers: Answers, machine: str, params: Params) -> float | None:
    """Rate of LU with the largest system that memory holds, on so many nodes."""
    return application_twins.linpack_rate(answers, machine, int(params["nodes"]))


def over(machine: str, key: str, given: Params) -> Sequence[Any]:
    """The values that a trend goes over."""
    if key == "senders" and machine in INSIDE:
        return MESH_SENDERS
    return tuple(given.get(key, TRENDS[key]))
