"""The figures of merit of Table 7 (Dunigan 1991, section 6): a machine in five numbers.

The rate of an 8192-byte one-hop message, the flop rate of the compound expression, the time of an 8-byte one-hop
message, the time of an 8-byte multiply, and communication over computation, the ratio of the last two: how many
multiplies one small message costs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.analysis.result import Result

LONG, SHORT = 8192, 8  # bytes, Table 7


@dataclass(frozen=True)
class FiguresOfMerit(Result):
    """`rate_8192` (B/s), `rate_flop` (flop/s), `time_8` and `time_multiply` (s), `comm_comp_ratio` (1).

    None: not measured.
    """

    rate_8192: float | None
    rate_flop: float | None
    time_8: float | None
    time_multiply: float | None
    comm_comp_ratio: float | None


def figures_of_merit(
    one_way_time: Mapping[int, float], rate_flop: float | None = None, multiply_time: float | None = None
) -> FiguresOfMerit:
    """Gather Table 7's row for one machine.

    From one-hop times (s) by length (B), a flop rate (flop/s) and the time of a multiply (s).
    """
    long, short = one_way_time.get(LONG), one_way_time.get(SHORT)
    return FiguresOfMerit(
        rate_8192=LONG / long if long else None,
        rate_flop=rate_flop,
        time_8=short,
        time_multiply=multiply_time,
        comm_comp_ratio=short / multiply_time if short and multiply_time else None,
    )
