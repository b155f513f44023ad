"""`assay catalogue`: the published machines, their results and claims, and Assay's own benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.verbs._completion import comparable_names
from assay.verbs._options import Json, Quiet

if TYPE_CHECKING:
    from assay.verbs._described import DescriptionFound


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def catalogue(
        context: typer.Context,
        name: Annotated[
            str | None,
            typer.Argument(
                help="a machine or a paper, by id or name; with --benchmarks: one of Assay's own",
                show_default=False,
                autocompletion=comparable_names,
            ),
        ] = None,
        benchmark: Annotated[str | None, typer.Option(help="the published numbers of this benchmark")] = None,
        benchmarks: Annotated[bool, typer.Option("--benchmarks", help="Assay's own benchmarks, by part")] = False,
        claims: Annotated[bool, typer.Option("--claims", help="the papers' claims in words")] = False,
        machine_keys: Annotated[
            bool, typer.Option("--machine-keys", help="the keys of a described machine's file")
        ] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Show published machines and results, and described machines. Without a name: the lists of all."""
        from assay.cli import emit
        from assay.verbs._exclusive_option import refuse_others

        if machine_keys:
            refuse_others(context, "--machine-keys", ("--quiet", "--json"))
            from assay.described import machine_keys as reference

            tables = reference.sections()
            if json:
                emit({"tables": tables})
            elif quiet:
                print(f"{sum(len(table['keys']) for table in tables)} keys in {len(tables)} tables")
            else:
                print(reference.markdown())
            return
        if benchmarks:
            refuse_others(context, "--benchmarks", ("name", "--quiet", "--json"), "which shows Assay's own benchmarks")
            from assay.benchmark.record import benchmark as own_one
            from assay.benchmark.record import benchmarks as own
            from assay.errors import InputError
            from assay.verbs._catalogue_shown import show_own, show_own_list

            try:
                chosen = own().values() if name is None else [own_one(name)]
            except InputError as error:  # a machine's name, perhaps
                raise InputError(str(error), key="--benchmarks") from None
            listed = [each.describe() for each in chosen]
            if json:
                emit({"benchmarks": listed})
            elif quiet:
                parts = {each["part"] for each in listed}
                print(f"{len(listed)} benchmarks in {len(parts)} parts")
            elif name is None:
                show_own_list(listed)
            else:
                show_own(listed[0])
            return
        found = None if name is None else _only_described(name)
        if found is not None:
            refuse_others(
                context,
                str(name),
                ("name", "--quiet", "--json"),
                "which is described, without published numbers",
            )
            _show_described(str(name), found, quiet, json)
            return
        from assay.verbs._catalogue_selection import Selection

        selection = Selection(name, benchmark, claims)
        if json:
            emit(selection.document())
        elif quiet:
            print(selection.one_line())
        else:
            selection.show()


def _only_described(name: str) -> DescriptionFound | None:
    """Describe a machine without published numbers; None where it is no such."""
    from assay.machine import catalogue
    from assay.verbs import _described

    return None if name in catalogue.load().machines else _described.description(name)


def _show_described(name: str, found: DescriptionFound, quiet: bool, json: bool) -> None:
    from assay.cli import emit
    from assay.verbs import _described

    if json:
        emit({"described": found})
    elif quiet:
        print(f"{name}: {found['title']}, described, {len(found['keys'])} keys")
    else:
        _described.show(found)
