"""Quantities of a description: read with their units, stored in SI units."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from assay.machine import units


def reader(wanted: str) -> BeforeValidator:
    """What reads a text with its unit as a number of `wanted`, an SI unit."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError("is no quantity")
        return units.quantity(str(value), wanted)

    return BeforeValidator(read)


def _schema(unit: str) -> dict[str, JsonValue]:
    """JSON schema of a quantity: its unit, and examples of how it is written."""
    return {"unit": unit, "examples": units.EXAMPLES[unit]}


# The simulated clock counts picoseconds in 63 bits, 106 days (core/ranks/message_model.hpp); what comes past half of it
# is refused. Each key stays so far below that thousands of messages fit.
MOST_SECONDS = 1e3
MOST_A_BYTE = 1e-2  # a message of 4 MiB takes half a day
LEAST_RATE = 1 / MOST_SECONDS  # of units of work a second
MOST_CYCLE = 1e-3  # a network's; a message takes thousands
MOST_BYTES = 1e15  # in 64 bits, with room for their sums

Seconds = Annotated[float, reader("s"), Field(ge=0, le=MOST_SECONDS, json_schema_extra=_schema("s"))]
SecondsPerByte = Annotated[float, reader("s/B"), Field(ge=0, le=MOST_A_BYTE, json_schema_extra=_schema("s/B"))]
Bytes = Annotated[float, reader("B"), Field(ge=0, le=MOST_BYTES, json_schema_extra=_schema("B"))]
