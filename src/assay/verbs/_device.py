"""`--device`: the parameter of that name, of the benchmarks that have it."""

from __future__ import annotations

from assay.benchmark.record import benchmark
from assay.errors import InputError


def add_device(name: str, device: str | None, settings: list[str]) -> list[str]:
    """The settings with `device=…`; InputError where the benchmark is of no device."""
    if device is None:
        return settings
    if "device" not in benchmark(name).parameters:
        raise InputError(f"{name} measures no device", key="--device", value=device, accepted="device-stream, …")
    return [*settings, f"device={device}"]
