"""What a machine is, in a few lines: what a buyer looks for first, and what this process may really use of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from assay.document.host_facts import HostFacts
from assay.document.params import Facts
from assay.document.run_document import Document
from assay.document.run_verdict import FactLine
from assay.report.derive import node_count
from assay.report.derive.software import mpi_words
from assay.report.sections import energy
from assay.report.units import human
from assay.stored.run_record import RunRecord

TELLING = ("avx2", "avx512f", "amx_tile", "asimd", "sve", "sve2", "vsx")


def facts(document: Document, about: RunRecord) -> list[FactLine]:
    """Lines on the machine, from a run's document (of the hosts that measured) and its `run.json`."""
    if document.described:
        found = _described(document, about)
    else:
        host, seen = document.facts, discovered(document, about)
        of = next(iter(document.provenance.values()), HostFacts({}))
        names = host.hosts
        found = [
            ("hosts", f"{len(names)}: {', '.join(names[:6])}{' …' if len(names) > 6 else ''}" if names else ""),
            ("processor", _processor(host, seen)),
            ("usable", _usable(host, seen)),
            ("virtual", _virtual(host, seen)),
            ("memory", _memory(host, seen)),
            ("caches", _caches(seen)),
            ("energy", _energy(document, seen)),
            ("network", _network(seen)),
            ("MPI", "; ".join(used(document)) or _mpi(of.mpi, seen)),
            ("ranks", _per_node(about)),
            ("system", _join(host.distribution, host.kernel and f"kernel {host.kernel}")),
        ]
    return [FactLine(name=name, text=text) for name, text in found if text]


def used(document: Document) -> list[str]:
    """The MPIs that started ranks in a run, each once."""
    return list(dict.fromkeys(each for section in document.benchmarks for each in section.mpi or ()))


def discovered(document: Document, about: RunRecord) -> Facts:
    """What was found out of this host when the run began; nothing where other hosts measured."""
    seen = {} if document.facts.submitted_from else about.get("discovered") or {}
    if seen:
        from pydantic import ValidationError

        from assay.machine.discovery import Host

        try:
            return Host.model_validate(seen).model_dump(mode="json")
        except ValidationError:  # of another version, or damaged
            return {}
    return {}


def _join(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


def _many(count: float | None, word: str) -> str | None:
    return None if not count else f"{count:g} {word}{'' if count == 1 else 's'}"


def _counts(about: RunRecord, key: Literal["ranks", "ppn"]) -> set[int]:
    """The numbers of ranks, or of those per node (`ppn`), that a run's tasks were planned with."""
    tasks = (about.get("plan") or {}).get("tasks")
    listed = tasks if isinstance(tasks, list | tuple) else ()  # as read again, or as planned a moment ago
    counts = [task.get(key) for task in listed if isinstance(task, dict)]
    return {count for count in counts if isinstance(count, int) and count > 0}


def _per_node(about: RunRecord) -> str:
    """How many ranks a node has, where somebody asked for it: the cases of a run with one such number do not say it."""
    return f"{' or '.join(map(str, sorted(found)))} per node" if (found := _counts(about, "ppn")) else ""


def _described(document: Document, about: RunRecord) -> list[tuple[str, str]]:
    sizes = _counts(about, "ranks")
    named = node_count.words(used for section in document.benchmarks for used in section.nodes or ())
    several = len(_counts(about, "ppn")) > 1
    widest = named or (f"up to {max(sizes)} ranks" if sizes else "")
    ranks = _join(widest, _per_node(about) if several or not named else "")
    return [
        ("machine", f"{_name(str(document.machine))}, as described; nothing here was measured"),
        ("simulated", _join(ranks, _messages(document, sizes, _counts(about, "ppn")))),
        ("placed", _placed(document)),
    ]


def _messages(document: Document, ranks: set[int], per_node: set[int]) -> str:
    """How messages are simulated: over a network, within a node, or by what each takes alone; "" where none says."""
    found = [host.stated.get("description") for host in document.provenance.values()]
    described = [each for each in found if isinstance(each, dict)]
    node = next((each.get("node") for each in described), None)
    usual = (node.get("ranks") or node.get("processors")) if isinstance(node, dict) else None
    used = [each for section in document.benchmarks for each in section.nodes or ()]
    crossed = {each.crossed for each in used} - {None}
    if crossed == {False}:
        return "no message crossed the network"
    room = max(per_node, default=usual if isinstance(usual, int) else 1)  # of older runs, which do not say
    together = all(each.nodes == 1 for each in used) if used else max(ranks, default=0) <= room
    if described and not crossed and together and max(ranks, default=0) > 1:
        return "all on one node: no message crosses the network"
    if any(each.get("network") for each in described):
        return "network exact to the flit, protocols of the description"
    return "messages by start-up and time per byte, without a network" if described else ""


def _placed(document: Document) -> str:
    """On which nodes ranks are where that was asked for; each launch's notes name them."""
    stated = next((host.stated for host in document.provenance.values()), {})
    way = stated.get("placement")
    if not isinstance(way, str):
        return ""
    if way[:1].isdecimal():
        return f"ranks on nodes {way}"
    seed = stated.get("placement_seed")
    return _join(f"ranks {way}", None if seed is None else f"drawn by seed {seed}")


def _name(machine: str) -> str:
    """The name of a machine in the papers, where one was published."""
    from assay.published.tables.quoted import published

    known = published(machine)
    return known.name if known else machine


def _processor(host: HostFacts, seen: Facts) -> str:
    cpu = seen.get("processors") or {}
    flags = [flag for flag in (cpu.get("flags") or host.flags or ()) if flag in TELLING]
    clock = cpu.get("frequency_max") or host.frequency
    return _join(
        host.cpu or host.architecture,
        f"{human(clock, 'Hz', 3)} stated" if clock else None,
        " ".join(flags) or None,
    )


def _usable(host: HostFacts, seen: Facts) -> str:
    """The part of the socket that this process may use: topology, then what cgroup and affinity leave of it."""
    limits, cpu = seen.get("limits") or {}, seen.get("processors") or {}
    threads, usable, per_core = host.threads, host.usable_cpus, cpu.get("threads_per_core")
    smt = None if not per_core else "no SMT visible" if per_core == 1 else f"SMT {per_core} threads per core"
    shape = _join(_many(host.sockets, "socket"), _many(host.cores, "core"), _many(threads, "hardware thread"), smt)
    bounds = []
    if usable is not None and threads and usable < threads:
        bounds.append(f"only {usable:g} usable")
    if limits.get("cpu_quota") is not None:
        bounds.append(f"cgroup quota {limits['cpu_quota']:g}")
    elif limits:
        bounds.append("no cgroup quota")
    cpuset = limits.get("cpuset")
    if cpuset and threads and len(cpuset) < threads:
        bounds.append(f"cpuset of {len(cpuset)}")
    return _join(shape, *bounds)


def _virtual(host: HostFacts, seen: Facts) -> str:
    activity = seen.get("activity") or {}
    uptime, stolen = (seen.get("system") or {}).get("uptime"), activity.get("steal_since_boot")
    if host.virtualised:
        where = f"yes, {host.hypervisor or 'hypervisor unknown'}"
    else:
        where = "no" if host.virtualised is False else "not visible"
    steal = None
    if host.virtualised and uptime and stolen is not None:
        share = stolen / uptime / (host.threads or 1)
        steal = f"{100 * share:.2g}% of processor time stolen since boot" if stolen else "steal never counted"
    return _join(where, f"container {host.container}" if host.container else None, steal)


def _memory(host: HostFacts, seen: Facts) -> str:
    total, limit = host.memory, host.memory_limit
    nodes = len((seen.get("numa") or {}).get("nodes") or ())
    swap = (seen.get("memory") or {}).get("swap_total")
    return _join(
        None if total is None else human(total, "B", 3),
        f"limited to {human(limit, 'B', 3)} by the cgroup" if limit else None,
        _many(nodes, "NUMA node"),
        None if swap is None else f"swap {human(swap, 'B', 3)}" if swap else "no swap",
    )


def _caches(seen: Facts) -> str:
    made = []
    for each in (seen.get("caches") or {}).get("caches") or ():
        if each["type"] != "instruction" and each.get("size"):
            times = f"{each['instances']} x " if (each.get("instances") or 1) > 1 else ""
            made.append(f"L{each['level']} {times}{human(each['size'], 'B', 4)}")
    return _join(*made)


def _energy(document: Document, seen: Facts) -> str:
    """Say what counts joules here, or why nothing can be read, as the programs found it where they measured."""
    by_host: dict[str, list[str]] = {}
    for name, host in document.hosts.items():
        if host.stated.get("energy"):
            by_host.setdefault(str(host.stated["energy"]), []).append(name)
    power = (seen.get("energy") or {}).get("power")
    before = None if power is None else f"packages took {human(power, 'W', 3)} before the run"
    read = [*by_host] if len(by_host) < 2 else [_of_hosts(by_host)]
    return _join(*read, before, *energy.least(document))


def _of_hosts(texts: dict[str, list[str]]) -> str:
    """Join what hosts state differently, each with how many state it, or the name of the only one."""
    who = {text: names[0] if len(names) == 1 else f"{len(names)} hosts" for text, names in texts.items()}
    return "; ".join(f"{name}: {text}" for text, name in who.items())


def _network(seen: Facts) -> str:
    network = seen.get("network") or {}
    links = [(f"{port['kind']} {port['device']}", port.get("rate")) for port in network.get("fabrics") or ()]
    links += [
        (_join(each["name"], each.get("driver")), each.get("rate"))
        for each in network.get("interfaces") or ()
        if not each.get("virtual") and each.get("state") != "down"
    ]
    return "; ".join(f"{name}, {human(rate, 'B/s', 3) if rate else 'rate not stated'}" for name, rate in links)


def _mpi(launched: Facts | None, seen: Facts) -> str:
    used: Iterator[Facts] = (each for each in (launched, (seen.get("software") or {}).get("mpi")) if each)
    mpi = next(used, None)
    return "" if mpi is None else mpi_words(mpi)
