"""What a laboratory is: topology, rate, delay and slowed links, as given by a person and carried by its holder."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from assay.errors import InputError
from assay.laboratory.layout import LaboratoryLayout, layout
from assay.machine import units

NAME = "lab"
QUEUE = 1000  # frames of a direction, as Linux's interfaces have by default (txqueuelen)
LEAST_RATE, MOST_RATE = 1e3, 1.25e7  # B/s: the links' process forwards some 20,000 frames a second
MOST_DELAY = 1.0  # s


@dataclass(frozen=True)
class Specification:
    """`rate` in B/s of every link, `delay` in s that it adds; `slow`: by link, the part of the rate that it has.

    `realtime`: whether the links' process has real-time priority, so that load of the processors delays no frame.
    """

    name: str
    topology: str
    rate: float
    delay: float
    slow: dict[str, float]
    queue: int = QUEUE

    @property
    def layout(self) -> LaboratoryLayout:
        """Its hosts, cables and routes."""
        return layout(self.topology)

    def to_text(self) -> str:
        """As one word of the holder's command line."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def of_text(cls, text: str) -> Specification:
        """Read what `to_text` wrote; ValueError or TypeError where it is none."""
        return cls(**json.loads(text))


def specification(name: str, topology: str, rate: str, delay: str | None, slow: Sequence[str]) -> Specification:
    """Check what a person gives; InputError names the option, the value and what is accepted."""
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,30}", name):
        raise InputError("is no name", key="--name", value=name, accepted="small letters, digits and hyphens")
    made = layout(topology)
    slowed: dict[str, float] = {}
    for each in slow:
        link, _, part = each.partition("=")
        try:
            share = float(part)
        except ValueError:
            share = 0.0
        if not 0.01 <= share < 1:
            raise InputError("slows no link", key="--slow", value=each, accepted="LINK=PART, PART from 0.01 to below 1")
        at = made.cables[made.cable(link)].name
        if at in slowed:
            raise InputError("names a link twice", key="--slow", value=each)
        slowed[at] = share
    return Specification(name, topology, _rate(rate), 0.0 if delay is None else _delay(delay), slowed)


def _rate(text: str) -> float:
    accepted = "10 Mbit/s, from 8 kbit/s to 100 Mbit/s"
    whole = text if "/" in text else f"{text}/s"  # 10Mbit, as tc writes it
    try:
        found = units.quantity(whole, "B/s")
    except ValueError:
        raise InputError("is no rate", key="--rate", value=text, accepted=accepted) from None
    if not LEAST_RATE <= found <= MOST_RATE:
        raise InputError("is out of range", key="--rate", value=text, accepted=accepted)
    return found


def _delay(text: str) -> float:
    try:
        found = units.quantity(text, "s")
    except ValueError:
        raise InputError("is no time", key="--delay", value=text, accepted="a time, such as 1 ms") from None
    if not 0 <= found <= MOST_DELAY:
        raise InputError("is out of range", key="--delay", value=text, accepted="0 to 1 s")
    return found
