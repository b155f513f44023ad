"""Counts and errors of predicted cells: of all that were not used, and by class of transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import get_args

from assay.analysis.binomial import share_interval
from assay.document.model_prediction import PredictedCell, PredictionCounts, Transfer, TransferCounts


def counts(cells: Sequence[PredictedCell]) -> PredictionCounts:
    """Of those of some cells that count."""
    counted = [each for each in cells if each.counts]
    errors = [abs(each.error) for each in counted]
    pairs = [(abs(each.error), abs(other)) for each in counted if (other := each.baseline_error) is not None]
    judged = [each.covered for each in counted if each.covered is not None]
    covered = sum(judged)
    repeated = [each.repeat_error for each in counted if each.repeat_error is not None]
    return PredictionCounts(
        counted=len(counted),
        median_error=_median(errors),
        worst_error=max(errors, default=None),
        compared=len(pairs),
        error_compared=_median([own for own, _ in pairs]),
        baseline_error=_median([other for _, other in pairs]),
        covered=covered,
        judged=len(judged),
        coverage=covered / len(judged) if judged else None,
        coverage_interval=share_interval(covered, len(judged)) if judged else None,
        repeat_error=_median(repeated),
    )


def by_transfer(cells: Sequence[PredictedCell]) -> list[TransferCounts]:
    """Of each class of transfer that has a cell that counts, from the least to the most."""
    found = []
    for transfer in get_args(Transfer):
        own = [each for each in cells if each.transfer == transfer and each.counts]
        if own:
            found.append(TransferCounts(transfer=transfer, **asdict(counts(own))))
    return found


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
