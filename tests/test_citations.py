"""Citations lead somewhere: rules of docs/method.md, sections of CONTRIBUTING.md, files of the repository."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RULE = re.compile(r"^## Rule (\d+): .+?$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
CITED_RULES = re.compile(r"\bmethod\.md(?:\]\([^)]*\))?,\s+(?:#\s+|//\s+)?rules?\s+(\d+(?:(?:, | and | to )\d+)*)")
# An all-caps document: cited with a rule or a section, or as a file.
DOCUMENT = re.compile(
    r"\b([A-Z]{5,})(?:\.md(?!\w)|(?:\.md)?,? rules? \d)|(?<=[\s\"]\()([A-Z]{5,}), [A-Z][a-z]+(?: [a-z]+)*\)"
)
NO_DOCUMENT = {"ENDED"}  # states of jobs
SECTION = re.compile(r"\bCONTRIBUTING, ([A-Z][a-z]+(?: [a-z]+)*)")
KINDS = (".py", ".cpp", ".hpp", ".h", ".c", ".md", ".txt", ".cmake", ".toml")
SOURCE_FILE = re.compile(r"(?<![\w./<-])((?:[\w-]+/)+[\w-]+\.(?:py|cpp|hpp|md|cmake|sh))\b")
BELOW = ("", "src/assay", "programs", "core", "docs", "tests", "src/assay/throughput", "core/network")


@cache
def texts() -> dict[str, str]:
    """Every tracked text file of the repository, by its path."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    paths = [ROOT / name for name in listed if name.endswith(KINDS) and not name.startswith("tests/transcripts/")]
    return {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8", errors="replace") for p in paths if p.is_file()}


@cache
def rules() -> dict[int, str]:
    return {int(number): text for number, text in RULE.findall((ROOT / "docs/method.md").read_text())}


def numbers(cited: str) -> set[int]:
    """The rules of a citation: `1 and 2`, `3, 4 and 9`, `5 to 8`."""
    found = {int(number) for number in re.findall(r"\d+", cited)}
    for first, last in re.findall(r"(\d+) to (\d+)", cited):
        found |= set(range(int(first), int(last) + 1))
    return found


def test_the_rules_are_numbered_without_gaps() -> None:
    assert list(rules()) == list(range(1, 17))


@pytest.mark.parametrize("rule", range(1, 17))
def test_each_rule_has_a_source_and_tests_that_exist(rule: int) -> None:
    text = rules()[rule]
    assert re.search(r"^\* Source: \S", text, re.MULTILINE)
    tests = re.search(r"^\* Tests: (.+?)\.\n", text, re.MULTILINE | re.DOTALL)
    assert tests, f"rule {rule} names no tests"
    named = re.findall(r"`(tests/test_\w+\.py)`", tests[1])
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_every_cited_rule_exists() -> None:
    cited = {
        (path, number) for path, text in texts().items() for hit in CITED_RULES.findall(text) for number in numbers(hit)
    }
    assert len({path for path, _ in cited}) > 30
    assert {(path, number) for path, number in cited if number not in rules()} == set()
    assert numbers("3, 5 to 7 and 17") == {3, 5, 6, 7, 17}


def missing_documents(text: str) -> set[str]:
    cited = {name for found in DOCUMENT.findall(text) for name in found if name}
    return {name for name in cited - NO_DOCUMENT if not (ROOT / f"{name}.md").is_file()}


def test_no_document_is_cited_that_is_not_here() -> None:
    wrong = {path: found for path, text in texts().items() if (found := missing_documents(text))}
    wrong.pop("tests/test_citations.py", None)
    assert wrong == {}
    for text in ("(METHOD, rule 7)", "METHOD rules 1 and 2", "see (DESIGN, Exit status)", "see METHOD.md"):
        assert missing_documents(text), text
    assert not missing_documents("(CONTRIBUTING, Rules)")


def test_every_cited_section_of_contributing_exists() -> None:
    headings = re.findall(r"^#+ (.+)$", texts()["CONTRIBUTING.md"], re.MULTILINE)
    cited = {(path, name) for path, text in texts().items() for name in SECTION.findall(text)}
    cited = {(path, name) for path, name in cited if path != "tests/test_citations.py"}
    assert cited
    assert {(path, name) for path, name in cited if not any(name.startswith(head) for head in headings)} == set()


def layout() -> list[tuple[str, str]]:
    """Each entry of the source layout as its path and what is written of it."""
    _, _, text = texts()["CONTRIBUTING.md"].partition("## Source layout")
    found: list[tuple[str, str]] = []
    above: dict[int, str] = {2: ""}
    for line in takewhile(bool, text[text.index("    x ") :].splitlines()):
        words = line.split()
        names = list(takewhile(lambda word: word in ("x", "…") or word.endswith(("/", ".py")), words))
        meaning = " ".join(words[len(names) :])
        indent = len(line) - len(line.lstrip())
        paths = [above[indent - 2] + name for name in names if name != "…"]
        above[indent] = paths[0]
        found += [(path, meaning) for path in paths]
    return found


def is_there(name: str, folders: tuple[str, ...]) -> bool:
    return any((ROOT / folder / name).exists() for folder in folders)


def test_the_source_layout_names_what_is_there() -> None:
    entries = layout()
    assert len(entries) > 50
    assert [path for path, _ in entries if not (ROOT / path).exists()] == []
    for path, meaning in entries:
        folders = (*BELOW, str(Path(path)), str(Path(path).parent))
        assert [name for name in NAMED.findall(meaning) if not is_there(name, folders)] == [], path


# In what is written of an entry: folders, and files of source.
NAMED = re.compile(r"(?<![\w./])((?:[\w-]+/)+(?:[\w-]+\.\w+)?|[\w-]+\.(?:py|hpp|cpp|cmake))(?=[\s;:,.)]|$)")
PAGES = ["README.md", "CONTRIBUTING.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_source_files_that_exist(page: str) -> None:
    """Outside blocks of code, where a file may be the reader's own."""
    prose = re.sub(r"```.*?^```|^    .*?$", "", texts()[page], flags=re.DOTALL | re.MULTILINE)
    names = {name for name in SOURCE_FILE.findall(prose) if not name.startswith(("http", "runs/"))}
    assert {name for name in names if not is_there(name, BELOW)} == set()


def test_each_term_of_the_glossary_has_a_meaning_and_a_source() -> None:
    rows = [line for line in texts()["docs/glossary.md"].splitlines() if line.startswith("| ")]
    terms = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in rows if not line.startswith("| term |")
    ]
    assert len(terms) > 70
    assert [row for row in terms if len(row) != 3 or not all(row)] == []
    names = [name for name, *_ in terms]
    assert sorted(set(names)) == sorted(names)
