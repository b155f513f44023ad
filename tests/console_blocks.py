"""The commands that a page shows with their output: run in order in one folder, and compared, or written anew.

    ```console from=Words head=3      # of the output: three lines, from the table of this title, or a line with it, on
    $ ./x assay VERB …

`shape` among the keys: the output depends on the machine, and only the words that begin the table's rows are compared.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from command_line import Answer, assay

ROOT = Path(__file__).resolve().parent.parent
SITE_PAGES = [path for part in ("", "tasks", "benchmarks") for path in sorted((ROOT / "docs" / part).glob("*.md"))]
LEFT_OUT = "…"
_BLOCK = re.compile(
    r"^```console(?P<keys>[^\n]*)\n\$ \./x (?:assay )?(?P<command>.+)\n(?P<output>(?:.*\n)*?)```$", re.MULTILINE
)
_FILE = re.compile(r"^`(?P<name>[\w.-]+)`:\n\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A command, what is shown of its output, and which part of the output that is."""

    words: tuple[str, ...]
    keys: dict[str, str]
    output: str

    @property
    def measured(self) -> bool:
        return "shape" in self.keys

    def shown(self, printed: str) -> str:
        """The part of what the command printed that the page shows."""
        lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
        if "from" in self.keys:
            words = self.keys["from"]
            has = [at for at, line in enumerate(lines) if words in line]
            lines = lines[next((at for at in has if titles(lines, at, words)), min(has, default=len(lines))) :]
        head = int(self.keys.get("head", len(lines)))
        if head < len(lines):
            lines = [*lines[:head], LEFT_OUT]
        return "".join(f"{line}\n" for line in lines)

    def agrees(self, printed: str) -> bool:
        """Whether the page shows what was printed."""
        if not self.measured:
            return normal(self.shown(printed)) == normal(self.output)
        found = iter(labels(printed))
        return all(any(label == other for other in found) for label in labels(table(self.output)))


def blocks(page: Path) -> list[Block]:
    """All of a page, in order."""
    return [_block(found) for found in _BLOCK.finditer(page.read_text(encoding="utf-8"))]


def files(page: Path) -> dict[str, str]:
    """The files that a page has the reader write: their names stand before the blocks."""
    return {found["name"]: found["text"] for found in _FILE.finditer(page.read_text(encoding="utf-8"))}


def _block(found: re.Match[str]) -> Block:
    words = shlex.split(found["keys"])
    keys = {key: value for key, _, value in (word.partition("=") for word in words)}
    return Block(tuple(shlex.split(found["command"], comments=True)), keys, found["output"])


def titles(lines: list[str], at: int, words: str) -> bool:
    """Whether a line is the title of a table that begins with these words: one without columns, before the heads."""
    columns = [len(re.split(r"\s{2,}", line)) for line in lines[at : at + 2]]
    return lines[at].startswith(words) and columns[0] == 1 < columns[-1]


def normal(text: str) -> str:
    """Text without what differs from run to run: a run's name, the time, the folder."""
    text = re.sub(r"\d{8}-\d{6}-[0-9a-f]{6}", "RUN", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "DATE", text)
    text = re.sub(r"[\d.e-]+ CPU s( \([\d,]+ per second\))?", "TIME", text)
    return re.sub(r"(?<!\S)/\S+/", "", text).rstrip()


def table(text: str) -> str:
    """The title and the rows with columns: not notes, nor what continues a row above, which depend on the states."""
    first, *rest = text.splitlines() or [""]
    return "\n".join([first, *(line for line in rest if re.search(r"\S\s{2,}\S", line) and line.strip()[0] != "(")])


def labels(text: str) -> list[str]:
    """What begins each line, up to the first number, and without the estimator, which the state of a figure decides."""
    found = (
        re.split(r"\s{2,}|\d|[█-▏]|, (best|median)\b", line.strip(), maxsplit=1)[0].strip()
        for line in text.splitlines()
    )
    return [label for label in found if label and label != LEFT_OUT]


def answers(page: Path, folder: Path, measure: bool = True) -> Iterator[tuple[Block, Answer]]:
    """Run a page's commands in a folder that has its files and the examples."""
    (folder / "examples").symlink_to(ROOT / "examples")
    for name, text in files(page).items():
        (folder / name).write_text(text, encoding="utf-8")
    environment = {"ASSAY_RUNS": str(folder / "state"), "COLUMNS": "100"}
    with chdir(folder), mock.patch.dict(os.environ, environment):
        for block in blocks(page):
            if measure or not block.measured:
                yield block, assay(*block.words)


def rewrite(page: Path) -> None:
    """Write the outputs of a page anew."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="assay-pages-") as made:
        folder = Path(made).resolve()
        printed = [
            block.shown((answer.out or answer.err).replace(f"{folder}/", "")) for block, answer in answers(page, folder)
        ]
    rest = iter(printed)
    text = _BLOCK.sub(lambda found: found[0].removesuffix(f"{found['output']}```") + next(rest) + "```", text)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in [Path(name).resolve() for name in sys.argv[1:]] or SITE_PAGES:
        if blocks(each):
            print(each.name, file=sys.stderr)
            rewrite(each)
