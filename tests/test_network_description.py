"""NETWORK.toml: the documented file, units, overrides; errors name file, line, key, value and what is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.network import description, network_keys, network_tables
from assay.toml import lines
from example_inputs import HYPERCUBE

EXAMPLE = Path(HYPERCUBE)


def load(*overrides: str) -> description.NetworkDescription:
    return description.load(EXAMPLE, overrides)


def refusal(*overrides: str) -> str:
    with pytest.raises(InputError) as caught:
        load(*overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_example_is_what_it_says() -> None:
    found = load()
    config = found.core()
    assert config["network"]["dimension"] == 7
    assert config["network"]["injection_channels"] == 9
    assert config["traffic"]["load"] == 0.2
    assert config["traffic"]["flits"] == [[32, 1.0]]
    assert (found.method.seed, found.method.warmup_cycles, found.method.cycles) == (1, 2000, 2_000_000)


def test_defaults_that_are_spelled_out_change_nothing() -> None:
    assert load("network.order=highest-first", "network.channels=1").key() == load().key()
    assert load("network.channels=2").key() != load().key()
    assert load("method.seed=2").key() != load().key()


@pytest.mark.parametrize(
    ("override", "seen"),
    [
        ("network.channel_rate=20 MB/s", 5e-8),
        ("network.cycle=0.05 us", 5e-8),
        ("network.cycle=2e-9", 2e-9),
    ],
)
def test_the_clock_has_units(override: str, seen: float) -> None:
    assert load(override).cycle == pytest.approx(seen, rel=1e-12)


def test_times_and_lengths_have_units() -> None:
    found = load("network.flit_bytes=4", "network.cycle=0.1 us", "method.warmup_cycles=50 us", "traffic.flits=4 KiB")
    assert found.method.warmup_cycles == 500
    assert found.core()["traffic"]["flits"] == [[1024, 1.0]]
    io = load("io.interval=156 us", "io.startup=200 us").io
    assert io is not None
    assert (io.interval, io.startup) == (3120, 4000)  # the paper's cycle of 0.05 us


def test_lengths_may_be_distributed() -> None:
    assert load("traffic.flits={lengths=[8, 16], weights=[3, 1]}").core()["traffic"]["flits"] == [[8, 3.0], [16, 1.0]]
    assert load("traffic.flits={minimum=2, maximum=4}").core()["traffic"]["flits"] == [[2, 1.0], [3, 1.0], [4, 1.0]]
    assert load("traffic.flits.geometric_mean=20").core()["traffic"]["lengths"] == "geometric"


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("network.dimensoin=3", ["network.dimensoin", "did you mean dimension?"]),
        ("network.extents=[2, 2]", ["network.extents", "topology mesh"]),
        ("network.topology=hyperkube", ["'hyperkube'", "did you mean hypercube", "expected"]),
        ("network.dimension=three", ["'three'", "expected an integer"]),
        ("network.buffer_flits=true", ["True", "an integer"]),
        ("traffic.load=-1", ["-1", "expected a number above 0, up to 1e+06"]),
        ("traffic.pattern=unifrom", ["'unifrom'", "'uniform'"]),
        ("traffic.flits=3 parsecs", ["parsecs"]),
        ("traffic.flits={lengths=[1, 2], weights=[1]}", ["as many"]),
        ("traffic.flits.lenghts=[3]", ["traffic.flits.lenghts", "did you mean lengths"]),
        ("method.cycles=0", ["method.cycles", "a whole number from 1 to"]),
        ("method.quantiles=[2]", ["method.quantiles.0", "a number above 0 and below 1"]),
        ("trafic.load=1", ["trafic", "did you mean traffic?"]),
        ("network=3", ["whole table"]),
        ("load", ["dotted.key=value"]),
    ],
)
def test_errors_name_key_value_and_what_is_accepted(override: str, words: list[str]) -> None:
    message = refusal(override)
    assert "--set" in message
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[network]\ntopology = "hypercube"\n\ndimension = "x"\n', [":4: network.dimension", "'x'"]),
        ('[network]\ntopology = "hypercube"\n', [":1: network.dimension: is missing"]),
        ("[network]\ndimension = 3\n", [":1: network.topology: is missing", "hypercube"]),
        ('[network]\ntopology = "hypercube"\ndimension = 3\n[traffic]\n\n  load = -1\n', [":6: traffic.load"]),
        (
            '[network]\ntopology = "hypercube"\ndimension = 3\n[traffic.flits]\nlengths = [\n 1,\n 0]\n',
            [":5: traffic.flits"],
        ),
        ('network.topology = "hypercube"\nnetwork.dimension = true\n', [":2: network.dimension"]),
        ('[network\ntopology = "hypercube"\n', [":1: is not TOML"]),
        ("network = 3\n", [":1: network: is no table"]),
        ("", ["network.topology: is missing"]),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, words: list[str]) -> None:
    file = tmp_path / "n.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        description.load(file)
    for word in [str(file), *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a = " + b"[" * 100_000, b"a = " + b"9" * 5000])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "n.toml"
    file.write_bytes(content)
    with pytest.raises(InputError):
        description.load(file)
    with pytest.raises(InputError):
        description.load(tmp_path / "absent.toml")
    with pytest.raises(InputError):
        description.load(tmp_path)


def test_lines_are_found_past_what_may_hide_a_key() -> None:
    text = (
        '# [no]\na = """\n[no]\nb = 1\n"""\nc = [\n  { d = 1 },\n]\n[t]\n"e.f" = "[x] # y" # z\n[[u]]\n[[u]]\ng = 2\n'
    )
    assert lines.line_of(text, ("a",)) == 2
    assert lines.line_of(text, ("b",)) is None
    assert lines.line_of(text, ("c", 0, "d")) == 6
    assert lines.line_of(text, ("t", "e.f")) == 10
    assert lines.line_of(text, ("u", 1, "g")) == 13
    assert lines.line_of(text, ("no",)) is None


TEXT = EXAMPLE.read_text()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_garbled_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    characters = list(TEXT)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(characters) - 1))
        characters[at : at + data.draw(st.integers(0, 20))] = data.draw(
            st.one_of(
                st.text(max_size=6),
                st.sampled_from(["[", "]", '"', "=", "\n", "1e999", "-1", "nan", "{}", "99999999999999999999"]),
            )
        )
    file = tmp_path / "n.toml"
    file.write_text("".join(characters), errors="ignore")
    try:
        found = description.load(file)
        found.core()
        found.key()
    except InputError as error:
        assert str(file) in str(error)


def test_every_key_is_in_the_reference() -> None:
    reference = network_keys.markdown()
    for model in (
        network_tables.NetworkTable,
        network_tables.TrafficTable,
        network_tables.Lengths,
        network_tables.InputOutput,
        network_tables.IoFiles,
        network_tables.IoDrive,
        network_tables.Method,
    ):
        for name, field in model.model_fields.items():
            assert f"| `{name}` |" in reference
            assert field.description or name in ("topology",)
    assert "| `dimension` | must be given |" in reference
