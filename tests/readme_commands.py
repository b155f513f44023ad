"""Commands of README and docs, read from their text, and what is appended to those that would take long."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATED = {"coverage.md", "commands.md", "benchmarks.md", "machines.md", "ghosh.md", "network.md", "machine_keys.md"}
FIRST = [ROOT / "README.md", ROOT / "docs" / "usage.md"]  # whose commands are run
TASKS = sorted((ROOT / "docs" / "tasks").glob("*.md"))
QUICK = [*TASKS, *(ROOT / "docs" / f"{name}.md" for name in ("mpi", "scaling", "tuning", "prediction"))]  # by quick()
PAGES = [
    *FIRST,
    ROOT / "CONTRIBUTING.md",
    *(p for p in sorted((ROOT / "docs").glob("*.md")) if p.name not in GENERATED and p not in FIRST),
    *TASKS,
    *sorted((ROOT / "docs" / "benchmarks").glob("*.md")),
]
SCRIPT = {"test", "lint", "bench", "docs", "wheel", "release"}  # what ./x does itself

# A command that begins with these words ends sooner with those appended; of several beginnings the longest decides.
SHORTER = {
    "evaluate": "--only threads --launches 1",
    "evaluate --only processor,memory": "--launches 1",
    "evaluate --on": "-N 4",
    "run": "--launches 1",
    "sensitivity --on": "-n 4",
    "simulate examples/hypercube.toml --saturation": "--set method.precision=0.2 --set network.dimension=4",
    "study": "--quick",
}
# What only some sites have: such a command is read, and not run.
ELSEWHERE = {"slurm": "a Slurm cluster", "mpicxx.mpich": "a second MPI", "clang++": "a second compiler"}
ELSEWHERE["mpich"] = "MPICH's library"


def commands(page: Path) -> list[list[str]]:
    """The words of each command in a page's indented or fenced blocks; `./x evaluate` is `assay evaluate`."""
    text = page.read_text().replace("\\\n", " ")
    lines = re.findall(r"^(?:    |\$ )?((?:\./x|assay) .+)$", text, re.MULTILINE)
    found = [shlex.split(line, comments=True)[1:] for line in lines]
    return [words[words[0] == "assay" :] for words in found]


def shown(page: Path) -> list[tuple[list[str], str]]:
    """Each command of a page's console blocks, and the output that the page shows of it."""
    blocks = re.findall(r"^```console\n\$ \./x assay (.+)\n((?:.*\n)+?)```$", page.read_text(), re.MULTILINE)
    return [(shlex.split(line), output) for line, output in blocks]


def mentioned(page: Path) -> list[list[str]]:
    """The words of each command, or beginning of one, that a page's sentences name: `assay compare --margin`."""
    found = re.findall(r"`(?:\./x )?assay ([a-z][^`\n]*)`", page.read_text())
    return [shlex.split(each.replace("'", "")) for each in found]


def elsewhere(words: list[str]) -> str | None:
    """What a command needs that only some sites have."""
    return next((ELSEWHERE[each] for word in words for each in ELSEWHERE if word.partition(":")[0] == each), None)


def shortened(words: list[str]) -> list[str]:
    """The command with what makes it end sooner; a beginning with `--on` is that of any described machine."""
    on = [f"{words[0]} --on"] if "--on" in words else []
    keys = on or [key for key in SHORTER if words[: len(key.split())] == key.split()]
    return [*words, *SHORTER.get(max(keys, key=len, default=""), "").split()]


def measures(words: list[str]) -> bool:
    """Whether a command compiles or measures, or is about what was measured here."""
    programs = "examples/programs/mix" in words or (words[0] == "build" and "--list" not in words)
    here = words[0] in {"evaluate", "history", "run", "tune", "watch"} and "--on" not in words
    return programs or here or "exchange" in words or "--live" in words


def minutes(words: list[str]) -> bool:
    """Whether a command takes minutes, or shortened still ten seconds and more."""
    return measures(words) or words[0] in {"evaluate", "study"} or "--saturation" in words or "--compress" in words


def quick(words: list[str]) -> bool:
    """Whether a command takes a few seconds anywhere."""
    return not (minutes(words) or elsewhere(words))
