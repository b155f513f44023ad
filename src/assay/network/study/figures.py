"""A study's points and saturation points as the list of figures that every verb's `--json` has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.network.figures import FLITS_PER_CYCLE, estimated, figure
from assay.network.study.results import SHARES, US, Results

if TYPE_CHECKING:
    from pydantic import JsonValue

    from assay.network.documents import SimulatedFigure


def figures(results: Results) -> list[SimulatedFigure]:
    """Latencies in s by point; saturation in messages per element per second, without I/O flits per node per cycle."""
    found = []
    for point in results.points:
        params: dict[str, JsonValue] = {"study": results.study.name, **point.setting}
        for name, means in point.means.items():
            valid = not (point.saturated or point.deadlocked)
            scale, unit = (1.0, "1") if name in SHARES else (1 / US, "s")
            found.append(estimated(name, point.estimate(name), scale, unit, params, means, valid))
    scale, unit = (1e3, "message/element/s") if results.with_io else (1.0, FLITS_PER_CYCLE)
    for one in results.brackets:
        params = {"study": results.study.name, **one.setting}
        known = [one.low * scale, one.high * scale]
        found.append(
            figure(
                "saturation",
                one.middle * scale,
                unit,
                params,
                statistic="bracket",
                estimator="mean of the brackets' middles",
                range=known,
                valid=not one.deadlocked,
            )
        )
    return found
