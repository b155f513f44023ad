"""The schema of a description's [validation]: how a fitted description predicted what it was not fitted to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from pydantic import Field

from assay.toml.checking import Table

NAME = "validation"
OUTSIDE = (NAME, "version")  # of what a digest is of


class ValidationTable(Table):
    """[validation]: How well the description predicted cells that it was not fitted to, as `assay predict -o` writes
    it. Studies of a description that failed are refused. It changes no simulated result.
    """

    run: str = Field(description="the run that was predicted")
    digest: str = Field(description="of all other keys of the file: a file that was changed has no validation")
    level: float = Field(gt=0, lt=1, description="level of the intervals")
    counted: int = Field(ge=0, description="cells that were not fitted and have an estimate")
    covered: int = Field(ge=0, description="those of them whose measured value lies within its interval")
    judged: int = Field(ge=0, description="those of them that have an interval")
    compared: int = Field(ge=0, description="those of them that have a baseline")
    median_error: float | None = Field(None, ge=0, description="median error of the cells that were not fitted")
    error_compared: float | None = Field(None, ge=0, description="median error of those that have a baseline")
    baseline_error: float | None = Field(None, ge=0, description="median error of the baseline there")


def digest(tables: Mapping[str, object]) -> str:
    """A digest of a description's tables, as `tomllib` gives them, without [validation]."""
    kept = {key: value for key, value in tables.items() if key not in OUTSIDE}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":"), default=str).encode()).hexdigest()
