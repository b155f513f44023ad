"""What a newcomer types first: `assay` alone, `assay help`, `list`, `benchmarks`, `machines`; each answers."""

from __future__ import annotations

from collections.abc import Sequence

COMMANDS = """\
Assay evaluates parallel machines: it measures the one you have and simulates those that are described.

  assay doctor                       what this machine is, and what can be measured on it
  assay evaluate                     measure every part of it and write report.html: about a minute
  assay run echo -n 2                one benchmark and its figures; `assay benchmarks` lists all
  assay run echo -n 2 --on ipsc860   the same program on a described machine; `assay machines` lists them
  assay compare RUN RUN              which figures of two runs differ; `assay runs` lists your runs

`assay -h` lists all commands, `assay COMMAND -h` the options of one.
"""

# By what is typed: the command of ours that answers.
MEANT = {
    "benchmarks": ("catalogue", "--benchmarks"),
    "list": ("catalogue", "--benchmarks"),
    "machines": ("catalogue",),
}


def meant(words: Sequence[str]) -> list[str]:
    """Return the command line that answers what was typed; `words` unchanged where they are a command of ours."""
    if not words:
        return []
    if words[0] == "help":
        return [*words[1:2], "-h"]
    return [*MEANT.get(words[0], words[:1]), *words[1:]]
