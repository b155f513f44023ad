"""`assay plan`: what an evaluation would do, without doing it, and how long it will take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from assay.verbs._options import (
    Budget,
    Compilers,
    Flags,
    Isas,
    Json,
    Launches,
    Mpis,
    Nodes,
    On,
    Only,
    PerNode,
    Placement,
    Profile,
    Quiet,
    Seed,
    Transports,
    Via,
    Within,
)

if TYPE_CHECKING:
    from assay.execute.duration import Duration


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def plan(
        context: typer.Context,
        on: On = None,
        via: Via = None,
        nodes: Nodes = None,
        ppn: PerNode = None,
        placement: Placement = None,
        profile: Profile = "quick",
        only: Only = None,
        compilers: Compilers = None,
        flags: Flags = None,
        isas: Isas = None,
        mpis: Mpis = None,
        transports: Transports = None,
        launches: Launches = None,
        within: Within = None,
        budget: Budget = None,
        seed: Seed = 1,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Show what `evaluate` would do, task by task, and how long it would take."""
        import os
        import sys

        from assay.benchmark.record import benchmark
        from assay.benchmark.variants import variant_of
        from assay.cli import emit
        from assay.execute.duration import duration
        from assay.execute.preflight import resource_notices
        from assay.report.derive.budget import words
        from assay.store import known_runs
        from assay.verbs import _quoted
        from assay.verbs._exclusive_option import refuse_others
        from assay.verbs._measuring import cut_to_budget, prepare_run
        from assay.verbs._run_request import EvaluationOptions, evaluation

        given = EvaluationOptions(
            on=on, via=via, nodes=nodes, ppn=ppn, placement=placement, profile=profile, only=only, launches=launches,
            within=within, budget=budget, seed=seed, compilers=compilers, flags=flags, isas=isas, mpis=mpis,
            transports=transports,
        )  # fmt: skip
        request = evaluation(given, lambda text: print(text, file=sys.stderr)).request
        if request is None:
            refuse_others(context, f"--on {on}", ("--only", "--quiet", "--json"), _quoted.ONLY_QUOTED)
            quoted = f"{on}: nothing is run; published figures are quoted"
            emit({"tasks": [], "quoted": True}) if json else print(quoted)
            return
        made, where = prepare_run(request)
        made, cut, _ = cut_to_budget(made, where)
        records = {name: benchmark(name) for name in request.names}
        machine = os.uname().nodename if on is None else where.machine
        expected: Duration | None = duration(made, records, machine, known_runs())
        if on is not None and expected and expected.known < expected.launches:
            expected = None  # what a simulation takes is known only from one made before
        if json:
            about = {} if cut is None else {"cut": cut.to_dict()}
            emit(made.to_dict() | about | {"expected": None if expected is None else expected.to_dict()})
            return
        first = made.launches if made.spending is None else made.spending.looks[0]
        for task in made.tasks if not quiet else ():
            ranks = "" if task.ranks is None else f"  {_count(task.ranks, 'rank'):<7}"
            if task.launch < first:
                variant = variant_of(task.factors)
                by = "" if variant is None else f"  {variant.title} "
                print(f"launch {task.launch:2}  {task.benchmark:<12}{ranks}{by}  {' '.join(task.arguments)}")
        if made.spending is not None:
            looks = ", ".join(map(str, made.spending.looks[1:]))
            if looks and not quiet:
                print(f"then up to {looks} launches, where intervals are wider than ±{made.spending.within:.1%}")
        print(_words(expected, made.spending is not None))
        if cut is not None and (note := words(cut.to_dict())):
            print(note)
        for line in (
            resource_notices(records.values(), profile, here=via in (None, "local")) if on is None and not quiet else ()
        ):
            print(line)


def _words(expected: Duration | None, several: bool) -> str:
    if expected is None:
        return "how long a simulation takes is not known before the first one"
    from assay.machine.units import waiting_time

    text = f"{_count(expected.launches, 'launch', 'launches')}, about {waiting_time(expected.seconds)}"
    if expected.most > expected.seconds:
        why = "if intervals stay wide" if several else "where others' work has the processors"
        text += f", at most {waiting_time(expected.most)} {why}"
    if expected.known == expected.launches:
        return f"{text} (as in earlier runs here)"
    why = "nothing like it was run here before"
    if expected.known:
        why = f"for {expected.known} of the {expected.launches} launches from earlier runs here"
    return f"{text} (estimated: {why}); programs are compiled first, once"


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
