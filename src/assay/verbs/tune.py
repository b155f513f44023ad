"""`assay tune RUN -o FILE`: Open MPI's rules by a run's collectives, measured again with and without them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay import output_file
from assay.number_words import number_of
from assay.verbs._options import Json, Launches, Quiet, RunName, Via, named_path

if TYPE_CHECKING:
    from assay.document.comparison import FigureRow, JudgedRow
    from assay.document.tuning import TunedRule, Tuning

LAUNCHES = 10
SWITCH, FILE = "OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll_tuned_dynamic_rules_filename"


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def tune(
        run: RunName,
        out: Annotated[
            Path | None,
            typer.Option("-o", "--out", parser=named_path, metavar="FILE", help="write the rules to this file"),
        ] = None,
        via: Via = None,
        launches: Launches = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Write Open MPI's rules for collectives that a run shows slower than need be, and measure with them again."""
        from assay.cli import emit
        from assay.document.json_form import to_json
        from assay.document.tuning import Tuning
        from assay.errors import InputError
        from assay.execute.job import launcher
        from assay.report.derive.document import document
        from assay.report.derive.software import mpi_words
        from assay.store import Run
        from assay.tuning.rules import rules, text
        from assay.verbs._output_files import check_outputs

        if out is None:
            raise InputError("is missing", key="--out", accepted="-o FILE, to which the rules are written")
        check_outputs({"--out": out}, {})
        if via is not None:
            launcher(via)  # refused before the rules are written
        whole = document(Run.open(run))
        section = next((each for each in whole.benchmarks if each.choice is not None), None)
        library = next((mpi_words(host.mpi) for host in whole.provenance.values() if host.mpi), "")
        unmeasured = [f"{whole.run} measured no collective, as `assay run collective` does"]
        found, left = rules(section.choices or ()) if section is not None else ([], unmeasured)
        if found and not library.startswith("Open MPI"):
            problem = "is no run of Open MPI, whose rules these are"
            raise InputError(problem, key="RUN", value=library or whole.machine, accepted="a run of collective")
        if found and any(letter.isspace() for letter in str(out.resolve())):
            raise InputError("has a space, which the variables of a transport cannot have", key="--out",
                             value=str(out.resolve()), accepted="another path")  # fmt: skip
        remeasured: str | None = None
        rows: list[JudgedRow | FigureRow] = []
        output_file.write_text(out, text(found, f"assay tune {whole.run}: {library}"))
        if found:
            remeasured, rows = _again(found, out.resolve(), via, launches or LAUNCHES, quiet=quiet or json)
        answer = Tuning(
            run=str(whole.run), library=library, file=str(out), rules=found, left=left, launches=launches or LAUNCHES,
            via=via, remeasured=remeasured, rows=rows,
        )  # fmt: skip
        if json:
            emit(to_json(answer))
        else:
            _show(answer, quiet)


def _again(
    found: list[TunedRule], file: Path, via: str | None, launches: int, *, quiet: bool
) -> tuple[str, list[JudgedRow | FigureRow]]:
    """Measure the library's own choices without and with the rules, launch by launch in turn."""
    from assay.benchmark.record import benchmark
    from assay.execute.mpi_variants import requested_variants
    from assay.execute.run_request import RunRequest
    from assay.report.derive.document import document
    from assay.verbs._measuring import measure

    settings = {
        "operation": ",".join(dict.fromkeys(each.operation for each in found)),
        "bytes": ",".join(map(str, sorted({each.bytes or 8 for each in found}))),
        "algorithm": "library",
    }
    transports = ("default", f"{SWITCH}=true {FILE}={file}")
    ranks = max(each.ranks for each in found)
    counts = sorted({each.ranks for each in found})
    request = RunRequest(
        names=("collective",),
        via=via,
        ranks=ranks,
        settings=settings | ({} if counts == [ranks] else {"ranks": ",".join(map(str, counts))}),
        launches=launches,
        variants=requested_variants(
            [benchmark("collective")], on=None, mpis=(), transports=transports, compilers=(), flags=(), isas=()
        ),
    )
    request.check()
    made, _ = measure(request, None, quiet=quiet)
    whole = document(made)
    rows = [] if whole.variants is None else [each for each in whole.variants.rows if each.figure == "time"]
    return str(made.folder), rows


def _show(answer: Tuning, quiet: bool) -> None:
    if not answer.rules:
        why = f": {'; '.join(answer.left)}" if answer.left else ""
        requested = number_of(answer.launches, "launch") + (f" via {answer.via}" if answer.via else "")
        print(f"{answer.run}: no choice of a collective is shown slower and can be replaced{why}; {answer.file} has no "
              f"rule, and nothing is measured again ({requested})")  # fmt: skip
        return
    if not quiet:
        for each in answer.rules:
            to = "and more" if each.below is None else f"to {each.below} B"
            gain = "" if each.ci95 is None else f" ({each.ci95[0]:.2f} to {each.ci95[1]:.2f})"
            print(f"{each.operation}, {each.ranks} ranks, {each.message} B {to}: {each.algorithm} ({each.number}); "
                  f"the choice took {each.ratio:.2f} times as long{gain}")  # fmt: skip
        for reason in answer.left:
            print(f"without a rule: {reason}")
        for row in answer.rows:
            print(_before_and_after(row))
    differ = sum(row.verdict == "differs" and (row.ratio or 1) < 1 for row in answer.rows)
    rules = number_of(len(answer.rules), "rule")
    print(f"{answer.file}: {rules}; with them {differ} of {len(answer.rows)} cases are faster "
          f"({answer.remeasured})")  # fmt: skip
    if not quiet:
        print(f"to use it: mpiexec --mca coll_tuned_use_dynamic_rules true --mca coll_tuned_dynamic_rules_filename "
              f"{answer.file} …")  # fmt: skip


def _before_and_after(row: JudgedRow | FigureRow) -> str:
    from assay.report.units import human, params

    between = "" if row.ci95 is None else f" ({row.ci95[0]:.3f} to {row.ci95[1]:.3f})"
    ratio = "–" if row.ratio is None else f"{row.ratio:.3f}"
    case = params({key: value for key, value in row.params.items() if key in ("operation", "bytes", "ranks")})
    a, b = human(row.a.value, row.unit), human(row.b.value, row.unit)
    return f"{case}: before {a}, after {b}, ratio {ratio}{between}: {row.verdict}"
