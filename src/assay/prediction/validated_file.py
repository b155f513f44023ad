"""A model's file with [validation]: the numbers that its verdict rests on (`assay.prediction.trust`)."""

from __future__ import annotations

import tomllib

from assay import versions
from assay.described.validation_table import NAME, ValidationTable, digest
from assay.document.model_prediction import ModelPrediction

OF_PREDICTION = set(ValidationTable.model_fields) - {"digest"}


def with_validation(text: str, found: ModelPrediction) -> str:
    """The text of a description's file with [validation] anew, at its end; all else stays as it is.

    ValueError where the prediction has no intervals.
    """
    import tomlkit

    if found.level is None:
        raise ValueError("without intervals there is nothing to validate")
    made = tomlkit.parse(text)
    made.pop(NAME, None)
    kept = made.as_string()
    numbers = {key: getattr(found, key) for key in ValidationTable.model_fields if key in OF_PREDICTION}
    tables = {key: value for key, value in tomllib.loads(kept).items() if key != versions.KEY}
    rounded = {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in numbers.items()}
    table = {key: value for key, value in rounded.items() if value is not None} | {"digest": digest(tables)}
    return f"{kept.rstrip()}\n\n{tomlkit.dumps({NAME: table})}"
