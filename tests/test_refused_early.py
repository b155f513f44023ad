"""What can be refused without the simulator is refused before it is imported: that may compile it, which takes minutes.

Usage errors of the command line are one line as well, printed before anything else.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from command_line import assay

_WITHOUT_CORE = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name == "assay._core":
            raise SystemExit("the core was imported")

sys.meta_path.insert(0, Refused())
sys.argv[0] = "assay"
from assay.cli import main
main()
"""
RING = '[network]\ntopology = "ring"\nnodes = 8\n'
FILES = {
    "ring.toml": RING,
    "syntax.toml": "[network]\ntopology = \n",
    "load.toml": RING + "[traffic]\nlod = 0.1\n",
    "table.toml": "[netwrk]\n",
    "words.csv": "id,cycle,source,destination,flits\n0,0,1,x,3\n",
}
REFUSED = {
    "simulate nosuch.toml": "nosuch.toml: cannot be read",
    "simulate syntax.toml": "syntax.toml:2: is not TOML",
    "simulate load.toml": "load.toml:5: traffic.lod: there is no such key",
    "simulate table.toml": "table.toml:1: netwrk: there is no such key",
    "simulate ring.toml --set traffic.lod=3": "--set traffic.lod=3: traffic.lod: there is no such key",
    "simulate ring.toml --set load=0.2": "--set load=0.2: load: there is no such key; did you mean traffic.load?",
    "simulate ring.toml --sweep nonsense": "--sweep: is not an axis; got 'nonsense'",
    "simulate ring.toml --sweep traffic.load=x,0.1": "--sweep traffic.load=x: traffic.load: is wrong; got 'x'",
    "simulate ring.toml --saturation --sweep traffic.load=0.1,0.2": (
        "--sweep traffic.load: has no effect here; got '0.1,0.2', expected another key: --saturation looks for the"
    ),
    "simulate ring.toml --saturation --sweep traffic.flits=8 --sweep io.interval=1": (
        "--sweep io.interval: has no effect here; got '1', expected another key: --saturation looks for the load"
    ),
    "simulate ring.toml --heatmap load.png": (
        "--heatmap: is written as SVG; got 'load.png', expected a name that ends in .svg"
    ),
    "simulate ring.toml --sweep traffic.load=0.1,0.2 -o points.csv": (
        "--out: is written as lines of JSON; got 'points.csv', expected a name that ends in .jsonl"
    ),
    "study fig4 -o points.parquet": "--out: is written as lines of JSON; got 'points.parquet', expected a name that",
    "study fig4 --plots plots.svg": (
        "--plots: is no folder; got 'plots.svg', expected a folder, into which .svg files are written"
    ),
    "study fig4 --plots words.csv": "--plots: is no folder; got 'words.csv', expected a folder, into which .svg",
    "replay ring.toml words.csv -o out.parquet": (
        "--out: is written as CSV; got 'out.parquet', expected a name that ends in .csv"
    ),
    "replay ring.toml words.csv -o out.csv --timeline messages.svg": (
        "--timeline: is written as JSON; got 'messages.svg', expected a name that ends in .json"
    ),
    "replay ring.toml words.csv -o nosuch/out.csv": (
        "--out: is in no folder that is there; got 'nosuch/out.csv', expected a file in a folder"
    ),
    "simulate ring.toml --heatmap nosuch/load.svg": "--heatmap: is in no folder that is there",
    "run echo --on ipsc860 --timeline t.svg": "--timeline: is written as JSON; got 't.svg', expected a name that",
    "run echo --on ipsc860 --matrix m.json": "--matrix: is written as CSV; got 'm.json', expected a name that",
    "fit --on ipsc860 -o own.json": "--out: is written as TOML; got 'own.json', expected a name that ends in .toml",
    "report RUN -o x.pdf": "--out: is written as HTML; got 'x.pdf', expected a name that ends in .html",
    "report RUN --markdown -o x.md": "--out: is written as HTML; got 'x.md', expected a name that ends in .html",
    "export RUN -o samples.xyz": "--out: is written as CSV; got 'samples.xyz', expected a name that ends in .csv\n",
    "export RUN -o samples.json": (
        "--out: is written as CSV; got 'samples.json', expected a name that ends in .csv, or --format json"
    ),
    "export RUN --format json -o samples.csv": (
        "--out: is written as JSON, by --format json; got 'samples.csv', expected a name that ends in .json"
    ),
    "export RUN --json -o samples.parquet": "--out: is written as JSON; got 'samples.parquet', expected a name that",
    "throughput lublin --on batch.toml --schedule out.csv": (
        "--schedule: is written as SWF; got 'out.csv', expected a name that ends in .swf"
    ),
    "run echo --on ipsc860 --timeline ring.toml/t.json": "--timeline: is in no folder that is there",
    "replay ring.toml words.csv -o out.csv --timeline t.json.gz": "--timeline: is written as JSON; got 't.json.gz'",
    "study nosuch": "there is no such study; got 'nosuch'",
    "study nosuch.toml": "there is no such study; got 'nosuch.toml'",
    "study syntax.toml": "syntax.toml:2: is not TOML",
    "replay ring.toml nosuch.csv -o out.csv": "nosuch.csv: cannot be read",
    "replay ring.toml words.csv -o out.csv": "words.csv:2: destination: is wrong; got 'x'",
    "run echo --on ipsc860 --set byts=8": "--set byts: echo has no such parameter (did you mean bytes?)",
    "run echo --on ipsc860 --set bytes=oops": "parameter bytes: is no integer; got 'oops'",
    "run echo --on ipsc860 --profile quik": "--profile: no such profile; got 'quik'",
    "run echo --on syntax.toml": "syntax.toml:2: is not TOML",
    "evaluate --on ipsc860 --profile quik": "--profile: no such profile; got 'quik'",
    "evaluate --profile quik": "--profile: no such profile; got 'quik'",
    "evaluate --within 2%": "--within: needs more launches than --profile quick makes",
    "run vectors -n 2": "vectors: is a program of one process per node; -n is for message-passing benchmarks",
    "evaluate --only kernels --ppn 2": "--ppn: is for message-passing benchmarks, but there are none here",
    "run vectors --ppn 2": "vectors: is a program of one process per node; --ppn is for message-passing benchmarks",
    "run echo --launches 0": "--launches: is out of bounds; got '0', expected a whole number from 1 on; `assay run",
    "run echo --launches some": "--launches: is wrong; got 'some', expected a whole number from 1 on; `assay run",
    "run echo --seed 1.5": "--seed: is wrong; got '1.5', expected a whole number from 0 on; `assay run -h`",
    "doctor --for long": "--for: is wrong; got 'long', expected a number from 0.1 on; `assay doctor -h`",
    "run": "run: which benchmark is missing; expected a benchmark, or --command",
    "run echo --lunches 3": "no such option: --lunches",
    "nosuchverb": "no such command 'nosuchverb'; `assay -h`",
}


@pytest.mark.parametrize("command", REFUSED)
def test_a_refusal_needs_no_core_and_is_one_line(command: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT_CORE, *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"assay: {REFUSED[command]}")
    assert ran.stderr.count("\n") == 1 and ran.stderr.endswith("\n")


def test_what_is_right_does_import_the_core(tmp_path: Path) -> None:
    """The hook that the other test relies on is seen to work."""
    (tmp_path / "ring.toml").write_text(RING)
    words = ["simulate", "ring.toml"]
    ran = subprocess.run([sys.executable, "-c", _WITHOUT_CORE, *words], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 1 and ran.stderr == "the core was imported\n"


def test_no_verb_at_all_shows_what_to_begin_with(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", _WITHOUT_CORE], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "") and "assay evaluate" in ran.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-n", "500"), "more ranks than there is room for; got 500"),
        (("-n", "2", "--set", "bytes=999999999999"), "bytes"),
    ],
)
def test_what_the_simulator_refuses_leaves_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], why: str
) -> None:
    """Not even one that says interrupted, and that a report would call a simulation of 500 ranks."""
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "notes.txt").write_text("mine")
    for out in ((), ("--out", "run"), ("--out", str(kept))):
        refused = assay("run", "echo", "--on", "ipsc860", *words, *out)
        # A folder with others' files is refused before the machine is asked, and after the program's own parameters.
        first = "is not empty" if str(kept) in out and "-n" in words and "500" in words else why
        assert refused.status == 2 and first in refused.err
    assert not list((tmp_path / "runs").glob("*")) and not Path("run").exists()
    assert [path.name for path in kept.iterdir()] == ["notes.txt"]
    assert "ipsc860" not in assay("runs").out
