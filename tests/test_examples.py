"""Every example runs as it stands, and the README names nothing that is not there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from command_line import assay

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
JOBS = ROOT / "examples" / "jobs.swf"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path) -> None:
    """A machine plays a benchmark, or takes a workload; a network carries its own traffic, here for fewer cycles."""
    table = tomllib.loads(path.read_text())
    if "messages" in table:
        answer = assay("run", "echo", "--on", str(path), "--set", "bytes=8,1024", "--json")
        assert answer.status == 0, answer.err
        assert {f["name"] for f in answer.document["figures"]} == {"rate", "half_round_trip"}
    elif "study" in table:
        small = path.read_text().replace("ranks = [16, 64, 256]", "ranks = [16, 64]")
        Path("small.toml").write_text(small)
        answer = assay("study", "small.toml", "--plots", "drawn", "--json")
        assert answer.status == 0, answer.err
        rates = {
            (point["setting"]["label"], point["ranks"]): figure["value"]
            for point in answer.document["points"]
            for figure in point["figures"]
            if figure["params"].get("bytes") == 4096
        }
        assert len(rates) == 10 and len(list(Path("drawn").iterdir())) == 2
        # Of 64 ranks, which have spines between them, tapering takes the most, and a dead one of twenty little.
        whole, dead, tapered = (rates[label, 64] for label in ("as it is", "a dead spine", "tapered 4 to 1"))
        assert tapered < dead < whole and dead > 0.9 * whole
        assert rates["tapered 4 to 1", 16] == rates["as it is", 16]  # within one leaf
    elif "nodes" in table.get("machine", {}):
        answer = assay("throughput", str(JOBS), "--on", str(path), "--json")
        assert answer.status == 0, answer.err
        assert answer.document["scheduled"] == len(answer.document["jobs"]) > 0
    else:
        short = [] if "cycles" not in table.get("method", {}) else ["--set", "method.cycles=20000"]
        answer = assay("simulate", str(path), *short, "--json")
        assert answer.status == 0, answer.err
        assert answer.document["messages"] > 0 and answer.document["engine"]


def test_the_readme_names_only_what_is_there() -> None:
    text = (ROOT / "README.md").read_text() + (ROOT / "CONTRIBUTING.md").read_text()
    for path in re.findall(r"\b((?:examples|docs|tests|src|programs|core|bench)/[\w./-]*[\w/])", text):
        assert (ROOT / path).exists(), path
    verbs = {p.stem for p in (ROOT / "src/assay/verbs").glob("*.py")}
    for verb in re.findall(r"\./x assay (\w+)", text):
        assert verb in verbs, verb
