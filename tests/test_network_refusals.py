"""What `simulate`, `study`, `replay` and `--on` refuse: one line each, where there were tracebacks and wrong words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.network import description, workers
from assay.verbs import _file_names
from assay.verbs._simulate_axes import values
from command_line import assay
from example_inputs import CONSTANT, HYPERCUBE, study

PLOT = '[[plot]]\ntitle = "p"\nx = "load"\n'
STUDY = study(2, '"traffic.load" = [0.1, 0.2]', '"traffic.hotspots" = [[0], [1]]') + PLOT


def refusal(*words: object) -> str:
    found = assay(*map(str, words))
    assert (found.status, found.out) == (2, ""), found
    (line,) = found.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("plot", "line", "said"),
    [
        ('series = "b"', 16, "plot.0.series: names a key that is not swept; got 'b', expected load, hotspots, rate"),
        ("", 13, "plot.0.series: names a key that is not swept; got 'b'"),  # the default
        ('series = "hotspots"', 16, "names a key whose values cannot be put in order; got 'hotspots'"),
        ('series = "load"\nwhere = { k = 9 }', 17, "plot.0.where: names a key that is not swept; got 'k'"),
        ('series = "load"\ncolour = "red"', 17, "plot.0.colour"),
    ],
)
def test_a_plot_names_keys_that_are_swept(tmp_path: Path, plot: str, line: int, said: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(STUDY + plot + "\n")
    for more in ((), ("--plots", tmp_path / "plots")):
        found = refusal("study", file, *more)
        assert found.startswith(f"assay: {file}:{line}: ") and said in found


def test_a_plot_of_what_is_swept_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(STUDY + 'series = "load"\n')
    assert assay("study", str(file), "--plots", str(tmp_path / "plots")).status == 0
    assert (tmp_path / "plots" / "own-a.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (
            "network.flit_ticks=9223372036854775808",
            "network.flit_ticks: is 9223372036854775808, more than 64 bits hold",
        ),
        ("network.packet_flits=99999999999999999999", "network.packet_flits: is 99999999999999999999, more than"),
        ("network.io.b=9223372036854775808", "network.io.b: is 9223372036854775808, more than 64 bits hold"),
        (
            "network.failed_links=[[0]]",
            "network.failed_links.0: is of the wrong length; got [0], expected 2 entries",
        ),
        ("network.failed_links=[[0, 1, 2]]", "got [0, 1, 2], expected 2 entries"),
        ("network.dimension=１２", "network.dimension: is wrong; got '１２', expected an integer"),
        ("traffic.load=０.４", "traffic.load: is wrong; got '０.４', expected a number"),
        ('network.cycle="１ us"', "network.cycle: '１ us' is no number with a unit"),
        ('network.cycle="0.35 GB/s"', "network.cycle: '0.35 GB/s' is in B/s, not in s"),
        ("network.dimension=23", "network.dimension: is 23, accepted is an integer from 1 to 22"),
    ],
)
def test_numbers_that_are_none(setting: str, said: str) -> None:
    found = refusal("simulate", HYPERCUBE, "--set", setting)
    assert found.startswith(f"assay: --set {setting}: ") and said in found and "or more" not in found


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        ("traffic.load=0.1,bad", "--sweep traffic.load=bad: traffic.load: is wrong; got 'bad', expected a number"),
        ("traffic.lod=0.1", "--sweep traffic.lod=0.1: traffic.lod: there is no such key"),
        ("network=1,2", "--sweep network=1: network: names a whole table"),
        ("load=0.1,0.2", "--sweep load=0.1: load: there is no such key; did you mean traffic.load?; expected a key"),
        ("traffic..load=1", "--sweep: is no override; got 'traffic..load=1'"),
        ("traffic.hotspots.3=1", "--sweep traffic.hotspots.3=1: traffic.hotspots.3: traffic.hotspots has no entry 3"),
        ("network.packet_gap=1,2", "--sweep network.packet_gap=2: network.packet_gap: has no effect here; got 2"),
        ("network.dimension=3,30", "--sweep network.dimension=30: network.dimension: is 30, accepted is an integer"),
    ],
)
def test_what_a_sweep_sets_is_refused_by_the_option_that_was_typed(axis: str, said: str, tmp_path: Path) -> None:
    """It was "--set traffic.load=bad", which nobody had typed; in the file, while read, and in the core."""
    file = tmp_path / "hot.toml"
    file.write_text(Path(HYPERCUBE).read_text().replace("[method]", "hotspots = [0]\n[method]"))
    words = ("--set", 'traffic.pattern="hotspot"', "--set", "method.cycles=100", "--set", "method.warmup_cycles=0")
    assert refusal("simulate", file, *words, "--sweep", axis).startswith(f"assay: {said}")


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("load", "; did you mean traffic.load?"),
        ("lod", "; did you mean traffic.load?"),
        ("cycles", "; did you mean method.cycles?"),
        ("interval", "; did you mean io.interval?"),
        ("dimension", "; did you mean network.dimension?"),  # of the topology: as the file has it
        ("locality", "; did you mean io.locality or traffic.locality?"),
        ("zzz", ""),
    ],
)
def test_a_key_without_its_table_is_no_table(key: str, hint: str) -> None:
    found = refusal("simulate", HYPERCUBE, "--set", f"{key}=0.2")
    accepted = "expected a key inside network., traffic., io., method."
    assert found == f"assay: --set {key}=0.2: {key}: there is no such key{hint}; {accepted}"


def test_values_that_do_not_go_together_are_refused_with_the_point_of_the_sweep(tmp_path: Path) -> None:
    """Keys that the file gives are wrong beside a value of the sweep: the core says so, or who reads the file."""
    file = tmp_path / "torus.toml"
    file.write_text('[network]\ntopology = "torus"\nextents = [8]\n[traffic]\nflits = 16\n')
    found = refusal("simulate", file, "--sweep", "network.switching=wormhole,circuit", "--set", "network.lanes=2")
    assert found.startswith("assay: --set network.lanes=2: network.lanes: is more than 1, but a circuit takes whole")
    assert found.endswith("; with --sweep network.switching=circuit")
    axes = ("--sweep", "traffic.load=0.1,0.2", "--sweep", "network.topology=torus,hypercube")
    found = refusal("simulate", file, *axes)
    assert found.startswith(
        f"assay: {file}:3: network.extents: there is no such key in [network]; it is one of topology"
    )
    assert found.endswith("; with --sweep traffic.load=0.1 --sweep network.topology=hypercube")
    alone = refusal("simulate", file, "--set", "network.topology=hypercube")
    assert refusal("simulate", file, *axes[:2], "--set", "network.topology=hypercube") == alone  # not by the sweep


def test_lists_are_swept(tmp_path: Path) -> None:
    """They were cut at the commas within them."""
    file = tmp_path / "torus.toml"
    file.write_text('[network]\ntopology = "torus"\nextents = [2]\n[method]\ncycles = 200\nwarmup_cycles = 0\n')
    words = ("simulate", str(file), "--set", "network.injection_channels=2")
    document = assay(*words, "--sweep", "network.extents=[4,4],[3, 3, 3] , [8]", "--json").document
    assert [point["setting"] for point in document["points"]] == [
        {"network.extents": extents} for extents in ("[4,4]", "[3, 3, 3]", "[8]")
    ]
    single = assay(*words, "--set", "network.extents=[3,3,3]", "--json").document
    assert document["points"][1]["head_hops"] == single["head_hops"] != document["points"][0]["head_hops"]
    rows = assay(*words, "--sweep", "network.extents=[4,4],[8]").out.splitlines()[2:4]
    assert [row.split()[0] for row in rows] == ["[4,4]", "[8]"]
    assert values('network.io={n = 1, r = 2},"a,b",[[0, 1], [2, 3]]') == [
        "network.io={n = 1, r = 2}",
        'network.io="a,b"',
        "network.io=[[0, 1], [2, 3]]",
    ]
    found = refusal("simulate", file, "--sweep", "network.extents=[4,4],[8")
    assert found.startswith("assay: --sweep network.extents=[8: network.extents: is wrong; got '[8'")


def test_what_is_set_beside_a_sweep_is_refused_as_such() -> None:
    found = refusal("simulate", HYPERCUBE, "--set", "traffic.load=bad", "--sweep", "traffic.flits=8,16")
    assert found == "assay: --set traffic.load=bad: traffic.load: is wrong; got 'bad', expected a number"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-n", "99999999999999999999"), "a whole number from 1 to 2,147,483,647"),
        (("--set", "bytes=１２"), "parameter bytes: is no integer; got '１２'"),
        (("--set", "bytes=²"), "parameter bytes: is no integer; got '²'"),
        (("--ppn", "²"), "--ppn: are not counts; got '²'"),
        (("--ppn", "99999999999999999999"), "--ppn: is out of bounds"),
        (("--set", "machine.messages.startup=0.35 GB/s"), "'0.35 GB/s' is in B/s, not in s"),
    ],
)
def test_numbers_that_are_none_on_a_described_machine(words: tuple[str, ...], said: str) -> None:
    found = assay("run", "echo", "--on", CONSTANT, *words)
    assert (found.status, found.out) == (2, "")
    assert said in found.err and "Traceback" not in found.err


def test_a_graph_lies_beside_its_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, elsewhere = tmp_path / "described", tmp_path / "elsewhere"
    folder.mkdir(), elsewhere.mkdir()
    file = folder / "graph.toml"
    file.write_text('[network]\ntopology = "graph"\nfile = "edges.txt"\n[method]\ncycles = 500\n')
    (folder / "edges.txt").write_text("0 1\n1 2\n")
    monkeypatch.chdir(elsewhere)
    assert assay("simulate", str(file)).status == 0
    before = description.load(file).key()
    (folder / "edges.txt").write_text("0 1\n1 2\n2 0\n")
    assert description.load(file).key() != before  # or a sweep's points would be taken from another network
    (folder / "edges.txt").write_text("0 1\n2 3\n")
    said = "network.file: leaves no way from node 0 (router 0) to node 2 (router 2)"
    assert refusal("simulate", file) == f"assay: {file}:3: {said}"
    (folder / "edges.txt").unlink()
    assert refusal("simulate", file) == f"assay: {file}:3: network.file: edges.txt cannot be read"
    (folder / "edges.txt").mkdir()
    assert refusal("simulate", file).endswith("edges.txt cannot be read")


def test_failed_links_may_cut_a_graph_in_two(tmp_path: Path) -> None:
    file = tmp_path / "graph.toml"
    file.write_text(
        '[network]\ntopology = "graph"\nlinks = [[0, 1], [1, 2]]\nfailed_links = [[1, 2]]\n[method]\ncycles = 5000\n'
    )
    found = assay("simulate", str(file), "--json")
    assert found.status == 0
    assert found.document["unroutable"] > 0


@pytest.mark.parametrize("verb", ["simulate", "study"])
def test_executors(verb: str) -> None:
    what = HYPERCUBE if verb == "simulate" else "fig4"
    found = refusal(verb, what, "--executor", "pigeons")
    assert found == "assay: --executor: no such executor; got 'pigeons', expected processes, threads, mpi"
    found = refusal(verb, what, "--executor", "mpi")
    assert "MPI ranks to work on this are not running" in found
    assert f"mpiexec -n RANKS python -P -m mpi4py.futures -m assay {verb} {what} --executor mpi" in found


@pytest.mark.mpi
def test_mpi_ranks_that_nobody_leads_are_refused_at_once(tmp_path: Path) -> None:
    mpiexec = Path(sys.executable).parent / "mpiexec"
    launcher = str(mpiexec) if mpiexec.exists() else shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("no mpiexec")
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    allowed |= {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    command = [launcher, "-n", "2", sys.executable, "-m", "assay", "simulate", HYPERCUBE, "--executor", "mpi"]
    ran = subprocess.run(command, env=os.environ | allowed, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 2
    assert "MPI ranks to work on this are not running" in ran.stderr and "Traceback" not in ran.stderr


def test_every_executor_is_known() -> None:
    assert workers.kind("threads") == "threads"
    assert workers.kind("processes") == "processes"


def test_what_is_read_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    network, messages, own = tmp_path / "network.toml", tmp_path / "messages.csv", tmp_path / "own.toml"
    shutil.copy(HYPERCUBE, network)
    messages.write_text("id,cycle,source,destination,flits\n0,0,0,1,4\n")
    own.write_text(Path(CONSTANT).read_text())
    (tmp_path / "linked.csv").hardlink_to(messages)
    for words, said in (
        (("replay", network, messages, "-o", "messages.csv"), "--out: is messages.csv too; got 'messages.csv'"),
        (("replay", network, messages, "-o", "linked.csv"), "--out: is messages.csv too; got 'linked.csv'"),
        (("replay", network, messages, "-o", "a", "--timeline", network), "--timeline: is NETWORK.toml too; got"),
        (("replay", network, messages, "-o", "a", "--timeline", "./a"), "--timeline: is --out too; got 'a'"),
        (("simulate", network, "--heatmap", network), "--heatmap: is NETWORK.toml too; got"),
        (("run", "echo", "--on", own, "--timeline", own), "--timeline: is --on too; got"),
    ):
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        found = refusal(*words)
        assert said in found and found.endswith(", expected a file of its own")
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert assay("replay", str(network), str(messages), "-o", os.devnull, "--timeline", os.devnull).status == 0


@pytest.mark.parametrize(
    ("source", "accepted"), [(-1, "from 0 on, below the network's number of nodes"), (128, "0 to 127")]
)
def test_a_node_that_a_trace_names_is_one_of_the_network(source: int, accepted: str, tmp_path: Path) -> None:
    messages = tmp_path / "messages.csv"
    messages.write_text(f"id,cycle,source,destination,flits\n0,0,{source},1,4\n")
    found = refusal("replay", HYPERCUBE, messages, "-o", tmp_path / "out.csv")
    assert f":2: source: is wrong; got '{source}', expected an integer " in found and found.endswith(accepted)


def test_a_folder_is_no_description(tmp_path: Path) -> None:
    accepted = "expected a TOML file that describes a machine"
    found = refusal("run", "echo", "--on", tmp_path)
    assert found == f"assay: --on: is a folder; got '{tmp_path}', {accepted}"
    assert refusal("run", "echo", "--on", "") == f"assay: --on: no such file; got '', {accepted}"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for other in (pipe, os.devnull):  # both exist; a run reads its description several times
        assert refusal("run", "echo", "--on", other).startswith("assay: --on: is not a regular file: ")


def test_names_that_say_nothing_of_their_form_are_taken(tmp_path: Path) -> None:
    """A suffix in capitals, none, a number after a dot, a device; a folder whose name has a dot."""
    for name in ("load.svg", "load.SVG", "load", "load-0.3", ".load", os.devnull):
        _file_names.check_suffix("--heatmap", Path(name), "SVG", _file_names.PICTURE)
    for name in ("points.jsonl", "points.json", "points-0.25", "points.txt"):
        _file_names.check_suffix("--out", Path(name), "lines of JSON", _file_names.POINTS)
    for plots in (tmp_path, tmp_path / "new", tmp_path / "v1.2"):
        _file_names.folder("--plots", plots, _file_names.PICTURES)
    with pytest.raises(InputError, match=r"--heatmap: is written as SVG; got 'load.PNG', expected a name that ends"):
        _file_names.check_suffix("--heatmap", Path("load.PNG"), "SVG", _file_names.PICTURE)


@pytest.mark.parametrize("name", ["page.html", "page.HTM", "page", "page-0.5"])
def test_pages_and_tables_go_where_a_name_allows_it(name: str) -> None:
    _file_names.check_suffix("--out", Path(name), "HTML", _file_names.PAGE)
    for rows in ("samples.csv", "samples.txt", "samples"):
        _file_names.check_suffix("--out", Path(rows), "CSV", _file_names.TABLE)
    with pytest.raises(InputError, match=r"a name that ends in \.html$"):
        _file_names.check_suffix("--out", Path("page.md"), "HTML", _file_names.PAGE)


CIRCUITS = '[network]\ntopology = "torus"\nextents = [4, 4]\nswitching = "circuit"\n'


def test_circuits_where_the_routing_needs_lanes_are_refused_by_a_key_that_was_set(tmp_path: Path) -> None:
    """It named line 1 and `lanes`, of which the file says nothing, and not what would help."""
    file, messages = tmp_path / "torus.toml", tmp_path / "messages.csv"
    file.write_text(f"# a torus\n{CIRCUITS}")
    messages.write_text("id,cycle,source,destination,flits\n1,0,0,1,4\n")
    for words in (("simulate", file), ("replay", file, messages, "-o", tmp_path / "out.csv")):
        found = refusal(*words)
        assert found.startswith(f"assay: {file}:5: network.switching: messages take whole channels, but the routing")
        assert "; got 'circuit', expected " in found and 'on a ring or torus with dateline = "none"' in found
    found = refusal("simulate", file, "--set", "network.lanes=2")
    assert found.startswith("assay: --set network.lanes=2: network.lanes: is more than 1, but a circuit takes whole")
    assert 'expected 1, and a routing that needs no more: on a ring or torus with dateline = "none"' in found
    file.write_text(f"{CIRCUITS}lanes = 2\n")
    assert refusal("simulate", file).startswith(f"assay: {file}:5: network.lanes: is more than 1")
    short = ("--set", "method.cycles=1000", "--set", "method.warmup_cycles=0")
    file.write_text(f'{CIRCUITS}dateline = "none"\n')  # what is accepted
    assert assay("simulate", str(file), *short).status == 0
    machine = tmp_path / "machine.toml"
    machine.write_text(f'name = "m"\n{CIRCUITS}cycle = "1 ns"\n[[protocol]]\nstartup = "1 us"\n')
    found = refusal("run", "echo", "--on", machine)
    assert found.startswith(f"assay: {machine}:5: network.switching: messages take whole channels")
    swept = refusal("simulate", file, "--sweep", "network.dateline=none,wrap")
    assert swept.startswith(f"assay: {file}:4: network.switching: ")
    assert swept.endswith("; with --sweep network.dateline=wrap")


POINT = '{"version": 0, "key": "0-simulation-3", "setting": {}, "result": {}}\n'


@pytest.mark.parametrize(
    ("text", "line", "seen"),
    [
        ("garbage\n", 1, "garbage"),
        ("garbage", 1, "garbage"),
        (f"{POINT}\nid,cycle,source,destination,flits\n{POINT}", 3, "id,cycle,source,destination,flits"),
        (f'{POINT}{{"version": 1, "figures": []}}\n', 2, '{"version": 1, "figures": []}'),
        ("[1, 2]\n", 1, "[1, 2]"),
        ("7\n", 1, "7"),
        ("{\n  \n\n", None, ""),  # this one and the others below: what a kill leaves of a line
        ('{"ver', None, ""),
        (f'{POINT[:50]}\n{POINT}{{"key": "0-sim', None, ""),
    ],
)
def test_points_are_added_to_no_file_of_another_kind(text: str, line: int | None, seen: str, tmp_path: Path) -> None:
    out = tmp_path / "points.jsonl"
    out.write_text(text)
    words = ("simulate", HYPERCUBE, "--sweep", "traffic.load=0.1", "-o", str(out), "--set", "method.cycles=1000")
    short = ("--set", "method.warmup_cycles=100", "--set", "network.dimension=3")
    if line is None:
        assert assay(*words, *short).status == 0
        assert out.read_text().startswith(text) and out.read_text().count("\n") > text.count("\n")
        return
    found = refusal(*words, *short)
    assert found.startswith(
        f"assay: {out}:{line}: is no finished point, and nothing is added to a file of another kind"
    )
    assert f"; got {seen!r}, expected a file of a sweep's points" in found
    assert out.read_text() == text
