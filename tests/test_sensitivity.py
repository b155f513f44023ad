"""Elasticities against derivatives in closed form, and the law that scaling all times scales every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.benchmark.record import benchmark
from assay.case import Case
from assay.described.shipped import open_described
from assay.document.sensitivity import Elasticity
from assay.errors import InputError
from assay.sensitivity.elasticities import elasticities
from assay.sensitivity.measured import Question, sensitivity
from assay.sensitivity.numeric_keys import NumericKey, numeric_keys
from command_line import assay
from example_inputs import CONSTANT

LINK = """name = "link"
[network]
topology = "crossbar"
nodes = 2
switching = "wormhole"
buffer_flits = 0
cycle = "1 ns"
flit_bytes = 8.0
flit_ticks = 40
body_ticks = 40
head_ticks = 100
[[protocol]]
startup = "1.5 us"
receive = "0.5 us"
copy = "0.7 ns/B"
"""


def asked(on: str, name: str, ranks: int | None = 2, /, machine: dict[str, str] | None = None, **given: str) -> Any:
    return sensitivity(on, machine or {}, [Question(benchmark(name), given, ranks)])[0]


def of(found: Any, figure: str, **params: Any) -> dict[str, Elasticity]:
    """The elasticities of one figure by key."""
    return {
        each.key: each
        for each in found.keys
        if each.figure == figure and all(each.params[key] == value for key, value in params.items())
    }


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 4_000_000),
    st.floats(1e-7, 1e-2),
    st.floats(1e-10, 1e-6),
    st.sampled_from(["half_round_trip", "rate"]),
)
def test_a_constant_machine_s_elasticities_are_the_shares_of_its_two_terms(
    length: int, startup: float, per_byte: float, figure: str
) -> None:
    """Of T = alpha + beta n: alpha / T and beta n / T; of the rate n / T their negatives."""
    machine = {"messages.startup": f"{startup:.12g} s", "messages.per_byte": f"{per_byte:.12g} s/B"}
    found = of(asked(CONSTANT, "echo", machine=machine, bytes=str(length)), figure)
    if figure == "rate" and length == 0:
        assert not found
        return
    sign = -1 if figure == "rate" else 1
    time = startup + per_byte * length
    rounding = 1e-12 / (0.02 * time)  # a picosecond, over the step
    assert found["messages.startup"].elasticity == pytest.approx(sign * startup / time, rel=2e-4, abs=1e-4 + rounding)
    bytes_share = sign * per_byte * length / time
    assert found["messages.per_byte"].elasticity == pytest.approx(bytes_share, rel=2e-4, abs=1e-4 + rounding)
    assert found["messages.per_byte"].inert == (length == 0)
    assert not found["messages.startup"].inert


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(10, 20_000))
def test_a_link_s_elasticities_are_the_shares_of_its_terms(tmp_path: Path, flits: int) -> None:
    """T = start-up + receipt + copy n + cycle (head_ticks + flit_ticks n / flit_bytes), a message of whole flits."""
    (tmp_path / "link.toml").write_text(LINK)
    length = 8 * flits
    found = of(asked(str(tmp_path / "link.toml"), "echo", bytes=str(length)), "half_round_trip")
    links = 1e-9 * 100 + 1e-9 * 40 * flits
    time = 1.5e-6 + 0.5e-6 + 0.7e-9 * length + links
    expected = {
        "protocol.0.startup": 1.5e-6,
        "protocol.0.receive": 0.5e-6,
        "protocol.0.copy": 0.7e-9 * length,
        "network.cycle": links,
        "network.head_ticks": 1e-9 * 100,
    }
    # The last flit takes the longer of both, which are as long: half of it is of either.
    by_flit = sum(found[f"network.{name}_ticks"].elasticity or 0.0 for name in ("flit", "body"))
    assert by_flit == pytest.approx(1e-9 * 40 * flits / time, abs=5e-4)
    for key, part in expected.items():
        rounding = 1e-9 / (2 * 0.16 * time)  # of a copy to a cycle
        rounded = key in ("protocol.0.copy", "network.cycle")
        tolerance = 1e-4 + (found[key].step or 0) ** 2 / 3 + (rounding if rounded else 0)
        assert found[key].elasticity == pytest.approx(part / time, abs=tolerance), key
    if flits % 100 == 0:  # else a flit more or less is a step
        assert found["network.flit_bytes"].elasticity == pytest.approx(-1e-9 * 40 * flits / time, abs=0.02)


MACHINES = ["ipsc860", "paragon-mp", "ncube6400", "fat-tree-hdr", "dragonfly-slingshot", "torus-tofud", "delta"]


@pytest.mark.parametrize("machine", [CONSTANT, *MACHINES], ids=lambda path: Path(path).stem)
@pytest.mark.parametrize(("name", "given"), [("ring", {"bytes": "8,4000"}), ("barrier", {"algorithm": "tree"})])
def test_where_all_times_are_scaled_every_time_is(machine: str, name: str, given: dict[str, str]) -> None:
    """Euler's law: the elasticities of all times, less those of rates, sum to 1 of a time and to -1 of a rate."""
    found = asked(machine, name, 8, **given)
    of_unit = {"s": 1.0, "B/s": -1.0, "1/s": -1.0}
    units = {(each.name, each.params): of_unit.get(each.unit) for each in found.figures}
    sums = [(each.sum, units[each.figure, each.params]) for each in found.times]
    assert [wanted for _, wanted in sums if wanted is not None]
    for total, wanted in sums:
        assert wanted is None or total == pytest.approx(wanted, abs=0.02)


def test_a_kernel_s_rate_is_that_of_its_program() -> None:
    found = asked("ipsc860", "linpack", None)
    by_key = of(found, "rate")
    assert by_key["compute.rate.linpack"].elasticity == pytest.approx(1, abs=1e-3)
    assert all(each.inert for key, each in by_key.items() if key != "compute.rate.linpack")
    sums = {each.params: each.sum for each in found.times if each.figure == "rate"}
    assert sums and all(total == pytest.approx(-1, abs=1e-3) for total in sums.values())


def test_a_network_of_a_rate_in_place_of_a_cycle_is_the_same(tmp_path: Path) -> None:
    """channel_rate = flit_bytes / cycle: its elasticity is that of the cycle, negative, and picoseconds stay whole."""
    (tmp_path / "link.toml").write_text(LINK)
    text = LINK.replace('cycle = "1 ns"', 'channel_rate = "8 GB/s"')
    (tmp_path / "rated.toml").write_text(text)
    cycle, rate = (
        of(asked(str(tmp_path / f"{name}.toml"), "echo", bytes="8000"), "half_round_trip")[f"network.{key}"]
        for name, key in (("link", "cycle"), ("rated", "channel_rate"))
    )
    assert cycle.elasticity is not None and rate.elasticity == pytest.approx(-cycle.elasticity, abs=5e-3)
    assert rate.down is not None and rate.up is not None


def test_a_corner_is_said_with_both_sides() -> None:
    """The larger of two times: at the corner one side has all of it and the other nothing."""
    key = NumericKey("a", 2.0, "s")
    name = ("made", "time", Case({"x": 1}))

    def play(texts: Any) -> Any:
        return {name: max(2.0, float(texts["a"].split()[0]))}

    (found,) = elasticities([key], {name: 2.0}, play)
    assert found.bent and found.down == 0 and found.up == pytest.approx(1) and not found.inert
    (smooth,) = elasticities([NumericKey("a", 8.0, "s")], {name: 8.0}, play)
    assert not smooth.bent and smooth.elasticity == pytest.approx(1)
    (inert,) = elasticities([NumericKey("a", 1.0, "s")], {name: 2.0}, play)
    assert inert.inert and inert.elasticity == 0
    (far,) = elasticities([NumericKey("a", 1.8, "s")], {name: 2.0}, play)
    assert not far.inert and far.elasticity == 0  # a third more changes it


def test_every_number_of_every_shipped_description_is_there() -> None:
    """What a description states as a number, but for those that say which one: found by the file's own text."""
    machine = open_described("ipsc860")
    keys = {each.key for each in numeric_keys(machine)}
    assert {"network.flit_ticks", "network.cycle", "network.dimension", "protocol.1.copy_limit", "self.0.copy"} <= keys
    assert {"compute.rate.gemm", "compute.time.int16_add", "storage.disk.revolution", "node.memory"} <= keys
    assert not any(key.startswith(("variant", "defaults", "origin")) for key in keys)
    assert "network.acknowledgement" not in keys  # 0 has no logarithm


def test_the_verb_gives_keys_figures_and_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    slower = ("--set", "machine.messages.per_byte=0.7 us/B")
    words = ("sensitivity", "--on", CONSTANT, "echo", "--set", "bytes=100", *slower)
    document = assay(*words, "--plots", "drawn", "--json").document
    by_key = {(each["key"], each["figure"]): each for each in document["keys"]}
    for key, part in (("messages.startup", 0.5), ("messages.per_byte", 0.5)):
        assert by_key[key, "half_round_trip"]["elasticity"] == pytest.approx(part, abs=1e-3)
        assert by_key[key, "half_round_trip"]["params"]["bytes"] == 100
        assert by_key[key, "rate"]["elasticity"] == pytest.approx(-part, abs=1e-3)
    assert not by_key["messages.per_byte", "rate"]["inert"] and not by_key["messages.startup", "rate"]["inert"]
    drawn = sorted(path.name for path in (tmp_path / "drawn").iterdir())
    assert drawn and all("messages.per_byte" in (tmp_path / "drawn" / name).read_text() for name in drawn)
    shown = assay(*words)
    assert shown.status == 0 and "+0.500" in shown.out and "1 keys are inert" not in shown.out
    assert "█" in shown.out and "a tenth less messages.startup" in shown.out
    assert json.dumps(document["times"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("echo",), "--on: is missing"),
        (("--on", CONSTANT), "BENCHMARK: is missing"),
        (("--on", CONSTANT, "echo", "echo"), "echo: is named twice"),
        (("--on", CONSTANT, "echo", "--set", "nosuch=1"), "no benchmark here has such a parameter"),
        (("--on", CONSTANT, "lock"), "measures a real processor"),
        (("--on", CONSTANT, "echo", "-n", "1"), "needs more ranks"),
        (("--on", CONSTANT, "echo", "-n", "2,4"), "-n: is one number here"),
        (("--on", "nosuch", "echo"), "no such machine"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: tuple[str, ...], said: str) -> None:
    answer = assay("sensitivity", *words)
    assert answer.status == 2 and said in answer.err and not answer.out


def test_a_count_that_cannot_change_alone_says_why() -> None:
    def play(texts: Any) -> Any:
        raise InputError("two of one are refused")

    (found,) = elasticities([NumericKey("count", 1, grain=1)], {("a", "b", Case()): 1.0}, play)
    assert found.elasticity is None and not found.inert and found.why == "two of one are refused"


def test_what_must_be_measured_better_is_the_interval_by_the_elasticity(tmp_path: Path) -> None:
    """70 us to within 10% and .7 us/B to within 4%: of 100 bytes each is half the time, so 5% and 2%."""
    (tmp_path / "known.toml").write_text(
        'name = "known"\n[messages]\nstartup = "70 us"\nper_byte = "0.7 us/B"\n[uncertainty]\nlevel = 0.9\n'
        'used = "made"\nkeys = ["messages.startup", "messages.per_byte"]\nlow = ["63 us", "0.672 us/B"]\n'
        'high = ["77 us", "0.728 us/B"]\ncovariance = [[0.0037, 0.0], [0.0, 0.0006]]\n'
    )
    found = asked(str(tmp_path / "known.toml"), "echo", bytes="100")
    unsure = {key: each.unsure for key, each in of(found, "half_round_trip").items()}
    assert unsure == pytest.approx({"messages.startup": 0.05, "messages.per_byte": 0.02}, rel=1e-3)
    first = found.measure[0]
    assert first.key == "messages.startup" and first.unsure == pytest.approx(0.05, rel=1e-3)
    assert not any(key.key.startswith("uncertainty") for key in found.keys)
    answer = assay("sensitivity", "--on", str(tmp_path / "known.toml"), "echo", "--set", "bytes=100")
    assert "messages.startup: its interval moves echo half_round_trip (bytes 100 B) by 5.0% either way" in answer.out
