"""`./x wheel --bundle`: one archive with the wheel and every package that it needs, for a cluster without a network.

Packages are those of the lock file, each by its checksum, as wheels for the Python and the machine that it is made on.
`sh install.sh FOLDER` in the unpacked archive makes an environment of them, with an MPI, by that Python's own pip.
"""

from __future__ import annotations

import shutil
import sys
import tarfile
from pathlib import Path

from release.commands import ROOT, WORK, run, uv

INSTALL = """\
#!/bin/sh
# sh install.sh FOLDER: Assay %(version)s with an MPI in FOLDER, from what lies here. It needs Python %(python)s with
# venv, and no network; benchmarks need a C++20 compiler.
set -eu
[ $# = 1 ] || { echo "usage: sh install.sh FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
found=$("$python" -c 'import sys; print(*sys.version_info[:2], sep=".")')
[ "$found" = %(python)s ] ||
  { echo "install.sh: these packages are for Python %(python)s, $python is $found; PYTHON names another" >&2; exit 2; }
"$python" -m venv "$1"
set -- "$1" -q --disable-pip-version-check --no-index --find-links "$here/wheels"
folder=$1
shift
"$folder/bin/python" -m pip install "$@" "assay[mpi]==%(version)s"
echo "installed: $folder/bin/assay"
"""


def bundle(wheel: Path, out: Path) -> Path:
    """Make the archive beside the wheel, named as that; returns it. What pip downloads is kept for the next time."""
    wheels, listed = WORK / "wheels", WORK / "needed.txt"
    locked = ["-c", str(ROOT / "requirements.lock"), "--extra", "mpi", "--generate-hashes", "--no-header"]
    run(
        uv(
            "pip",
            "compile",
            *locked,
            "--no-annotate",
            "--no-emit-index-url",
            str(ROOT / "pyproject.toml"),
            "-o",
            str(listed),
        )
    )
    download = ["download", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    shutil.rmtree(wheels, ignore_errors=True)
    run([sys.executable, "-m", "pip", *download, "-d", str(wheels), "-r", str(listed)])
    name, version = "-".join(wheel.name.split("-")[:2]), wheel.name.split("-")[1]
    words = {"version": version, "python": ".".join(map(str, sys.version_info[:2]))}
    script = WORK / "install.sh"
    script.write_text(INSTALL % words)
    script.chmod(0o755)
    made = out / f"{name}-bundle-cp{words['python'].replace('.', '')}-{wheel.stem.rpartition('-')[2].split('.')[0]}.tar"
    fresh = made.with_name(f".{made.name}")
    with tarfile.open(fresh, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.add(script, f"{name}/install.sh")
        for each in (wheel, *sorted(wheels.glob("*.whl"))):
            archive.add(each, f"{name}/wheels/{each.name}")
    return fresh.rename(made)
