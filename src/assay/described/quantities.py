"""Quantities of a description: read with their units, kept in SI units."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from assay.machine import units


def reader(wanted: str) -> BeforeValidator:
    """What reads a text with its unit as a number of `wanted`, an SI unit."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError("is no quantity")
        return units.quantity(str(value), wanted)

    return BeforeValidator(read)


def _schema(unit: str) -> dict[str, Any]:
    """JSON schema of a quantity: its unit, and examples of how it is written."""
    return {"unit": unit, "examples": units.EXAMPLES[unit]}


Seconds = Annotated[float, reader("s"), Field(ge=0, json_schema_extra=_schema("s"))]
SecondsPerByte = Annotated[float, reader("s/B"), Field(ge=0, json_schema_extra=_schema("s/B"))]
Bytes = Annotated[float, reader("B"), Field(ge=0, json_schema_extra=_schema("B"))]
