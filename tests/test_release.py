"""The release's own checks, each by what it has to find; one version is written, and every place agrees with it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from release import check, wheel

from assay import __version__, installed
from command_line import assay

ROOT = Path(__file__).parents[1]
TODAY = date(2026, 12, 1)


def test_one_version_is_written() -> None:
    assert check.version_agrees(ROOT, __version__) == ""
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"]
    written = [path for path in (ROOT / "src").rglob("*.py") if re.search(r"^__version__ = ", path.read_text(), re.M)]
    assert written == [ROOT / "src" / "assay" / "__init__.py"]
    named = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert not named or named[0] == __version__


def test_the_version_names_the_commit() -> None:
    asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    known = asked.stdout.strip() if asked.returncode == 0 else None
    assert assay("version").out == f"assay {__version__}" + (f" (commit {known[:12]})\n" if known else "\n")
    assert assay("version", "--json").document["commit"] == (known and known[:12])


def test_without_git_there_is_a_version_and_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "src" / "assay"
    package.mkdir(parents=True)
    monkeypatch.setattr(installed, "_PACKAGE", package)
    monkeypatch.setattr(installed, "_WRITTEN", package / "_commit")
    installed.commit.cache_clear()
    try:
        assert installed.version() == __version__
        subprocess.run(["git", "init", "-q", tmp_path], check=True)  # somebody's repository, with Assay inside
        installed.commit.cache_clear()
        assert installed.version() == __version__
        (package / "_commit").write_text("f" * 40 + "\n")
        installed.commit.cache_clear()
        assert installed.version() == f"{__version__} (commit ffffffffffff)"
    finally:
        installed.commit.cache_clear()


@pytest.mark.parametrize(
    ("citation", "project", "version", "said"),
    [
        ("\nversion: 1.2.3\n", "dynamic = ['version']", "1.2.3", ""),
        ("\nversion: 1.2.2\n", "dynamic = ['version']", "1.2.3", "CITATION.cff"),
        ("\nversion: 1.2.3\n", "version = '1.2.3'", "1.2.3", "pyproject.toml"),
        ("\nversion: 1.2\n", "dynamic = ['version']", "1.2", "three numbers"),
    ],
)
def test_versions_that_differ_are_found(citation: str, project: str, version: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "CITATION.cff").write_text(citation)
    (tmp_path / "pyproject.toml").write_text(project)
    found = check.version_agrees(tmp_path, version)
    assert said in found and bool(said) == bool(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("## [Unreleased]\n\n## [1.2.3] - 2026-11-30\n\n### Added\n\n- all\n", ""),
        ("## [1.2.3] - 2026-12-01\n\n- all\n\n## [1.2.2] - 2026-01-01\n\n- less\n", ""),
        ("## [Unreleased]\n\n- all\n", "newest version is none"),
        ("## [1.2.2] - 2026-11-30\n\n- all\n", "newest version is 1.2.2"),
        ("## [1.2.3]\n\n- all\n", "no day"),
        ("## [1.2.3] - soon\n\n- all\n", "'soon'"),
        ("## [1.2.3] - 2026-12-02\n\n- all\n", "not come yet"),
        ("## [1.2.3] - 2026-11-30\n\n## [1.2.2] - 2026-01-01\n\n- all\n", "lists no change"),
        ("## [Unreleased]\n\n- more\n\n## [1.2.3] - 2026-11-30\n\n- all\n", "Unreleased"),
    ],
)
def test_a_changelog_that_lacks_the_version_is_found(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{text}")
    found = check.changelog_has_it(tmp_path, "1.2.3", TODAY)
    assert said in found and bool(said) == bool(found)


def test_what_is_private_is_found() -> None:
    host = ".".join(("pypi", "org"))  # in pieces: this file is asked, too
    assert check.nothing_private({"a.md": "plain /home/ada/x"}, ["/secret/place/"]) == ""
    assert check.nothing_private({"a.md": f"one\nfrom {host} two"}, []) == f"a.md:2 names {host}"
    assert check.nothing_private({"a.md": "/".join(("", "home", "bob", "x"))}, []).startswith("a.md:1")
    assert check.nothing_private({"a.md": "in /secret/place/x"}, ["/secret/place/"]) == "a.md:1 names /secret/place/"


def test_no_tracked_file_names_a_registry_or_a_private_folder() -> None:
    assert check.nothing_private(check._tracked(), check._private()) == ""


def test_a_check_that_passed_is_not_repeated_for_the_same_commit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made: list[str] = []
    answers = {"first": [""], "second": ["a reason", ""]}

    def checked(name: str) -> Callable[[], str]:
        def check() -> str:
            made.append(name)
            return answers[name].pop(0)

        return check

    monkeypatch.setattr(check, "CHECKS", {name: checked(name) for name in answers})
    monkeypatch.setattr(check, "KEPT", tmp_path / "release.json")
    monkeypatch.setattr(check, "commit", lambda: "a" * 40)
    assert [check.main(["--check"]) for _ in range(3)] == [1, 0, 0]
    assert made == ["first", "second", "second"]
    assert capsys.readouterr().out.endswith("can be released\n")
    answers["first"] += ["", ""]
    for at in ("b" * 40, None):  # another commit, and files that differ from it
        monkeypatch.setattr(check, "commit", lambda at=at: at)
        assert check.main(["--check", "first"]) == 0
    assert made[3:] == ["first", "first"]
    with pytest.raises(SystemExit):
        check.main(["--check", "third"])
    assert "no such check: 'third'; expected first, second" in capsys.readouterr().err


def test_every_check_is_made_also_after_one_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "commit", lambda: None)
    monkeypatch.setattr(check, "CHECKS", {"first": lambda: "a reason", "second": lambda: ""})
    assert check.main(["--check"]) == 1
    assert capsys.readouterr().out == f"FAILED  first: a reason\nok      second\n{__version__}: 1 checks failed\n"
    monkeypatch.setattr(check, "CHECKS", {"second": lambda: ""})
    assert check.main(["--check"]) == 0


def sdist(folder: Path, files: dict[str, str]) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        (folder / "assay-1" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "assay-1" / name).write_text(text)
    with tarfile.open(folder / "s.tar.gz", "w:gz") as made:
        made.add(folder / "assay-1", "assay-1")
    return folder / "s.tar.gz"


def test_of_an_sdist_only_what_changed_is_laid_anew(tmp_path: Path) -> None:
    """Times of files that are the same stay, so that nothing that depends on them is compiled again."""
    there = tmp_path / "there"
    wheel.lay(sdist(tmp_path / "one", {"core/a.cpp": "a", "core/b.cpp": "b", "old": "o"}), there)
    before = {name: (there / "core" / name).stat().st_mtime_ns for name in ("a.cpp", "b.cpp")}
    wheel.lay(sdist(tmp_path / "two", {"core/a.cpp": "a", "core/b.cpp": "new", "more/c": "c"}), there)
    assert {str(path.relative_to(there)): path.read_text() for path in there.rglob("*") if path.is_file()} == {
        "core/a.cpp": "a",
        "core/b.cpp": "new",
        "more/c": "c",
    }
    assert (there / "core/a.cpp").stat().st_mtime_ns == before["a.cpp"]
    assert (there / "core/b.cpp").stat().st_mtime_ns != before["b.cpp"]
