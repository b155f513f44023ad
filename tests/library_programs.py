"""Programs that call a library (`code=library`) beside our own code: which codes can be tested here; their lines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay.execute import libraries
from assay.execute.compiler import find_compiler
from started import words


def needs(library: str) -> pytest.MarkDecorator:
    """Skip a test where g++ or this library is not here, and say what installs it."""
    absent = shutil.which("g++") is None or libraries.find(library, find_compiler()) is None
    return pytest.mark.skipif(absent, reason=libraries.missing_message(library))


def codes(library: str) -> list[Any]:
    """Values for `parametrize`: our own code, and the library's where it is here."""
    return ["ours", pytest.param("library", marks=needs(library))]


def without(words: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `g++` fail where a word of its command matches the shell's pattern `words`, as where a library is missing.

    It is found by its usual name, so that what programs share is that of the real one.
    """
    wrapper = folder / "g++"
    folder.mkdir(exist_ok=True)
    real = f"PATH='{os.environ['PATH']}' exec {shutil.which('g++')}"
    wrapper.write_text(f'#!/bin/sh\nfor word; do case $word in {words}) exit 1;; esac; done\n{real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def lines(name: str, path: Path, *settings: str, status: int = 0) -> list[dict[str, Any]]:
    """What the program `name`, compiled at `path`, printed in one short run with `settings` (KEY=VALUE)."""
    given = [word for setting in settings for word in ("--set", setting)]
    command = [path, *words(name, "--slice", "0.0005", "--blocks", "1", *given)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == status, (done.stdout[-800:], done.stderr)
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()]


def checks(name: str, path: Path, *settings: str, status: int = 0) -> list[dict[str, Any]]:
    """The checks among these lines."""
    return [line for line in lines(name, path, *settings, status=status) if line["event"] == "check"]
