"""`assay replay`: a trace of messages through a described network, or a GOAL schedule on a described machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._options import Goal, Json, NetworkSettings, On, Quiet, Timeline, named_path


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def replay(
        network: Annotated[
            Path | None, typer.Argument(metavar="NETWORK.toml", help="the network; its traffic is not used")
        ] = None,
        messages: Annotated[
            Path | None, typer.Argument(metavar="messages.csv", help="id,cycle,source,destination,flits")
        ] = None,
        out: Annotated[
            Path | None,
            typer.Option("-o", "--out", parser=named_path, metavar="delivered.csv", help="id,head,tail,hops"),
        ] = None,
        goal: Goal = None,
        on: On = None,
        settings: NetworkSettings = None,
        timeline: Timeline = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Send the messages of a file through a network and report when each arrives."""
        if goal is not None or on is not None:
            from assay.verbs import _goal

            others = {"NETWORK.toml": network, "messages.csv": messages, "--out": out, "--timeline": timeline}
            return _goal.replay(goal, on, settings or [], others, quiet=quiet, json=json)
        from assay.cli import emit
        from assay.errors import InputError
        from assay.network import description, trace
        from assay.network.foreign.read import assumptions
        from assay.network.memory_bound import bounded
        from assay.verbs import _file_names
        from assay.verbs._interrupts import ends_in_a_line
        from assay.verbs._output_files import check_outputs
        from assay.verbs._repeated_option import each_once

        if network is None or messages is None or out is None:
            missing = "NETWORK.toml" if network is None else "messages.csv" if messages is None else "--out"
            accepted = "NETWORK.toml messages.csv -o FILE, or --goal FILE --on MACHINE"
            raise InputError("is missing", key=missing, accepted=accepted)
        each_once(settings or [])
        check_outputs({"--out": out, "--timeline": timeline}, {"NETWORK.toml": network, "messages.csv": messages})
        _file_names.check_suffix("--out", out, "CSV", _file_names.TABLE)
        _file_names.check_suffix("--timeline", timeline, "JSON", _file_names.TRACE)
        assumed = assumptions(network)
        for text in () if quiet else assumed:
            print(f"assumed: {text}", file=sys.stderr)
        with bounded(network), ends_in_a_line():
            found = trace.load(messages)  # a file that is wrong is refused before the core may have to be compiled
            described = description.load(network, settings or [])

            from assay.network import progress, replaying

            with progress.bar("replaying", quiet) as meter:
                meter.expected = int(found.cycle.max(initial=0)) + 1  # until the last message begins
                document = replaying.replay(described, found, out, timeline)
        if json:
            emit(document | ({"assumptions": list(assumed)} if assumed else {}))
        else:
            count = f"{document['delivered']:,} of {document['messages']:,} messages delivered"
            state = f"; {document['unroutable']:,} unroutable" if document["unroutable"] else ""
            state += "; deadlock" if document["deadlock"] else ""
            print(f"{count} in {document['simulated_cycles']:,} cycles{state}")
            if not quiet:
                print(f"{document['engine']} engine, {document['cpu_seconds']:.3g} CPU s; {out}")
