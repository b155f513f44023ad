"""`./x release --check`: whether this commit can be released, a line per check; status 1 where one fails.

It tags and publishes nothing. A check that passed is not repeated for the same commit (build/release.json): after an
interruption, or a failure that had nothing to do with the files, the same command makes the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from assay import __version__
from release.commands import ROOT, WORK
from release.wheel import commit

# Where packages and images come from, by the words that such hosts are called by: no file of ours names one.
REGISTRIES = re.compile(
    r"\b(?:[a-z0-9-]+\.)*(?:pypi|pythonhosted|docker|ghcr|quay|crates|npmjs|mirrors?|registry|archive)"
    r"(?:\.[a-z0-9-]+)*\.(?:org|com|io|net)\b"
)
HOMES = re.compile(r"/(?:home|Users)/(?!ada\b)\w+/")  # Ada is the user in our transcripts
AN_HOUR = 3600.0  # s, for one check
KEPT = WORK.parent / "release.json"  # {"commit": …, "passed": [name, …]}


def version_agrees(root: Path, version: str) -> str:
    """Say where another version is written than the package has."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return f"src/assay/__init__.py: {version!r} is not three numbers"
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text():
        return f"CITATION.cff does not say version: {version}"
    if re.search(r"^version *=", (root / "pyproject.toml").read_text(), re.M):
        return "pyproject.toml writes a version, which src/assay/__init__.py alone has"
    return ""


def changelog_has_it(root: Path, version: str, today: date) -> str:
    """Say what the changelog lacks: the version with the day of its release, as the newest, and its changes."""
    text = (root / "CHANGELOG.md").read_text()
    sections = re.findall(r"^## \[([^\]]+)\](?: - (\S+))?\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    released = [each for each in sections if each[0] != "Unreleased"]
    if not released or released[0][0] != version:
        return f"CHANGELOG.md: the newest version is {released[0][0] if released else 'none'}, not {version}"
    _, day, changes = released[0]
    try:
        if date.fromisoformat(day) > today:
            return f"CHANGELOG.md: {version} is of {day}, which has not come yet"
    except ValueError:
        return f"CHANGELOG.md: {version} has no day such as {today}, but {day!r}"
    if "\n- " not in changes:
        return f"CHANGELOG.md: {version} lists no change"
    waiting = next((each[2] for each in sections if each[0] == "Unreleased"), "")
    return "CHANGELOG.md: [Unreleased] lists changes that this version would not name" if "\n- " in waiting else ""


def nothing_private(files: Mapping[str, str], private: Sequence[str]) -> str:
    """Say which of `files` names a registry's host, a person's folder, or a word of `private`."""
    for name, text in files.items():
        for pattern in (REGISTRIES, HOMES, *(re.compile(re.escape(each)) for each in private)):
            if found := pattern.search(text):
                return f"{name}:{text.count(chr(10), 0, found.start()) + 1} names {found.group()}"
    return ""


def _tracked() -> dict[str, str]:
    """The tracked files that are text; this one, which has to name registries, is not asked."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = {}
    for name in filter(None, names.split("\0")):
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""
        if b"\0" not in content and name != "release/check.py":
            found[name] = content.decode(errors="replace")
    return found


def _private() -> list[str]:
    words = [f"{ROOT}/", f"{Path.home()}/", os.uname().nodename]
    return [each for each in words if len(each) > 6 and each != "localhost"]  # "/root/" is in every container


def tree_is_clean() -> str:
    """Say which file differs from the commit."""
    asked = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True)
    changed = asked.stdout.splitlines()
    return asked.stderr.strip() if asked.returncode else f"{len(changed)} files differ: {changed[0]}" if changed else ""


def _passes(*command: str) -> Callable[[], str]:
    def check() -> str:
        try:
            done = subprocess.run(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=AN_HOUR
            )
        except subprocess.TimeoutExpired:
            return f"{' '.join(command)} has not ended within an hour"
        said = (done.stdout + done.stderr).strip().splitlines() or [""]
        return f"{' '.join(command)}: status {done.returncode}: {said[-1]}" if done.returncode else ""

    return check


CHECKS: dict[str, Callable[[], str]] = {
    "one version": lambda: version_agrees(ROOT, __version__),
    "changelog has it": lambda: changelog_has_it(ROOT, __version__, datetime.now(UTC).date()),
    "tree is clean": tree_is_clean,
    "nothing private": lambda: nothing_private(_tracked(), _private()),
    "lint": _passes("./x", "lint"),
    "docs are fresh": _passes("./x", "docs", "--check"),
    "licences": _passes("./x", "test", "tests/test_licences.py", "-q"),
    "wheel works": _passes("./x", "test", "--nightly", "tests/test_wheel.py", "-q"),
}


def passed_before(at: str | None) -> list[str]:
    """The checks that passed for a commit; none where files differ from it."""
    try:
        kept = json.loads(KEPT.read_text())
        return list(kept["passed"]) if at is not None and kept["commit"] == at else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


def main(arguments: Sequence[str]) -> int:
    """Make all checks, also after one that fails."""
    parser = argparse.ArgumentParser(prog="./x release", description="Whether this commit can be released.")
    parser.add_argument("--check", action="store_true", required=True, help="check; nothing is tagged or published")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these; of: {', '.join(CHECKS)}")
    chosen = parser.parse_args(arguments).names or list(CHECKS)
    if unknown := [name for name in chosen if name not in CHECKS]:
        parser.error(f"no such check: {unknown[0]!r}; expected {', '.join(CHECKS)}")
    at, failed = commit(), 0
    passed = passed_before(at)
    for name in chosen:
        if name in passed:
            print(f"ok      {name}: as before, of the same commit", flush=True)
            continue
        why = CHECKS[name]()
        failed += bool(why)
        print(f"{'FAILED' if why else 'ok':8}{name}{f': {why}' if why else ''}", flush=True)
        if not why and at is not None:
            passed.append(name)
            KEPT.parent.mkdir(parents=True, exist_ok=True)
            KEPT.write_text(json.dumps({"commit": at, "passed": passed}))
    if chosen != list(CHECKS):
        return 1 if failed else 0
    print(f"{__version__}: {f'{failed} checks failed' if failed else 'can be released'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
