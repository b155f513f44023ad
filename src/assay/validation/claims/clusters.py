"""Van der Steen's claims about the clusters' communication, judged on the described clusters.

Claims speak of bandwidths over all patterns of mod1h, of the distributed dot product's implementations (mod1i), and of
the ping-pong's two numbers (mod1j). Allowances are the catalogue's (`tol_rel`) or `allowance`'s; none is set by what
the simulation gives. The vectors' length, which the paper does not print, is the descriptions' (`[defaults]`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.machine import catalogue
from assay.machine.published import Claim
from assay.published.cells import allowance
from assay.published.cells.answers import Answers
from assay.published.cells.euroben_twins import LENGTHS, PATTERNS, dots, shortest
from assay.published.judge import Accepted, ClaimPart, accepted, fact, judged
from assay.report.units import human

XP1000, SC = "compaq-xp1000-cluster", "compaq-alphaserver-sc"
IBM, SGI, ORIGIN = "ibm-netfinity-cluster", "sgi-l1200-cluster", "sgi-origin2000-400"
ETHERNET = "sgi-l1200-cluster:ethernet"
COUNTS = (4, 6, 8)  # ranks, of the paper's tables
MOST = 8  # ranks, of its figures
SC_, ORIGIN_ = f"{SC} mod1h.pingpong", f"{ORIGIN} mod1h.pingpong"  # whose patterns no table has
APART = ("collect", "bisection-regular", "bisection-random")  # where by the text the Myrinet systems differ
EXCEPTIONS = 2  # of eleven patterns, where it says "almost all": our choice
VARIANT = {ETHERNET: ("sgi-l1200-cluster", "fast-ethernet"), SGI: (SGI, "myrinet")}  # published machine and network
MYRINET = 160e6  # B/s, the channel's theoretical peak (section 2.1)
PREFIXES = ("euroben.mod1h", "euroben.mod1i", "euroben.mod1j", "mod1h.")


def speaks_of_messages(claim: Claim) -> bool:
    """Whether a claim of that paper is about communication."""
    return claim.id.startswith("vds.") and any(name.startswith(PREFIXES) for name in claim.of)


def rate(answers: Answers, name: str, pattern: str, ranks: int, per_node: int) -> float | None:
    """A pattern's rate (B/s) with long messages."""
    found = answers.ask(
        name, "patterns", "rate", pattern=pattern, bytes=LENGTHS, on_ranks=ranks, per_node=per_node
    )  # fmt: skip
    return max((each.value for each in found), default=None)


def best(answers: Answers, name: str, ranks: int, per_node: int) -> float | None:
    """The rate (flop/s) of the best distributed dot product."""
    return max(dots(answers, name, ranks, per_node).values(), default=None)


def over(one: float | None, other: float | None) -> float | None:
    """A ratio, None where one of the two is missing."""
    return None if one is None or not other else one / other


def cells_of(name: str, pattern: str, ranks: int | None = None, per_node: int | None = None) -> str:
    """The published cells of a pattern on a described machine, in words (`assay.published.cells.clauses`)."""
    machine, network = VARIANT.get(name, (name, ""))
    filters = {"network": network, "cpus": ranks, "cpus_per_node": per_node}
    return " ".join((machine, f"mod1h.{pattern}", *(f"[{key} {value}]" for key, value in filters.items() if value)))


def _shown(found: float | None) -> str:
    return "not simulated" if found is None else f"{found:.3g}"


def near(claim: Claim) -> Accepted:
    """What a claim's ratio or share accepts by its own tolerance."""
    value = catalogue.si(claim.value or 0, claim.unit or "1")[0]
    return accepted(claim.op or "~=", value, allowance.share(claim, allowance.SAME) * value)


def spread(claim: Claim) -> Accepted:
    """The two ends of a range with its tolerance."""
    low, high = (catalogue.si(each or 0, claim.unit or "1")[0] for each in (claim.value_min, claim.value_max))
    share = 0.0 if claim.tol_rel is None else allowance.share(claim, 0.0)
    slack = catalogue.si(claim.tol_abs or 0, claim.unit or "1")[0]
    return Accepted(low * (1 - share) - slack, high * (1 + share) + slack)


def _ends(claim: Claim) -> str:
    unit = "" if claim.unit in (None, "1") else f" {claim.unit}"
    return f"({claim.value_min:g} to {claim.value_max:g}{unit})"


def _independent(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Every pattern on 4, 6 and 8 ranks; Table 6.2 itself, which the sentence is about, has as much between them."""
    cells = catalogue.cells(paper="vandersteen2000_beowulf", table="table6.2")
    printed = {
        name: [cell.value for cell in cells if cell.benchmark == f"mod1h.{name}"] for name in PATTERNS
    }  # fmt: skip
    allowed = max(max(each) / min(each) for each in printed.values()) - 1
    parts = []
    for pattern in PATTERNS:
        rates = [rate(answers, XP1000, pattern, ranks, 1) for ranks in COUNTS]
        known = [each for each in rates if each is not None]
        found = max(known) / min(known) - 1 if len(known) == len(COUNTS) else None
        each = ", ".join("–" if one is None else human(one, "B/s", 3) for one in rates)
        words = f"{pattern}: {each} (within {allowed:.0%}, as printed)"
        parts.append(judged(found, accepted("<=", allowed), words, (cells_of(XP1000, pattern),)))
    return parts


def _alike_on_ethernet(answers: Answers, claim: Claim) -> list[ClaimPart]:
    found = dots(answers, XP1000, MOST, 1)
    parts = []
    for one, other in (("naive", "tree"), ("library", "tree")):
        ratio = over(found.get(one), found.get(other))
        parts.append(judged(ratio, near(claim), f"{MOST} ranks, {one} / {other}: {_shown(ratio)} (1 ± 5%)"))
    return parts


def _tree_on_myrinet(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Clearly faster: by more than the same versions may differ by on Ethernet, where by the paper they hardly do."""
    found = dots(answers, SGI, MOST, 1)
    ratio, library = (over(found.get(one), found.get(other)) for one, other in (("tree", "naive"), ("library", "tree")))
    same = allowance.chosen(allowance.SAME)
    return [
        judged(ratio, accepted(">", 1 + same), f"{MOST} ranks, tree / naive: {_shown(ratio)} (> 1 + {same:.0%})"),
        judged(library, accepted("~=", 1.0, same), f"library / tree: {_shown(library)} (1 ± {same:.0%})"),
    ]


def _two_per_node(answers: Answers, claim: Claim) -> list[ClaimPart]:
    ratio = over(best(answers, SGI, MOST, 1), best(answers, SGI, MOST, 2))
    return [judged(ratio, near(claim), f"{MOST} ranks, 1 per node / 2 per node: {_shown(ratio)} (2 ± 15%)")]


def _competition(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """One, two and eight ranks, two per node."""
    share = allowance.share(claim, allowance.SAME)
    parts = []
    for ranks, printed in ((1, 59e6), (2, 74e6), (8, 290e6)):
        found = best(answers, IBM, ranks, 2)
        words = f"{ranks} ranks: {'not simulated' if found is None else human(found, 'flop/s')}"
        parts.append(
            judged(found, accepted("~=", printed, share * printed), f"{words} ({printed / 1e6:g} ± {share:.0%})")
        )
    return parts


def _ethernet_loses(answers: Answers, claim: Claim) -> list[ClaimPart]:
    ratio = over(best(answers, ETHERNET, MOST, 1), best(answers, SGI, MOST, 1))
    loss = None if ratio is None else 1 - ratio
    return [judged(loss, near(claim), f"{MOST} ranks: {_shown(loss)} of it lost (0.2 ± 25%)")]


def _alpha_networks(answers: Answers, claim: Claim) -> list[ClaimPart]:
    ratio = over(best(answers, XP1000, MOST, 1), best(answers, SC, MOST, 4))
    of = (f"{SC} euroben.mod1i", f"{XP1000} euroben.mod1i")
    return [judged(ratio, near(claim), f"{MOST} ranks: {_shown(ratio)} (0.5 ± 20%)", of)]


def _alone(*machines: str) -> Callable[[Answers, Claim], list[ClaimPart]]:
    def per_rank(answers: Answers, claim: Claim) -> list[ClaimPart]:
        parts = []
        for machine in machines:
            found = best(answers, machine, 1, 1)
            words = "not simulated" if found is None else human(found, "flop/s")
            parts.append(judged(found, spread(claim), f"{machine}, one rank: {words} {_ends(claim)}"))
        return parts

    return per_rank


def _ibm_gains(pattern: str) -> Callable[[Answers, Claim], list[ClaimPart]]:
    def gained(answers: Answers, claim: Claim) -> list[ClaimPart]:
        parts = []
        for ranks in COUNTS:
            ratio = over(rate(answers, IBM, pattern, ranks, 2), rate(answers, SGI, pattern, ranks, 1))
            gain = None if ratio is None else ratio - 1
            words = "not simulated" if gain is None else f"{gain:+.1%}"
            of = (cells_of(IBM, pattern, ranks), cells_of(SGI, pattern, ranks))
            parts.append(judged(gain, spread(claim), f"{ranks} ranks: {words} {_ends(claim)}", of))
        return parts

    return gained


def _networks(answers: Answers, claim: Claim) -> list[ClaimPart]:
    parts = []
    for pattern in PATTERNS:
        ratio = over(rate(answers, SGI, pattern, 4, 1), rate(answers, ETHERNET, pattern, 4, 1))
        of = (cells_of(SGI, pattern, 4), cells_of(ETHERNET, pattern, 4))
        parts.append(judged(ratio, spread(claim), f"{pattern}: {_shown(ratio)} {_ends(claim)}", of))
    return parts


def _two_per_node_hurts(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The bisections lose, and more than neighbours and transposition."""
    left = {
        pattern: over(rate(answers, SGI, pattern, 4, 2), rate(answers, SGI, pattern, 4, 1))
        for pattern in ("bisection-regular", "bisection-random", "neighbour-1d", "neighbour-2d", "transposition")
    }
    parts = [
        judged(one, accepted("<", 1.0), f"{name}: {_shown(one)} of it left (< 1)", (cells_of(SGI, name, 4, 2),))
        for name, one in left.items()
    ]
    most = left.pop("bisection-regular")
    del left["bisection-random"]
    least = min((each for each in left.values() if each is not None), default=None)
    if most is None or least is None:
        return parts
    return [*parts, judged(most, accepted("<", least), f"bisection keeps {most:.3g}, the others {least:.3g} or more")]


def _latencies(answers: Answers, claim: Claim) -> list[ClaimPart]:
    ratio = over(shortest(answers, XP1000, 1), shortest(answers, SGI, 1))
    words = f"XP1000's Ethernet / SGI's Myrinet: {_shown(ratio)} ({claim.value:g} ± {claim.tol_rel or 0:.0%})"
    return [judged(ratio, near(claim), words)]


def _collect(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Its share of the peak, and that a reduction has more."""
    collect, reduction = (rate(answers, IBM, pattern, 4, 2) for pattern in ("collect", "reduction"))
    found, ratio = over(collect, MYRINET), over(reduction, collect)
    of, other = cells_of(IBM, "collect", 4), cells_of(IBM, "reduction", 4)
    return [
        judged(found, near(claim), f"4 ranks: {_shown(found)} of 160 MB/s (0.42 ± 5%)", (of,)),
        judged(ratio, accepted(">", 1.0), f"4 ranks, reduction / collect: {_shown(ratio)} (> 1)", (other,)),
    ]


def _alike(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The IBM and the SGI cluster with two ranks per node, but for broadcast and reduction."""
    share = allowance.chosen(allowance.LITTLE)
    parts = []
    for pattern in PATTERNS:
        if pattern not in ("broadcast", "reduction"):
            ratio = over(rate(answers, IBM, pattern, 4, 2), rate(answers, SGI, pattern, 4, 2))
            of = (cells_of(IBM, pattern, 4),)
            parts.append(judged(ratio, accepted("~=", 1.0, share), f"{pattern}: {_shown(ratio)} (1 ± {share:.0%})", of))
    return parts


def printed_apart() -> float:
    """By what factor Tables 6.5 and 6.9 differ the most, on 4 processors, in patterns that differ 'little'."""
    tables = [catalogue.cells(paper="vandersteen2000_beowulf", table=f"table6.{number}") for number in (5, 9)]
    ibm, sgi = ({cell.benchmark: cell.value for cell in cells if cell.params["cpus"] == 4} for cells in tables)
    ratios = [ibm[f"mod1h.{pattern}"] / sgi[f"mod1h.{pattern}"] for pattern in PATTERNS if pattern not in APART]
    return max(max(each, 1 / each) for each in ratios)


def _fastest(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """On four ranks: the SC first and the Origin second, but for two patterns; both Myrinet systems little apart."""
    first, second, known = [], [], 0
    parts: list[ClaimPart] = []
    factor = printed_apart()
    for pattern in PATTERNS:
        found = {
            name: rate(answers, name, pattern, 4, per_node)
            for name, per_node in ((SC, 4), (ORIGIN, 1), (IBM, 2), (SGI, 1), (XP1000, 1))
        }
        rates = {name: each for name, each in found.items() if each is not None}
        if len(rates) < len(found):
            continue
        known += 1
        order = sorted(rates, key=lambda name: -rates[name])
        first += [pattern] if order[0] == SC else []
        second += [pattern] if ORIGIN in order[:2] else []
        if pattern not in APART:
            ratio = rates[IBM] / rates[SGI]
            words = f"{pattern}, IBM / SGI: {ratio:.3g} (within a factor of {factor:.2f}, as printed)"
            parts.append(judged(ratio, Accepted(1 / factor, factor), words, (cells_of(IBM, pattern, 4),)))
    if known < len(PATTERNS):
        return [fact(None, "not simulated")]
    least = len(PATTERNS) - EXCEPTIONS
    return [
        fact(
            len(first) >= least, f"the SC is the fastest in {len(first)} of {known} patterns ({least} or more)", (SC_,)
        ),
        fact(len(second) >= least, f"the Origin is first or second in {len(second)} ({least} or more)", (ORIGIN_,)),
        *parts,
    ]


JUDGES: dict[str, Callable[[Answers, Claim], Sequence[ClaimPart]]] = {
    "vds.mod1h-independent-of-cpus-ethernet": _independent,
    "vds.dotproduct-implementations-equal-ethernet": _alike_on_ethernet,
    "vds.dotproduct-tree-better-myrinet": _tree_on_myrinet,
    "vds.dotproduct-two-cpus": _two_per_node,
    "vds.dotproduct-memory-competition-ibm": _competition,
    "vds.dotproduct-ethernet-vs-myrinet": _ethernet_loses,
    "vds.dotproduct-alpha-network": _alpha_networks,
    "vds.dotproduct-per-cpu-risc": _alone(SC, ORIGIN),
    "vds.dotproduct-per-cpu-intel": _alone(IBM, SGI),
    "vds.ibm-broadcast-faster": _ibm_gains("broadcast"),
    "vds.ibm-reduction-faster": _ibm_gains("reduction"),
    "vds.myrinet-vs-ethernet-patterns": _networks,
    "vds.two-cpus-per-node-hurts-patterns": _two_per_node_hurts,
    "vds.latency-myrinet-vs-ethernet": _latencies,
    "vds.collect-badly-implemented": _collect,
    "vds.intel-patterns-alike": _alike,
    "vds.integrated-networks-fastest": _fastest,
}
