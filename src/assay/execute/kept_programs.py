"""The program of an earlier run, as it was compiled then, for a run that is to have the same binary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.benchmark.own import cache_root, is_ours
from assay.benchmark.record import benchmark
from assay.benchmark.variants import MpiVariant, Variant, varied_by
from assay.errors import InputError
from assay.execute.build import Built, BuiltVariant
from assay.execute.libraries import FoundLibrary
from assay.execute.mpi import find_mpi
from assay.execute.mpi_variants import compiler_of, mpi_of
from assay.execute.run_request import RunRequest
from assay.execute.variants import VariedProgram
from assay.store import Run

ACCEPTED = "a run whose program is still in the cache, or the words of `assay run`"
OF_MPI = ("implementation", "version", "mpicxx")


def kept_programs(run: Run, request: RunRequest) -> dict[str, Built]:
    """The binary of a run's benchmark, by the name that `Real` has for it. InputError where it is not there any more,
    or where the MPI that it was compiled by is not the one that would start it.
    """
    record = benchmark(request.names[0])
    chosen = next(iter(varied_by(record, request.variants)), None)
    source = VariedProgram(record, chosen).name if isinstance(chosen, Variant) else record.name
    stated = {str(each.get("key")): each for each in _stated(run, record.name, source)}
    if len(stated) != 1:
        raise _refusal(run, f"does not state by which program {record.name} was measured")
    ((key, of),) = stated.items()
    program = cache_root() / "programs" / f"{source}-{key}"
    if not is_ours(program) or (isinstance(chosen, MpiVariant) and compiler_of(chosen) is not None):
        raise _refusal(run, f"its program is not in the cache any more ({program.name})")
    if record.kind == "ranks":
        _same_mpi(run, mpi_of(chosen) if isinstance(chosen, MpiVariant) else find_mpi())
    variant = None
    if isinstance(chosen, Variant):
        commands = of.get("commands")
        words = tuple(map(str, commands)) if isinstance(commands, list) else ()
        variant = BuiltVariant(str(of.get("by")), str(of.get("version")), words)
    libraries = tuple(FoundLibrary(name, (), (), str(origin)) for name, origin in _table(of.get("libraries")).items())
    made_by = str(of.get("compiler")), str(of.get("flags"))
    return {source: Built(program, *made_by, key, True, 0.0, libraries, variant)}


def _stated(run: Run, name: str, source: str) -> Iterator[Mapping[str, object]]:
    """What each host's circumstances state of a program, or of its variant."""
    for facts in run.provenance().values():
        of = _table(_table(facts.get("programs")).get(name))
        varied = _table(_table(of.get("variants")).get(source))
        if of:
            yield {**{key: value for key, value in of.items() if key != "variants"}, **varied}


def _table(stated: object) -> Mapping[str, object]:
    return stated if isinstance(stated, dict) else {}


def _same_mpi(run: Run, mpi: object) -> None:
    here: Mapping[str, object] = {} if mpi is None else vars(mpi)
    for facts in run.provenance().values():
        then = _table(facts.get("mpi"))
        if then and any(then.get(key) != here.get(key) for key in OF_MPI):
            before, now = (" ".join(str(of.get(key)) for key in OF_MPI) for of in (then, here))
            raise _refusal(run, f"its program is of another MPI ({before}; here: {now})")


def _refusal(run: Run, problem: str) -> InputError:
    return InputError(problem, key="VARIANT", value=run.about["id"], accepted=ACCEPTED)
