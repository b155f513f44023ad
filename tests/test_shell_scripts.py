"""Shell scripts, ours and those that Assay sends to other nodes, pass shellcheck; clang-tidy's checks are real ones."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.execute import node_survey, private_folder

ROOT = Path(__file__).resolve().parent.parent
TIDY = ROOT / "build/tidy/clang_tidy/data/bin/clang-tidy"
needs_shellcheck = pytest.mark.skipif(shutil.which("shellcheck") is None, reason="needs shellcheck (Debian package)")


def scripts() -> list[Path]:
    """Files of the repository that say in their first line that a shell runs them."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    names = [name for name in listed.stdout.split("\0") if name] if listed.returncode == 0 else ["x", ".ci/run"]
    found = []
    for path in (ROOT / name for name in names):
        if path.suffix in ("", ".sh") and path.is_file():
            with path.open("rb") as file:
                first = file.readline()
            if first.startswith(b"#!") and first.split(b"/")[-1].split()[-1] in (b"sh", b"bash"):
                found.append(path)
    return found


def complaints(*words: str, script: str | None = None) -> str:
    done = subprocess.run(["shellcheck", *words], input=script, capture_output=True, text=True, cwd=ROOT)
    return done.stdout + done.stderr


@needs_shellcheck
def test_scripts_of_the_repository_are_clean() -> None:
    names = [str(path.relative_to(ROOT)) for path in scripts()]
    assert {"x", ".ci/run"} <= set(names)
    assert complaints(*names) == ""


@needs_shellcheck
@pytest.mark.parametrize("name", ["_HOLD", "_PUT"])
def test_scripts_for_other_nodes_are_plain_sh(name: str) -> None:
    """SC2046 and SC2012: words of `ls -nd` are split on purpose, and the name is one that we chose."""
    script = getattr(private_folder, name)
    assert complaints("--shell=sh", "--exclude=SC2046,SC2012", "-", script=script) == ""


@needs_shellcheck
def test_the_inventorys_script_is_among_those_of_the_repository() -> None:
    assert "src/assay/machine/node_inventory.sh" in {str(path.relative_to(ROOT)) for path in scripts()}
    assert complaints("--shell=sh", "-", script=node_survey.MEASURE) == ""


@needs_shellcheck
def test_shellcheck_finds_what_is_wrong() -> None:
    assert "SC2086" in complaints("--shell=sh", "-", script="rm $1\n")


@pytest.mark.skipif(not TIDY.exists(), reason="needs clang-tidy (./x lint --tidy installs it)")
def test_clang_tidy_finds_a_use_after_move(tmp_path: Path) -> None:
    source = tmp_path / "moved.cpp"
    source.write_text(
        "#include <string>\n#include <utility>\n"
        "std::string twice(std::string a) {\n  std::string b = std::move(a);\n  return b + a;\n}\n"
    )
    command = [TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", source, "--", "-std=c++20"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and "bugprone-use-after-move" in done.stdout
    assert "unknown" not in done.stderr  # a check that this clang-tidy does not have
    verified = subprocess.run([TIDY, "--verify-config", "--config-file", ROOT / ".clang-tidy"], capture_output=True)
    assert verified.returncode == 0, verified.stdout


@pytest.mark.parametrize(("nightly", "second", "status"), [("", 0, 0), ("1", 0, 1), ("", 1, 1), ("1", 1, 1)])
def test_what_passes_only_the_second_time_fails_the_nightly_run(
    nightly: str, second: int, status: int, tmp_path: Path
) -> None:
    """`alone` of x, with a second run that ends with the status `second`."""
    failed = tmp_path / "tested" / "v" / "cache" / "lastfailed"
    failed.parent.mkdir(parents=True)
    failed.write_text('{"tests/test_it.py::test_it": true}')
    (function,) = re.findall(r"^alone\(\) \{.*?^\}$", (ROOT / "x").read_text(), re.MULTILINE | re.DOTALL)
    script = f"""
        set -euo pipefail
        say() {{ printf '%s\\n' "$*"; }}
        part() {{ status={second}; }}
        {function}
        venv={sys.prefix} build={tmp_path} length=all nightly={nightly} status=1
        alone
        exit "$status"
    """
    ended = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert ended.returncode == status, ended
    assert ("fails the nightly run" in ended.stdout) == bool(nightly and not second)
