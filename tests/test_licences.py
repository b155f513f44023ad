"""What Assay may be used for, and what of other projects it contains: the wheel and the page hold nothing unlisted."""

from __future__ import annotations

import base64
import gzip
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from assay.report.render import page

ROOT = Path(__file__).parents[1]
NOTICE = (ROOT / "NOTICE").read_text()
SYSTEM = {"sys", "linux", "net", "netinet", "arpa"}  # folders of the C library's and the kernel's headers
COMPILED_IN = {"nanobind", "rdma"}  # nanobind contains robin-map; rdma/ are the headers of libfabric
LINKED_IN = ("libstdc++",)  # by ./x wheel; tests/test_wheel.py looks for what else a wheel could have


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, without the compiled core."""
    folder = tmp_path_factory.mktemp("wheel")
    uv = Path(sys.executable).with_name("uv")
    build = [uv, "build", "-q", "--wheel", "--no-build-isolation", "-C", "wheel.cmake=false", "-o", folder, ROOT]
    subprocess.run(build, check=True, env={**os.environ, "PATH": f"{uv.parent}:{os.environ['PATH']}"})
    (made,) = folder.glob("*.whl")
    return zipfile.ZipFile(made)


def test_the_wheel_holds_only_this_project(wheel: zipfile.ZipFile) -> None:
    """Every file is in the repository; a file of somebody else's would have to be put there, and into NOTICE."""
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    assert "assay/py.typed" in wheel.namelist()  # by which type checkers find the types of `import assay`
    for name in wheel.namelist():
        if ".dist-info/" in name:
            continue
        own = name.removeprefix("assay/_source/") if name.startswith("assay/_source/") else f"src/{name}"
        assert own in tracked, name


def test_the_wheel_says_its_licence(wheel: zipfile.ZipFile) -> None:
    kept = {Path(name).name: wheel.read(name).decode() for name in wheel.namelist() if ".dist-info/" in name}
    assert kept["LICENSE"] == (ROOT / "LICENSE").read_text()
    assert kept["NOTICE"] == NOTICE
    assert re.search(r"^License-Expression: Apache-2\.0$", kept["METADATA"], re.M)


def test_what_is_compiled_in_is_listed() -> None:
    """Headers of other projects, which become part of the core."""
    found = set()
    for folder in ("core", "programs"):
        for source in (ROOT / folder).rglob("*.[ch]pp"):
            found |= set(re.findall(r"^#include <([\w-]+)/", source.read_text(), re.M))
    assert found - SYSTEM == COMPILED_IN
    assert all(f"\n{name} (" in NOTICE for name in (*COMPILED_IN, "robin-map", "mpi.h"))
    assert all(f"\n{name}, " in NOTICE for name in LINKED_IN)


def test_the_pages_script_keeps_its_notice() -> None:
    """The only script in the page that is not ours is plotly.js, under the licence that NOTICE gives."""
    script = gzip.decompress(base64.b64decode(page._library())).decode()
    (holder,) = re.findall(r"Copyright 2012-\d+, Plotly, Inc\.", script[:400])
    assert "Licensed under the MIT license" in script[:400]
    assert holder in NOTICE
    own = {path.name for path in (ROOT / "src/assay/report/render/pages").glob("*.js")}
    tracked = subprocess.check_output(["git", "ls-files", "*.js", "*.css"], cwd=ROOT, text=True).split()
    assert {Path(name).name for name in tracked if name.endswith(".js")} == own
    for name in tracked:
        assert "opyright" not in (ROOT / name).read_text(), name


def test_one_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nlicense: {project['license']}\n" in citation
    assert "Apache License\n                           Version 2.0" in (ROOT / "LICENSE").read_text()
