"""Plain technical English: phrases that readers stumbled over do not come back in code, messages and pages."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KINDS = {".py", ".cpp", ".hpp", ".md", ".toml", ".html", ".js", ".css", ""}
TRANSCRIBED = ROOT / "src" / "assay" / "catalogue" / "published"  # of print, unchanged (tests/test_catalogue.py)

_COUNTED = "ranks|processes|launches|threads|tasks|messages|flits|bytes|cycles|operations|requests|packets|time|times"
_COUNTED += "|flops|ns|ps|us|bits|instructions|seconds|channels|readings|vectors|ticks|an addition"
_BY = (
    "node|byte|rank|cycle|launch|hop|second|millisecond|ms|element|message|core|processor|operation|link|flit|host|case"
    "|flop|iteration|point|step|reading"
)
# What is not to be written, and what is written instead. Words between spaces may stand on two lines.
BANNED = {
    rf"\bper (?:{_BY}) and (?:{_BY})\b": "per node per cycle",
    rf"\b(?:{_COUNTED}) an? (?:{_BY})\b(?!['’]| (?:that|which|holds|takes|waits|has|is|of)\b)": "per",
    r"\bwhat a person types\b": "usage",
    r"\bleft over\b": "residual, remaining",
    r"\bgives? no end\b|\bgave no end\b": "timed out after",
    r"\bits words:": "log:",
    r"\bgave no figure that stands\b|\bno figure that stands\b": "no valid result",
    r"\b(?:is|are|was|were) spoilt\b": "overwritten with a sentinel",
    r"\bseen to together\b": "processed in a batch",
    r"\bwho tells whom\b": "barrier algorithm",
    r"\bplain words?\b": "validity flag",
    r"\bfor want of\b|\bin want of\b": "without, for lack of",
    r"\b(?:whence|thereof|wherein|whilst|albeit|hitherto|thither|nigh|ere)\b": "today's words",
    r"\bbe that known\b|\bwaits? for ever\b": "today's words",
    r"\bcannot be told\b": "inconclusive, unknown",
    r"; seen: |; accepted: ": "got …, expected …",
    r"\bgoes on from there\b|\bthis goes on:": "resumes from there",
    r"\bmap of the house\b": "source layout",
    r"\bseveral times: each\b": "(repeatable)",
    r"\bwith suspicion\b": "validated",
    r"\btells nobody\b|\bnobody can tell\b": "sends no notification, unknown",
    r"\blaunch until half of\b": "target half-width of the 95% confidence interval",
    r"\bfarewell\b": "cleanup",
    r"\bcannot say why\b": "the reason is unknown",
}

# Between two words: spaces, or the end of a line and what opens the next one of a comment; no empty line.
_SPACE = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*(?:(?:#|//|\*)[^\S\n]+)?)"


def rooms() -> Iterator[str]:
    yield from sorted(f"src/assay/{path.name}" for path in (ROOT / "src" / "assay").iterdir() if path.name[0] != "_")
    for top in ("programs", "core"):
        yield from sorted(f"{top}/{path.name}" for path in (ROOT / top).iterdir())
    yield from ("README.md", "CONTRIBUTING.md", "x", "docs", "examples", "bench")


@cache
def quotations() -> re.Pattern[str]:
    """What the transcription states of places that cannot be read, which docs/machines.md quotes."""
    found = [line for path in TRANSCRIBED.glob("*.toml") for line in path.read_text(encoding="utf-8").splitlines()]
    stated = [tomllib.loads(line)["why"] for line in found if line.startswith("why = ")]
    return re.compile("|".join(map(re.escape, stated)))


def texts(room: str) -> Iterator[tuple[Path, str]]:
    top = ROOT / room
    for path in [top] if top.is_file() else sorted(top.rglob("*")):
        wanted = path.suffix in KINDS and "__pycache__" not in path.parts and TRANSCRIBED not in path.parents
        if path.is_file() and wanted:
            text = path.read_text(encoding="utf-8", errors="replace")
            yield path, quotations().sub("", text) if path.name == "machines.md" else text


def faults(room: str) -> list[str]:
    """Each banned phrase as file, line, phrase and what to write."""
    found = []
    for phrase, instead in BANNED.items():
        pattern = re.compile(phrase.replace(" ", _SPACE), re.IGNORECASE)
        for path, text in texts(room):
            for hit in pattern.finditer(text):
                line = text.count("\n", 0, hit.start()) + 1
                found.append(f"{path.relative_to(ROOT)}:{line}: {' '.join(hit[0].split())!r}: write {instead!r}")
    return found


@pytest.mark.parametrize("room", list(rooms()))
def test_a_room_has_no_banned_phrase(room: str) -> None:
    assert faults(room) == []


def test_the_phrases_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also across lines of a comment, and not in sentences that only look alike."""
    bad = [
        "it takes 0.4 us, time a byte",
        "2 ranks a\n# node",
        "4 flops a point",
        "a multiplication and an addition an element",
        "the rest is left\n// over",
        "Who tells whom",
        "flits per node and cycle",
    ]
    good = ["which bytes a message holds", "per node", "left out", "a message of 8 bytes", "they wait forever"]
    good += ["## Ready messages\n\nA message and back"]
    monkeypatch.setattr("test_language.ROOT", tmp_path)
    for at, text in enumerate(bad):
        (tmp_path / f"{at}.py").write_text(text)
        assert len(faults(f"{at}.py")) == 1, text
    for text in good:
        (tmp_path / "good.py").write_text(text)
        assert faults("good.py") == [], text


# Frequent words of the old prose, which plain ones replace, in comments and texts of rooms that were gone over.
FREQUENT = {
    r"\bbeside\b": "with, next to, compared with, in addition to",
    r"\bheld(?![- ]out)\b": "allocated, locked, has",
    r"\bkept\b": "stored, cached",
    r"\bapart\b": "separately, differ",
    r"\balike\b": "equal, equally",
    r"\bstands\b": "is",
    r"\b(?:nobody|whoever)\b": "no one, no other user, the caller",
    r"\b(?:say|says|said)\b": "report, state, give",
    r"\b(?:asks|asked)\b": "requests, queries, calls",
    r"\btold\b": "distinguished, reported",
}
PLAIN_ROOMS = (
    "analysis",
    "api",
    "decide",
    "described",
    "document",
    "execute",
    "exporters",
    "fitting",
    "machine",
    "network",
)
PLAIN_ROOMS += ("stored", "throughput", "toml", "verbs")
# Names of options, keys and files; parts of f-strings; code in texts.
NAMED_THERE = re.compile(r"\{[^{}]*\}|`[^`]*`|--beside|beside\.html|\bbeside: got")


def frequent(path: Path) -> Iterator[str]:
    """Frequent words in comments and texts of a module: line, word and what to write."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and " " in token.string):
            for at, line in enumerate(token.string.splitlines()):
                prose = NAMED_THERE.sub("", line.strip("\"'"))
                for word, instead in FREQUENT.items():
                    if hit := re.search(word, prose, re.IGNORECASE):
                        yield f"{path.relative_to(ROOT)}:{token.start[0] + at}: {hit[0]!r}: write {instead!r}"


@pytest.mark.parametrize("room", [*PLAIN_ROOMS, "*.py"])
def test_frequent_words_are_gone_from_a_room(room: str) -> None:
    top = ROOT / "src" / "assay"
    modules = sorted(top.glob(room)) if "*" in room else sorted((top / room).rglob("*.py"))
    assert modules
    assert [fault for path in modules for fault in frequent(path)] == []


GENERATED = {
    "benchmarks.md",
    "commands.md",
    "coverage.md",
    "ghosh.md",
    "json.md",
    "machine_keys.md",
    "machines.md",
    "network.md",
}
GUIDES = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md") if p.name not in GENERATED),
]
GUIDES += [f"docs/tasks/{p.name}" for p in (ROOT / "docs" / "tasks").glob("*.md")]
# Blocks and quoted code, names of files, and what a report prints.
NO_PROSE = re.compile(r"```.*?^```|^    .*?$|`[^`\n]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", sorted(GUIDES))
def test_frequent_words_are_gone_from_a_guide(page: str) -> None:
    prose = NO_PROSE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    found = [hit[0] for word in FREQUENT for hit in re.finditer(rf".*{word}.*", prose, re.IGNORECASE)]
    assert found == []


def test_frequent_words_are_found_in_texts_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_language.ROOT", tmp_path)
    (tmp_path / "a.py").write_text(
        'kept = held  # nobody\nx = "beside"\ny = f"{said} held-out cells, `kept`"\nz = "it stands"\n'
    )
    assert [fault.split(":")[1] for fault in frequent(tmp_path / "a.py")] == ["1", "4"]


# No names for what a program reports, records or notes, and none of persons for an index that names nothing.
NAMED = re.compile(r"_*(?:told|tell|said|heard|asked|asking|asks|doubts?|doubted|nobody)_?")
JSON_NAMES = {"src/assay/machine/batch.py: said"}  # of files that are kept


def names(path: Path) -> Iterator[str]:
    """What a module names: its variables, parameters, functions, classes and imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg | ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


# What is no code of a C++ file: raw strings (a program's record), comments, strings.
NO_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def words_of_code(path: Path) -> set[str]:
    """Each word of a C++ file outside comments and strings."""
    return set(re.findall(r"\w+", NO_CODE.sub(" ", path.read_text(encoding="utf-8"))))


def assert_terms(found: set[str]) -> None:
    assert found <= JSON_NAMES, f"write report, note, answer, warning or status: {sorted(found - JSON_NAMES)}"


@pytest.mark.parametrize("room", [room for room in rooms() if room.startswith("src/")] + ["bench"])
def test_names_are_terms_of_the_field(room: str) -> None:
    top = ROOT / room
    modules = [top] if top.is_file() else [path for path in top.rglob("*.py") if "__pycache__" not in path.parts]
    assert_terms(
        {f"{path.relative_to(ROOT)}: {name}" for path in modules for name in names(path) if NAMED.fullmatch(name)}
    )


@pytest.mark.parametrize("room", ["core", "programs", "tests/native"])
def test_names_of_native_code_are_terms_of_the_field(room: str) -> None:
    files = [path for path in (ROOT / room).rglob("*.[ch]pp") if "build" not in path.parts]
    assert len(files) > 20
    assert_terms(
        {f"{path.relative_to(ROOT)}: {word}" for path in files for word in words_of_code(path) if NAMED.fullmatch(word)}
    )


def test_words_of_code_are_not_those_of_comments_and_strings(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        '// told\nint asked = f("nobody \\" said"); /* heard */ R"record(doubt = 1)record";\n'
    )
    assert words_of_code(tmp_path / "a.cpp") == {"int", "asked", "f"}


# What runs one thread is a hardware thread here: a processor may be a whole socket. Described machines have processors.
PER_PROCESSOR = re.compile(
    r"\b(?:per|one|two|each|every) processors?\b(?! model)|\bprocessors are busy\b", re.IGNORECASE
)
MEASURED_HERE = ("src/assay/analysis", "src/assay/document", "src/assay/execute", "src/assay/report", "src/assay/verbs")
MEASURED_HERE += tuple(room for room in rooms() if room.startswith("programs/"))
DESCRIBED = {
    "src/assay/analysis/speedup.py": "the laws' own word",
    "src/assay/report/judge/described_bounds.py": "of described machines",
}


def per_processor(room: str) -> set[str]:
    return {
        f"{path.relative_to(ROOT)}"
        for path, text in texts(room)
        if any(PER_PROCESSOR.search(line) for line in text.splitlines())
    }


@pytest.mark.parametrize("room", MEASURED_HERE)
def test_a_hardware_thread_is_not_called_a_processor(room: str) -> None:
    excepted = {path for path in DESCRIBED if path.startswith(f"{room}/")}
    assert per_processor(room) == excepted, "write hardware thread, or take a mended file off the exceptions"
