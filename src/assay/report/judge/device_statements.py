"""What vendors state of devices (catalogue/devices.toml): a device is found there by the name that its driver gives."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files

from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document

BY = {"device-stream": "kernel", "device-peak": "type", "device-gemm": "type"}  # of what the best case is taken


@dataclass(frozen=True)
class StatedDevice:
    """What a vendor states of one device: bytes per second, flop/s by type in vector units and in matrix engines."""

    name: str
    match: tuple[str, ...]
    source: str
    memory: float
    vector: dict[str, float]
    matrix: dict[str, float]
    without: tuple[str, ...] = ()
    parts: int = 1

    def means(self, name: str) -> bool:
        """Whether a driver's name has all words of `match` and none of `without`."""
        words = {*re.findall(r"\w+", name)}
        return words >= {*self.match} and not words & {*self.without}

    def rate(self, benchmark: str, of: str, device: str) -> float | None:
        """What the best case of a benchmark could reach at most, of one of the parts that programs see.

        `device`: by what it is reached, `cuda:0`. Libraries through OpenCL do not use matrix engines.
        """
        matrix = 0.0 if device.startswith("opencl") else self.matrix.get(of, 0.0)
        best = max(self.vector.get(of, 0.0), matrix)
        known = (
            self.memory if benchmark == "device-stream" else self.vector.get(of) if benchmark == "device-peak" else best
        )
        return known / self.parts if known else None


@functools.cache
def stated() -> tuple[StatedDevice, ...]:
    """All devices of the catalogue."""
    table = tomllib.loads((files("assay.catalogue") / "devices.toml").read_text(encoding="utf-8"))
    return tuple(
        StatedDevice(**{**each, "match": tuple(each["match"]), "without": tuple(each.get("without", ()))})
        for each in table["device"]
    )


def stated_of(name: str) -> StatedDevice | None:
    """The device that a driver's name means, where the catalogue has it."""
    return next((each for each in stated() if each.means(name)), None)


def device_stated(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """What the vendor states of the device that a figure is of, in the figure's unit; None where nothing is known."""
    by = BY.get(figure.benchmark)
    known = stated_of(str(figure.params.get("name", ""))) if by else None
    of, device = str(figure.params.get(str(by))), str(figure.params.get("device"))
    rate = known.rate(figure.benchmark, of, device) if known else None
    return (rate, "stated by the vendor") if rate else None
