"""`import assay`: its functions give what the commands print, as tables too, and nothing is loaded before its use."""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import assay
from assay.errors import InputError
from command_line import assay as command

ROOT = Path(__file__).parents[1]
OBJECTS = {"CommandResult", "Machine", "Network"}
FUNCTIONS = [name for name in assay.__all__ if name not in OBJECTS]
INTERNAL = {"with_samples", "messages"}  # how a result is made
ECHO = ("echo", "--on", "ipsc860", "-n", "2", "--set", "bytes=8,1024")
RING: dict[str, dict[str, Any]] = {
    "network": {"topology": "torus", "extents": [3, 3], "switching": "wormhole", "lanes": 2},
    "traffic": {"flits": 4},
    "method": {"warmup_cycles": 1000, "cycles": 60000},
}
SHORT: dict[str, Any] = {"method.warmup_cycles": 100, "method.cycles": 2000}
CALLED: set[str] = set()


@pytest.fixture(autouse=True)
def _calls_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FUNCTIONS:
        monkeypatch.setattr(assay, name, recorded(name, getattr(assay, name)), raising=False)


def recorded(name: str, function: Any) -> Any:
    """The function, whose calls are noted in CALLED."""

    @functools.wraps(function)
    def noted(*arguments: Any, **options: Any) -> Any:
        CALLED.add(name)
        return function(*arguments, **options)

    return noted


def without(document: Any, *keys: str) -> Any:
    """A document without what differs from run to run."""
    if isinstance(document, dict):
        return {key: without(value, *keys) for key, value in document.items() if key not in keys}
    return [without(each, *keys) for each in document] if isinstance(document, list) else document


def test_no_function_has_the_name_of_a_module() -> None:
    """Importing every module leaves each name what it was: a function."""
    for module in pkgutil.walk_packages(assay.__path__, "assay."):
        if module.name.split(".")[-1] not in ("__main__", "_core"):
            importlib.import_module(module.name)
    for name in FUNCTIONS:
        assert callable(getattr(assay, name)) and getattr(assay, name).__module__.startswith("assay.api.")


def test_every_form_of_a_network_is_taken(tmp_path: Path) -> None:
    """A path, its tables, and an object: the same figures."""
    made = assay.Network.of(RING)
    path = made.write(tmp_path / "ring.toml")
    found = [assay.simulate(each, {"traffic.load": 0.1}) for each in (path, str(path), RING, made)]
    assert all(each.figures == found[0].figures for each in found)


def test_evaluate_is_the_command() -> None:
    """On a machine of which published figures are quoted, which takes no time."""
    found = assay.evaluate(on="ksr", only="threads")
    assert found.figures == command("evaluate", "--on", "ksr", "--only", "threads", "--json").document["figures"] != []
    assert found.passed and found.to_pandas()["value"].notna().all()


def test_importing_loads_nothing() -> None:
    lines = (
        "import assay, sys; print([m for m in ('typer', 'numpy', 'pyarrow', 'plotly', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", lines], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match=r"no attribute 'nosuch'"):
        _ = assay.nosuch  # type: ignore[attr-defined]
    assert set(assay.__all__) <= set(dir(assay))


def test_run_is_the_command(tmp_path: Path) -> None:
    printed = command("run", *ECHO, "--json").document
    found = assay.run("echo", on="ipsc860", parameters={"bytes": [8, 1024]}, ranks=2, out=tmp_path / "own")
    varies = ("run", "folder", "samples", "created", "spent", "provenance", "hosts", "host", "where")
    assert without(found.document, *varies) == without(printed, *varies)
    assert found.passed and found.folder == tmp_path / "own"
    again = assay.open(found.folder)
    assert [each["value"] for each in again.figures] == [each["value"] for each in found.figures]
    assert found.samples.num_rows == again.samples.num_rows > 0
    assert str(found.folder) in [each["folder"] for each in assay.runs()]


def test_sweep_is_one_table_of_simulations(tmp_path: Path) -> None:
    """Each row is what that load gives alone, from a file, by the command line."""
    loads = [0.05, 0.2]
    frame = assay.sweep(RING, {"traffic.load": loads}).to_pandas()
    network = tmp_path / "ring.toml"
    network.write_text(
        '[network]\ntopology = "torus"\nextents = [3, 3]\nswitching = "wormhole"\nlanes = 2\n'
        "[traffic]\nflits = 4\n[method]\nwarmup_cycles = 1000\ncycles = 60000\n"
    )
    for load in loads:
        alone = command("simulate", str(network), "--set", f"traffic.load={load}", "--json").document["figures"]
        rows = frame[frame["traffic.load"] == load]
        assert [*rows["name"]] == [each["name"] for each in alone]
        assert [*rows["value"]] == pytest.approx([each["value"] for each in alone], rel=0, abs=0, nan_ok=True)
        assert [*rows["unit"]] == [each["unit"] for each in alone]


@pytest.mark.parametrize(
    "loads",
    [
        np.linspace(0.05, 0.2, 2),
        [np.float64(0.05), np.float64(0.2)],
        pandas.Series([0.05, 0.2]),
        polars.Series([0.05, 0.2]),
        (load for load in (0.05, 0.2)),
        {0.05: "low", 0.2: "high"}.keys(),
    ],
    ids=lambda loads: type(loads).__module__.partition(".")[0] + "." + type(loads).__name__,
)
def test_an_axis_may_be_an_array_or_a_column(loads: Any) -> None:
    found = assay.sweep(RING, {"traffic.load": loads}, SHORT).to_pandas()
    wanted = assay.sweep(RING, {"traffic.load": [0.05, 0.2]}, SHORT).to_pandas()
    pandas.testing.assert_frame_equal(found, wanted)


def test_an_axis_of_truth_values_is_one_of_truth_values() -> None:
    for tried in ([True, False], np.array([True, False])):
        found = assay.sweep(RING, {"method.utilisation": tried}, SHORT | {"traffic.load": 0.1})
        assert ["utilisation" in point for point in found.document["points"]] == [True, False]
        assert [*found.to_pandas()["method.utilisation"].unique()] == [True, False]


def test_parameters_may_be_of_numpy(tmp_path: Path) -> None:
    wanted = assay.simulate(RING, {"traffic.load": 0.1, "traffic.flits": 3, "method.utilisation": True} | SHORT)
    given = {"traffic.load": np.float64(0.1), "traffic.flits": np.array(3), "method.utilisation": np.True_}
    assert assay.simulate(RING, given | SHORT).figures == wanted.figures
    echo = [
        assay.run("echo", on="ipsc860", parameters={"bytes": each}, ranks=np.int64(2), out=tmp_path / name)
        for name, each in (("list", [8, 64]), ("array", np.array([8, 64])), ("column", pandas.Series([8, 64])))
    ]
    assert (
        [[each["value"] for each in found.figures] for found in echo[1:]]
        == [[each["value"] for each in echo[0].figures]] * 2
        != [[], []]
    )
    assert assay.runs(last=np.int64(1))[0]["folder"] == str(echo[-1].folder)  # type: ignore[arg-type]


def test_the_load_has_a_name_of_its_own() -> None:
    assert assay.simulate(RING, SHORT, load=0.2).figures == assay.simulate(RING, SHORT | {"traffic.load": 0.2}).figures
    assert assay.simulate(RING, SHORT, load=0.2).figures != assay.simulate(RING, SHORT, load=0.1).figures
    with pytest.raises(InputError, match=r"traffic\.load: is given twice"):
        assay.simulate(RING, {"traffic.load": 0.1}, load=0.2)
    with pytest.raises(InputError, match=r"^load: has no effect with messages; got 0.2"):
        assay.simulate(RING, load=0.2, messages=[[0, 0, 1, 4]])


def test_tables_of_all_kinds_agree() -> None:
    found = assay.simulate(RING, {"traffic.load": 0.1})
    arrow, frame, polars = found.to_arrow(), found.to_pandas(), found.to_polars()
    assert arrow.num_rows == len(found.figures) == len(frame) == polars.height
    pandas.testing.assert_frame_equal(frame, polars.to_pandas(), check_dtype=False)
    (row,) = [each for each in arrow.to_pylist() if each["name"] == "header_latency" and each["statistic"] == "mean"]
    (figure,) = [each for each in found.figures if each["name"] == "header_latency" and each["statistic"] == "mean"]
    assert [row["low"], row["high"]] == figure["ci95"] and row["load"] == figure["params"]["load"] == 0.1
    assert row["value"] == figure["value"]


def test_a_picture_has_the_points_and_their_intervals() -> None:
    found = assay.sweep(RING, {"traffic.load": [0.2, 0.05]})
    drawn = found.plot(x="load", name="header_latency")
    heads = [each for each in found.figures if each["name"] == "header_latency"]
    points = sorted((each["params"]["load"], each["value"], each["ci95"] or [each["value"]] * 2) for each in heads)
    shown = [
        p for line in drawn.data for p in zip(line.x, line.y, line.error_y.array, line.error_y.arrayminus, strict=True)
    ]
    assert sorted((x, y) for x, y, *_ in shown) == [(x, y) for x, y, _ in points]
    for (_, y, up, down), (_, value, (low, high)) in zip(sorted(shown), points, strict=True):
        assert (y - down, y + up) == pytest.approx((low, high)) and y == value
    with pytest.raises(InputError, match=r"x: is no parameter with numbers; got 'nosuch', expected .*load"):
        found.plot(x="nosuch")
    with pytest.raises(InputError, match=r"name: no figure to draw; got 'nosuch', expected .*header_latency"):
        found.plot(name="nosuch")


def test_a_notebook_shows_a_table_with_names_escaped() -> None:
    shown = assay.CommandResult(
        {"figures": [{"name": "<b>", "value": 1.5, "unit": "s", "params": {"unit": "a&b"}}]}
    )._repr_html_()
    assert "<td>&lt;b&gt;</td>" in shown and "<th>param.unit</th><th>value</th>" in shown and "a&amp;b" in shown
    assert assay.CommandResult({})._repr_html_() == "<p>no figures</p>"


def test_a_notebook_shows_once_what_all_rows_share() -> None:
    """Every value of the table is in the line above it or in the cells, once or once a row."""
    same = {"name": "t", "unit": "s", "state": "clean"}
    figures = [same | {"value": value, "params": {"n": value, "form": "same"}} for value in (1, 2)]
    found = assay.CommandResult({"figures": figures})
    shown = found._repr_html_()
    assert shown.startswith("<p>form same, state clean</p><table>") and shown.count("same") == 1
    assert [cells.count("<td>") for cells in shown.split("<tr>")[2:]] == [4, 4]
    assert repr(found) == "CommandResult(status=0, 2 figures)"
    many = assay.CommandResult({"figures": figures * 30})._repr_html_()
    assert many.endswith("<p>20 more rows: <code>.to_pandas()</code></p>") and many.count("<tr>") == 41


def test_every_public_name_is_documented_and_those_of_objects_are_in_a_test() -> None:
    """Of `assay`: its functions, and the methods and properties of its objects. The last test here is about calls."""
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").glob("test_*.py"))
    page = (ROOT / "docs" / "python.md").read_text()
    for name in FUNCTIONS:
        assert f"assay.{name}" in page, name
    for kind in OBJECTS:
        members = [name for name in vars(getattr(assay, kind)) if not name.startswith("_")]
        for name in {*members} - INTERNAL:
            assert re.search(rf"\.{name}\b", tests) and re.search(rf"\b{name}\b", page), f"{kind}.{name}"


def test_comparing_within_a_margin(tmp_path: Path) -> None:
    a, b = (assay.run("echo", on="ipsc860", parameters={"bytes": 8}, ranks=2, out=tmp_path / name) for name in "ab")
    other = assay.run("echo", on="delta", parameters={"bytes": 8}, ranks=2, out=tmp_path / "c")
    same, unlike = assay.compare(a, b, margin=0.03), assay.compare(a, other, margin=0.03)
    assert same.passed and not unlike.passed and unlike.status == 3
    assert same.document["margin"] == 0.03
    printed = command("compare", str(a.folder), str(other.folder), "--margin", "0.03", "--json")
    assert (printed.status, printed.document["figures"]) == (3, unlike.figures)
    with pytest.raises(InputError, match="no run belongs to this result"):
        _ = same.folder


def test_scheduling_is_the_command() -> None:
    words = ("lublin", "--on", "ipsc860", "--policy", "easy", "--set", "lublin.jobs=50", "--json")
    found = assay.schedule("lublin", "ipsc860", "easy", {"lublin.jobs": 50})
    assert found.figures == command("throughput", *words).document["figures"] != []


def test_messages_are_replayed_from_rows_as_from_a_file(tmp_path: Path) -> None:
    rows = [{"id": n, "cycle": 10 * n, "source": n, "destination": 8 - n, "flits": 4} for n in (0, 1, 2)]
    file = tmp_path / "messages.csv"
    lines = ["id,cycle,source,destination,flits", *(",".join(map(str, row.values())) for row in rows)]
    file.write_text("\n".join(lines) + "\n")
    one, other = assay.replay(RING, rows, tmp_path / "one.csv"), assay.replay(RING, file, tmp_path / "other.csv")
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "other.csv").read_text()
    assert one.document["delivered"] == other.document["delivered"] == 3


def test_what_is_wrong_is_said_in_one_line() -> None:
    with pytest.raises(InputError, match=r"^lunches: no such option; expected launches\?$"):
        assay.run("echo", lunches=3)
    with pytest.raises(InputError, match=r"no-such-benchmark"):
        assay.run("no-such-benchmark")
    with pytest.raises(InputError, match=r"--launches"):
        assay.run("echo", launches="many")
    with pytest.raises(
        InputError, match=r"^network\.extent: there is no such key in \[network\]; did you mean extents"
    ):
        assay.simulate({**RING, "network": {"topology": "torus", "extent": [3]}})


def test_the_documented_lines_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(), re.M | re.S)
    for block in blocks:
        exec(block, names)
    assert len(blocks) == 7 and "header_latency" not in capsys.readouterr().err
    assert (tmp_path / "latency.html").stat().st_size > 10_000
    assert json.dumps(names["easy"].document)


def test_every_function_was_called(request: pytest.FixtureRequest) -> None:
    """By the tests of this file; where some of them are left out there is nothing to compare."""
    chosen = {item.originalname for item in request.session.items if isinstance(item, pytest.Function)}
    if not {name for name in globals() if name.startswith("test_")} <= chosen:
        pytest.skip("needs all tests of its file")
    assert sorted(CALLED) == sorted(FUNCTIONS)
