"""The shipped example of a rank program that charges devices, on the shipped example of a machine that has some."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.benchmark.record import take_in
from command_line import assay
from compiled import own_cache
from example_inputs import EXAMPLES

BYTES, POINTS = (1024, 65536), 1_000_000
STARTUP, PER_BYTE = 2e-6, 0.04e-9  # of accelerated.toml
LINK, LAUNCH, MEMORY = 1 / 50e9, 4e-6, 1 / 3.35e12


def test_a_step_takes_its_message_and_what_the_device_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing shares the network, and each rank has a device of its own: a closed form."""
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache(tmp_path / "cache")))
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    take_in(EXAMPLES / "offload.hpp")
    lengths = f"bytes={','.join(map(str, BYTES))}"
    sets = ["--set", lengths, "--set", f"points={POINTS}", "--set", "repetitions=1"]
    made = assay("run", "offload", "--on", str(EXAMPLES / "accelerated.toml"), "-n", "2", *sets, "--json")
    assert made.status == 0, made.err
    found = [each for each in made.document["figures"] if each["name"] == "time" and each["statistic"] == "median"]
    assert sorted(each["params"]["bytes"] for each in found) == [*BYTES]
    for each in found:
        length = each["params"]["bytes"]
        messages, device = STARTUP + length * PER_BYTE, 2 * length * LINK + LAUNCH + 24 * POINTS * MEMORY
        assert each["value"] == pytest.approx(messages + device, rel=1e-6)
