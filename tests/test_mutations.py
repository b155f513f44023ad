"""No damage to what is kept is silent: each verb names it, or answers as it did before; none breaks.

500 mutations in all with the nightly ones, every one drawn from its own seed.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Answer, assay
from described_echo import described_echo
from example_inputs import small_mix
from mutations import mutate

FEW, MANY = 12, {"run": 300, "throughput": 120, "sweep": 80}
NETWORK = '[network]\ntopology = "hypercube"\ndimension = 2\n[method]\ncycles = 2000\nwarmup_cycles = 100\n'
SWEEP = ("simulate", "network.toml", "--sweep", "traffic.load=0.1,0.2,0.3", "--out", "points/points.jsonl", "--json")
LIVE = ("--jobs", "jobs.toml", "--via", "local", "--slots", "64", "--compress", "1e6", "--json", "--out")
SQL = """SELECT benchmark, "case", metric, count(*), sum(value) FROM samples GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""
VERBS = {
    "report": ("report", "damaged", "--json"),
    "compare": ("compare", "damaged", "whole", "--json"),
    "query": ("query", SQL, "--run", "damaged", "--json"),
    "export": ("export", "damaged"),
}
MADE_FROM = shutil.ignore_patterns("report.*", "result.*", "*.csv", "*.swf", "*.html")  # what results are not read from


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, two throughput tests and two sweeps, of which one is damaged."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        described_echo(folder).rename("whole")
        described_echo(folder, lengths="8,64,512").rename("other")
        small_mix(folder)
        (folder / "mix2").write_text("0: 2 * wide\n10: 1 * narrow\n")
        for schedule, out in (("mix", "test"), ("mix2", "test2")):
            made = assay("throughput", schedule, *LIVE, out)
            assert made.status == 0, made.err
        (folder / "network.toml").write_text(NETWORK)
        for out, load in (("points", "0.1,0.2,0.3"), ("points2", "0.1,0.2,0.4")):
            (folder / out).mkdir()
            words = [word.replace("points/", f"{out}/").replace("0.1,0.2,0.3", load) for word in SWEEP]
            assert assay(*words).status == 0
    return folder


@pytest.fixture(autouse=True)
def here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    for name in ("damaged", "report.html"):
        shutil.rmtree(place / name, ignore_errors=True)


def seeds(kind: str) -> list[object]:
    marked = (pytest.param(seed, marks=pytest.mark.nightly) for seed in range(FEW, MANY[kind]))
    return [*range(FEW), *marked]


def plain(answer: Answer) -> tuple[int, str]:
    """What an answer comes to, without times of reading and names of folders."""
    text = re.sub(r"damaged|test2?\b|whole", "FOLDER", answer.out)
    return answer.status, re.sub(r'(cpu_seconds"): [^,\n]+', r"\1", text)  # of computing: no result


def judged(answer: Answer, undamaged: tuple[int, str], how: str) -> None:
    """Damage is said in a line that names the file, or the answer is the undamaged one; nothing else."""
    assert answer.status in (0, 1, 2) and "Traceback" not in answer.err, (how, answer)
    same = plain(answer) == undamaged
    differ = [(a, b) for a, b in zip(plain(answer)[1].splitlines(), undamaged[1].splitlines(), strict=False) if a != b]
    assert same or _names_what_is_damaged(answer.err, how), (how, answer, differ[:4])


def _names_what_is_damaged(said: str, how: str) -> bool:
    """Whether a line names the damaged file; where that makes the folder what it is, the folder is enough."""
    path = Path(how.rpartition(": ")[0].rpartition(" ")[2])
    named = (str(path), path.name, f"{path.parent.name}/{path.name}")
    if path.name in ("plan.json", "run.json"):
        named += ("damaged",)
    return any(line.startswith("assay: ") and any(name in line for name in named) for line in said.splitlines())


@pytest.fixture(scope="module")
def before(place: Path) -> Callable[[str], tuple[int, str]]:
    """The answers of verbs on the undamaged run."""
    kept: dict[str, tuple[int, str]] = {}

    def ask(verb: str) -> tuple[int, str]:
        if verb not in kept:
            shutil.rmtree("damaged", ignore_errors=True)
            shutil.copytree("whole", "damaged")
            kept[verb] = plain(assay(*VERBS[verb]))
            shutil.rmtree("damaged")
        return kept[verb]

    return ask


@pytest.mark.parametrize("seed", seeds("run"))
def test_no_damage_to_a_run_is_silent(seed: int, before: Callable[[str], tuple[int, str]]) -> None:
    dice = random.Random(seed)
    verb = dice.choice(sorted(VERBS))
    undamaged = before(verb)
    shutil.copytree("whole", "damaged", ignore=shutil.ignore_patterns("report.*"))
    how = mutate(Path("damaged"), Path("other"), dice, ("lock",))
    judged(assay(*VERBS[verb]), undamaged, f"{verb}: {how}")


@pytest.mark.parametrize("seed", seeds("throughput"))
def test_no_damage_to_a_throughput_test_is_silent(seed: int) -> None:
    shutil.copytree("test", "damaged")
    undamaged = plain(assay("throughput", "mix", *LIVE, "damaged"))
    shutil.rmtree("damaged")
    shutil.copytree(
        "test", "damaged", ignore=shutil.ignore_patterns("report.*", "result.*", "*.csv", "*.swf", "*.html")
    )
    how = mutate(Path("damaged"), Path("test2"), random.Random(seed), ("lock", "submitting", "output"))
    judged(assay("throughput", "mix", *LIVE, "damaged"), undamaged, how)


@pytest.mark.parametrize("seed", seeds("sweep"))
def test_no_damage_to_a_sweep_is_silent(seed: int) -> None:
    shutil.copytree("points", "damaged")
    words = [word.replace("points/", "damaged/") for word in SWEEP]
    undamaged = plain(assay(*words))
    how = mutate(Path("damaged"), Path("points2"), random.Random(seed), ())
    judged(assay(*words), undamaged, how)
