"""`assay doctor`: what this machine is, what can be measured on it, what is missing, what to check; `--watch`: live;
`--via`: an inventory of every node of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay import sanitised
from assay.verbs._options import Json, Quiet

if TYPE_CHECKING:
    from assay.machine.abilities import Ability
    from assay.machine.discovery import Host

COLOURS = {"yes": "green", "partly": "yellow", "no": "red"}


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def doctor(
        watch: Annotated[bool, typer.Option("--watch", help="show noise and activity live, until Ctrl-C")] = False,
        seconds: Annotated[
            float | None,
            typer.Option(
                "--for",
                min=0.1,
                metavar="SECONDS",
                help="with --watch: duration; with --via: timeout of a node's answer (30)",
            ),
        ] = None,
        via: Annotated[
            str | None,
            typer.Option(
                metavar="LAUNCHER",
                help="inventory and speed of every node of hosts:FILE, slurm[:OPTIONS] or lab[:NAME]",
            ),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Show what this machine is and what can be measured on it."""
        from assay.errors import InputError

        if via is not None:
            from assay.verbs._doctor_nodes import inventory

            if watch:
                raise InputError("looks at this host only", key="--watch", accepted="without --via")
            raise typer.Exit(inventory(via, seconds, quiet, json))
        if seconds is not None and not watch:
            raise InputError("is how long to watch", key="--for", value=seconds, accepted="with --watch, or with --via")
        if watch:
            from assay.verbs import _doctor_watch

            if quiet and not json:
                accepted = "--watch, or --watch --json --for SECONDS"
                raise InputError("has no effect with --watch", key="--quiet", accepted=accepted)
            if json and seconds is None:
                raise InputError(
                    "has no end at which to write a document", key="--watch --json", accepted="--for SECONDS"
                )
            raise typer.Exit(_doctor_watch.watch(seconds, json))
        from assay.cli import emit
        from assay.execute.libraries import find_here
        from assay.execute.mpi import find_mpi
        from assay.machine.abilities import abilities, find_missing, host_warnings
        from assay.machine.discovery import discover

        host = discover(find_mpi, find_here)
        programs = _programs()
        able_to = [*abilities(host, programs), _laboratory()]
        if json:
            emit(
                {
                    "host": _bare(host.model_dump(mode="json")),
                    "abilities": [
                        {**_bare(each.model_dump()), "programs": programs.get(each.part, [])} for each in able_to
                    ],
                    "missing": [_bare(each.model_dump()) for each in find_missing(host)],
                    "doubts": [_bare(each.model_dump()) for each in host_warnings(host)],
                    "notes": host.all_notes(),
                }
            )
            return
        if quiet:
            print(_one_line(host, able_to, len(find_missing(host)), len(host_warnings(host))))
            return
        from rich.table import Table
        from rich.text import Text

        console = sanitised.console()

        def heading(words: str) -> None:
            console.print(Text(f"\n{words}", style="bold"))

        def grid(*widths: int | None) -> Table:
            table = Table.grid(padding=(0, 2), pad_edge=False)
            for width in widths:
                table.add_column(min_width=width, no_wrap=width is not None, overflow="fold")
            return table

        console.print(Text(host.system.host, style="bold"), Text(f"  {host.processors.model or ''}"), sep="")
        facts = grid(12, None)
        for name, words in lines(host):
            facts.add_row(Text(name, style="dim"), Text(words))
        console.print(facts)

        heading("What can be measured here")
        able = grid(12, 6, None)
        for ability in able_to:
            able.add_row(ability.part, Text(ability.answer, style=COLOURS[ability.answer]), ability.why)
        console.print(able)

        if absent := find_missing(host):
            heading("Missing")
            lacking = grid(12, None)
            for lack in absent:
                lacking.add_row(lack.name, Text.assemble(f"for {lack.needed_for}:\n", (lack.command, "cyan")))
            console.print(lacking)

        if warnings := host_warnings(host):
            heading("Warnings")
            shown = grid(12, None)
            for warning in warnings:
                words = warning.text + (f" — {warning.remedy}" if warning.remedy else "")
                shown.add_row(Text(warning.about, style="yellow"), Text(words))
            console.print(shown)


def _one_line(host: Host, able_to: Sequence[Ability], absent: int, warnings: int) -> str:
    """Sum up what can be measured here."""
    parts = {
        words: ", ".join(each.part for each in able_to if each.answer == answer)
        for answer, words in (("yes", "measurable"), ("partly", "in part"), ("no", "not"))
    }
    found = "; ".join(f"{words}: {names}" for words, names in parts.items() if names)
    return f"{host.system.host}: {found}; {absent} missing, warnings: {warnings}"


def _laboratory() -> Ability:
    """Whether a network of hosts can be built on this machine (`assay lab`)."""
    from assay.laboratory.raising import obstacle
    from assay.machine.abilities import Ability

    why = obstacle()
    if why is not None:
        return Ability(part="laboratory", answer="no", why=why)
    return Ability(part="laboratory", answer="yes", why="networks of hosts in namespaces (assay lab up)")


def _programs() -> dict[str, list[str]]:
    """Names of Assay's own benchmarks by part."""
    from assay.benchmark.record import benchmarks

    found: dict[str, list[str]] = {}
    for name, each in benchmarks().items():
        found.setdefault(each.part, []).append(name)
    return found


def _bare(value: Any) -> Any:
    """Without the empty notes that every part carries."""
    if isinstance(value, dict):
        return {key: _bare(each) for key, each in value.items() if not (key == "notes" and not each)}
    return [_bare(each) for each in value] if isinstance(value, list | tuple) else value


def lines(host: Host) -> list[tuple[str, str]]:
    """What the machine is, as (subject, words) lines for people."""
    return [(name, words) for part in (_hardware, _software, _around) for name, words in part(host) if words]


def _join(*parts: str | None, by: str = ", ") -> str:
    return by.join(part for part in parts if part)


def _hardware(host: Host) -> Iterator[tuple[str, str]]:
    from assay.report.units import human

    system, cpu, memory = host.system, host.processors, host.memory
    yield "system", _join(system.distribution, f"kernel {system.kernel}" if system.kernel else None)
    where = "bare metal" if system.virtualised is False else "bare metal or virtual: not visible"
    if system.virtualised:
        where = f"virtual ({system.hypervisor or 'hypervisor unknown'})"
    yield "hardware", _join(system.product, where, f"container: {system.container}" if system.container else None)
    usable = host.limits.usable_cpus
    levels = {each.name: f"{len(each.cpus)} {each.name}{'s'[: len(each.cpus) != 1]}" for each in cpu.levels}
    yield (
        "processors",
        _join(
            *(levels.get(name) for name in ("drawer", "book")),
            f"{cpu.sockets} socket{'s'[: cpu.sockets != 1]}" if cpu.sockets else None,
            *(levels.get(name) for name in ("die", "cluster")),
            f"{cpu.cores} core{'s'[: cpu.cores != 1]}" if cpu.cores else None,
            f"{cpu.threads} thread{'s'[: cpu.threads != 1]}" if cpu.threads else None,
            f"{usable:g} usable" if usable is not None and usable != cpu.threads else None,
        ),
    )
    telling = ("avx2", "fma", "avx512f", "amx_tile", "asimd", "sve", "sve2", "sme", "vsx")
    yield "", _join(cpu.architecture, " ".join(flag for flag in cpu.flags if flag in telling))
    if cpu.kinds:
        yield "kinds", _join(*(f"{len(kind.cpus)} {kind.name}" for kind in cpu.kinds))
    clock = cpu.frequency_max or cpu.frequency_now
    yield (
        "clock",
        _join(
            human(clock, "Hz", 3) if clock else None,
            f"governor {cpu.governor or 'not visible'}",
            None if cpu.boost is None else "boost on" if cpu.boost else "boost off",
            f"time by {system.clock_source}" if system.clock_source else None,
        ),
    )
    caches = []
    for each in host.caches.caches:
        kind = "" if each.type == "unified" else each.type[0]
        times = f" x {each.instances}" if (each.instances or 1) > 1 else ""
        caches.append(f"L{each.level}{kind} {human(each.size, 'B')}{times}")
    yield "caches", _join(*caches) or "not visible"
    if len(host.numa.nodes) > 1:
        far = max(max(node.distances, default=10) for node in host.numa.nodes)
        bare = sum(not node.cpus for node in host.numa.nodes)
        without = f" ({bare} without processors)" if bare else ""
        yield "NUMA", f"{len(host.numa.nodes)} nodes{without}, distances to {far}"
    limit = f"limited to {human(memory.limit, 'B', 3)}" if memory.limit else None
    swap = f"swap {human(memory.swap_total, 'B', 3)}" if memory.swap_total else "no swap"
    yield "memory", _join(human(memory.total, "B", 3), limit, f"{human(memory.usable, 'B', 3)} usable now", swap)
    for device in host.accelerators.devices[:4]:
        state = device.device_file if device.usable else "not usable here"
        memory_of = human(device.memory, "B", 3) if device.memory else None
        units = f"{device.units} compute units" if device.units else None
        of_kind = device.kind if device.api else None
        yield "accelerator", _join(device.vendor, device.name, of_kind, state, device.api, units, memory_of)


def _software(host: Host) -> Iterator[tuple[str, str]]:
    for each in host.software.compilers or ():
        yield "compiler", f"{each.command}: {each.version or '?'}{'' if each.cxx20 else ' (no C++20)'}"
    if not host.software.compilers:
        yield "compiler", "none"
    if mpi := host.software.mpi:
        found = _join(mpi.implementation, mpi.version, by=" ") or _join(*mpi.notes)
        yield "MPI", _join(found, mpi.mpiexec, "embedded" if mpi.embedded else None)
    else:
        yield "MPI", "none"
    yield "BLAS", _join(*(each.name for each in host.software.blas)) or "none"
    for key, library in host.software.libraries.items():
        yield key.upper(), "none" if library is None else library.where
    yield "hwloc", host.software.hwloc or "none"
    for system in host.batch.systems:
        inside = f"inside job {system.job}" if system.job else "outside any job"
        yield "batch", _join(system.name, inside, None if system.answers else "does not answer")


def _around(host: Host) -> Iterator[tuple[str, str]]:
    from assay.report.units import human

    for disk in host.filesystems.mounts[:6]:
        space = f"{human(disk.free, 'B', 3)} free of {human(disk.size, 'B', 3)}" if disk.size else "does not answer"
        yield "files", _join(f"{disk.mount} {disk.type} ({disk.where})", space)
    links = [(f"{port.kind} {port.device}", port.rate) for port in host.network.fabrics]
    links += [(each.name, each.rate) for each in host.network.interfaces if not each.virtual and each.state != "down"]
    yield "network", _join(*(name + (f" {human(rate, 'B/s', 3)}" if rate else "") for name, rate in links)) or "none"
    joules = host.energy
    read = None if joules.power is None else f"packages take {human(joules.power, 'W', 3)} now"
    if joules.why:
        yield "energy", f"not readable: {joules.why}"
    elif joules.zones:
        yield "energy", _join(f"{joules.source}: {', '.join(joules.zones)}", read)
    now = host.activity
    yield (
        "now",
        _join(
            "load " + " ".join(f"{each:.2f}" for each in now.load) if now.load else None,
            f"others use {now.others:.1f} processors" if now.others is not None else None,
            f"logged in: {', '.join(now.users[:5])}" if now.users else None,
        ),
    )
