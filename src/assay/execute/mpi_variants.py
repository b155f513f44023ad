"""MPI variants as a command line request them: MPIs by name, transports, compilers; what each is on this host."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.benchmark.record import Benchmark
from assay.benchmark.variants import USUAL, AnyVariant, MpiVariant, exchanges
from assay.errors import InputError, MeasurementError
from assay.execute import transports
from assay.execute.compiler import Compiler, find_compiler
from assay.execute.mpi import STARTERS, WRAPPERS, Mpi, find_mpi
from assay.execute.preflight_tools import NO_MPI
from assay.execute.variants import named_compiler
from assay.execute.variants import product as builds

ACCEPTED = "default, an MPI's compiler wrapper (mpicxx.mpich), or the folder that it is installed in"


def requested_variants(
    records: Sequence[Benchmark],
    *,
    mpis: Sequence[str],
    transports: Sequence[str],
    compilers: Sequence[str],
    flags: Sequence[str],
    isas: Sequence[str],
    on: str | None = None,
) -> tuple[AnyVariant, ...]:
    """The variants that the options of a command line request: a run has those of one kind.

    Compilers are of kernels compiled separately, but where all of `records` pass messages of these programs, whole:
    they take no flags, which would touch clock and check. InputError as product() of either kind, and where anything is
    given with `on`, a machine that is described or quoted.
    """
    if on is not None:
        options = {"mpi": mpis, "transport": transports, "compiler": compilers, "flags": flags, "isa": isas}
        for name, given in options.items():
            if given:
                problem = f"has no effect with --on {on}: nothing is compiled or started for it"
                raise InputError(problem, key=f"--{name}", value=given[0], accepted=f"no --{name}, or no --on")
    if not (mpis or transports):
        whole = any(map(exchanges, records)) and all(record.kind == "ranks" for record in records)
        if not (compilers and whole) or flags or isas:
            return builds(compilers, flags, isas)
    elif flags or isas:
        problem = "cannot be varied together with --flags or --isa"
        raise InputError(problem, key="--mpi, --transport", accepted="--mpi, --transport and --compiler")
    return product(mpis, transports, compilers)


def product(mpis: Sequence[str], names: Sequence[str], compilers: Sequence[str] = ()) -> tuple[AnyVariant, ...]:
    """All combinations of MPIs, transports and compilers.

    InputError where a value is given twice, is no transport, or names no MPI or compiler that is here.
    """
    given = {
        "--mpi": list(mpis) or [USUAL],
        "--transport": list(names) or [USUAL],
        "--compiler": [each.strip() for each in compilers] or [USUAL],
    }
    for key, values in given.items():
        for value in values:
            if not value.strip():
                raise InputError("names nothing", key=key, value=value)
            if values.count(value) > 1:
                raise InputError("is given twice", key=key, value=value, accepted="each value once")
    for value in given["--transport"]:
        transports.check(value)
    _different(given["--mpi"])
    made = tuple(MpiVariant(*parts) for parts in itertools.product(*given.values()))
    for variant in made:
        environment_of(variant, here=True)
        compiler_of(variant)
    return made


def _different(names: Sequence[str]) -> None:
    """InputError where two names mean one MPI, which would be measured twice as if there were two."""
    known: dict[tuple[Path, Path], str] = {}
    for name in names if len(names) > 1 else ():
        mpi = _named(name, os.environ.get("PATH", ""))
        where = (Path(mpi.mpicxx).resolve(), Path(mpi.mpiexec).resolve())
        if where in known:
            problem = f"is the same MPI as {known[where]}: {mpi} by {mpi.mpiexec}"
            raise InputError(problem, key="--mpi", value=name, accepted="each MPI once")
        known[where] = name


def mpi_of(variant: MpiVariant) -> Mpi:
    """The MPI of a variant. InputError where it is not here; MeasurementError where its starter does not answer."""
    return _named(variant.mpi, os.environ.get("PATH", ""))


def compiler_of(variant: MpiVariant) -> Compiler | None:
    """The compiler behind the MPI's wrapper; None where a variant names none.

    InputError where it is not here, or the wrapper compiles by another one all the same.
    """
    if variant.compiler == USUAL:
        return None
    path, flags = os.environ.get("PATH", ""), os.environ.get("CXXFLAGS", "")
    return _behind(mpi_of(variant), variant.compiler, path, flags)


@functools.lru_cache(maxsize=64)  # each launch reads its variants
def _behind(mpi: Mpi, name: str, path: str, flags: str) -> Compiler:
    found = named_compiler(name, path)
    wrapped = find_compiler({**os.environ, "CXX": name, "CXXFLAGS": flags}, mpi)
    if wrapped.identity != found.identity:
        problem = f"{mpi.mpicxx} compiles by {wrapped.identity} all the same"
        raise InputError(problem, key="--compiler", value=name, accepted="an MPI whose wrapper takes it")
    return wrapped


def environment_of(variant: MpiVariant, *, here: bool) -> dict[str, str]:
    """What ranks of a variant find in their environment; `here`: all are on this host."""
    return transports.variables(variant.transport, mpi_of(variant), here=here)


@functools.lru_cache(maxsize=64)
def _named(name: str, path: str) -> Mpi:
    if name == USUAL:
        found = find_mpi()
        if found is None:
            raise MeasurementError(NO_MPI)
        return found
    wrapper = _wrapper(name, path)
    starter = None if wrapper is None else _starter(wrapper)
    if wrapper is None or starter is None:
        problem = "is no MPI that is here" if wrapper is None else f"{wrapper} has no {' or '.join(STARTERS)} by it"
        raise InputError(problem, key="--mpi", value=name, accepted=ACCEPTED)
    try:
        found = find_mpi({**os.environ, "MPICXX": wrapper, "MPIEXEC": starter})
    except MeasurementError as error:
        raise InputError(str(error), key="--mpi", value=name) from None
    assert found is not None
    return found


def _wrapper(name: str, path: str) -> str | None:
    folder = Path(name).expanduser()
    if folder.is_dir():
        candidates = [folder / "bin" / each for each in WRAPPERS] + [folder / each for each in WRAPPERS]
        return next((str(each.absolute()) for each in candidates if os.access(each, os.X_OK)), None)
    found = shutil.which(name, path=path)
    return found if found and Path(found).name.startswith(WRAPPERS) else None


def _starter(wrapper: str) -> str | None:
    """The starter of the same MPI: in its wrapper's folder, with the same suffix (mpicxx.mpich, mpiexec.mpich)."""
    at = Path(wrapper)
    suffix = next(at.name.removeprefix(each) for each in WRAPPERS if at.name.startswith(each))
    candidates = [at.parent / f"{each}{suffix}" for each in STARTERS]
    return next((str(each) for each in candidates if os.access(each, os.X_OK)), None)


def describe_variant(variant: MpiVariant, *, here: bool) -> Mapping[str, object]:
    """What a variant was, for the circumstances of launches."""
    words = [f"{key}={value}" for key, value in environment_of(variant, here=here).items()]
    mpi, compiler = mpi_of(variant), compiler_of(variant)
    commands = [" ".join([*words, mpi.mpiexec])]
    if compiler is not None:
        commands.append(f"{mpi.mpicxx} {compiler.flags}, which is {compiler.identity}")
    return {"by": mpi.implementation, "version": mpi.version, "commands": commands}
