"""`assay lab`: laboratories, networks of hosts on this machine; what is up, one up, one down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay import output_file
from assay.verbs._options import Json, Quiet, named_path

if TYPE_CHECKING:
    from assay.laboratory.running import Laboratory

_ACTIONS = "up, down or list"


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def lab(
        context: typer.Context,
        action: Annotated[str, typer.Argument(metavar="ACTION", help=_ACTIONS)],
        topology: Annotated[
            str | None,
            typer.Argument(
                metavar="TOPOLOGY", help="with up: hypercube:3, mesh:3x3, torus:4x4, ring:6, star:8 or fat-tree:2x4"
            ),
        ] = None,
        rate: Annotated[
            str | None, typer.Option(metavar="RATE", help="with up: each link's rate, such as 10Mbit/s (the default)")
        ] = None,
        delay: Annotated[
            str | None, typer.Option(metavar="TIME", help="with up: what each link adds, such as 1ms (default: 0)")
        ] = None,
        slow: Annotated[
            list[str] | None,
            typer.Option(metavar="LINK=PART", help="with up: a link with part of the rate, n0-n1=0.5 (repeatable)"),
        ] = None,
        name: Annotated[
            str | None, typer.Option(metavar="NAME", help="the laboratory's name (default: lab; down: the only one)")
        ] = None,
        twin: Annotated[
            Path | None,
            typer.Option(
                parser=named_path, metavar="FILE", help="with up or list: write the laboratory as a described machine"
            ),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Build a network of hosts on this machine for `--via lab`, take it down, or list what is up."""
        from assay.errors import InputError
        from assay.laboratory import running
        from assay.verbs._exclusive_option import refuse_others
        from assay.verbs._output_files import check_outputs

        beside = ("action", "--name", "--quiet", "--json")
        if action == "up":
            if topology is None:
                from assay.laboratory.layout import ACCEPTED

                raise InputError("needs a topology", key="lab up", accepted=ACCEPTED)
            check_outputs({"--twin": twin}, {})
            shown = [_raised(name, topology, rate or "10Mbit/s", delay, slow or ())]
        elif action == "down":
            refuse_others(context, "lab down", beside)
            shown = [running.named(name, "lab down" if name is None else "--name")]
            shown[0].take_down()
        elif action == "list":
            refuse_others(context, "lab list", (*beside, "--twin"))
            check_outputs({"--twin": twin}, {})
            one = "--name" if name is not None else None if twin is None else "--twin"
            shown = running.laboratories() if one is None else [running.named(name, one)]
        else:
            raise InputError("no such action", key="lab", value=action, accepted=_ACTIONS)
        if twin is not None:
            _write_twin(shown[0], twin)
        _show(action, shown, quiet=quiet, json=json)


def _raised(name: str | None, topology: str, rate: str, delay: str | None, slow: Any) -> Laboratory:
    from assay.benchmark.record import PlainProgram, programs_root
    from assay.execute.build import build
    from assay.laboratory import raising
    from assay.laboratory.specification import NAME, specification

    made = specification(name or NAME, topology, rate, delay, slow)
    raising.check(made)
    source = PlainProgram("laboratory-links", programs_root() / "laboratory" / "links.cpp")
    return raising.bring_up(made, build([source], mpi=None)[source.name].path)


def _write_twin(laboratory: Laboratory, file: Path) -> None:
    from assay.laboratory.twin import text

    output_file.write_text(file, text(laboratory.specification), key="--twin")


def _show(action: str, shown: list[Laboratory], *, quiet: bool, json: bool) -> None:
    from dataclasses import asdict

    from assay.cli import emit
    from assay.laboratory.shown import line
    from assay.laboratory.shown import shown as entry

    if json:
        emit({"action": action, "laboratories": [asdict(entry(each, up=action != "down")) for each in shown]})
    elif quiet:
        names = ", ".join(each.specification.name for each in shown)
        print(f"{'down' if action == 'down' else 'up'}: {names or 'no laboratory'}")
    else:
        print("\n".join(line(each, up=action != "down") for each in shown) or "no laboratory is up")
