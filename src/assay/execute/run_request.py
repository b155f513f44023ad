"""A run request: checked before anything is compiled or written, and turned into a plan and a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from assay.benchmark.record import Benchmark, benchmark
from assay.benchmark.variants import AnyVariant
from assay.errors import InputError
from assay.execute import plan as planning
from assay.execute.folders import Folder, folders
from assay.execute.local import on_this_host
from assay.execute.plan import Plan, Size
from assay.execute.rank_layout import choose_ranks_per_node
from assay.execute.session import Target
from assay.execute.target import choose_rank_count, on_nodes, place, target
from assay.execute.variants import admit

SHORTEST_TIMEOUT = 1.0  # s, of a launch


@dataclass(frozen=True)
class RunRequest:
    """The words of a command line that decide what is measured, where and how often."""

    names: tuple[str, ...]
    on: str | None = None
    via: str | None = None
    ranks: int | None = None
    rank_counts: tuple[int, ...] = ()  # several, in place of `ranks`
    one_rank_too: bool = False  # applications also on one rank, for their speedups
    nodes: int | None = None
    ppn: tuple[int, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str] = field(default_factory=dict)
    profile: str = "quick"
    launches: int | None = None
    within: float | None = None
    budget: float | None = None
    timeout: float | None = None
    seed: int = 1
    timeline: str | None = None
    matrix: str | None = None
    placement: str | None = None
    verify: bool = False
    goal: str | None = None
    variants: tuple[AnyVariant, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Give the request as plain data, for run.json."""
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, object]) -> RunRequest:
        """Take back what `to_dict` gave; pydantic's ValidationError where it is something else."""
        from pydantic import TypeAdapter

        return TypeAdapter(RunRequest).validate_python(data)

    def check(self) -> None:
        """InputError for what is wrong whatever the target is, before anything is printed or a core is compiled."""
        planning.check_profile(self.profile)
        if self.timeout is not None:
            self._check_timeout(self.timeout)
        if self.verify:
            self._check_verify()
        if self.goal is not None:
            self._check_goal(self.goal)
        if self.timeline is not None and self.on is None:
            self._check_timeline(self.timeline)
        for name in self.names:
            benchmark(name).settings(self.settings)
        if self.on is None:
            if self.placement is not None:
                accepted = "--on; real ranks are placed by their launcher (docs/clusters.md)"
                problem = "places ranks on a described machine"
                raise InputError(problem, key="--placement", value=self.placement, accepted=accepted)
            planning.spend(self.profile, self.launches, self.within, self.budget)
            admit(self.names, self.variants, every=len(self.names) == 1, here=on_this_host(self.via))
        elif self.placement is not None:
            self._check_placement(self.placement)
        if self.on is not None:
            self._check_folders(self.on)

    def _check_timeout(self, timeout: float) -> None:
        if self.on is not None:
            problem = "ends launches of real programs, and a described machine has none"
            raise InputError(problem, key="--timeout", value=f"{timeout:g}s", accepted="no --timeout with --on")
        if timeout < SHORTEST_TIMEOUT:
            accepted = f"at least {SHORTEST_TIMEOUT:g}s"
            raise InputError(
                "is too short to start a program", key="--timeout", value=f"{timeout:g}s", accepted=accepted
            )

    def _check_timeline(self, timeline: str) -> None:
        if any(benchmark(name).part != "applications" for name in self.names):
            problem = "shows a described machine, or an application over MPI"
            raise InputError(problem, key="--timeline", value=timeline, accepted="--on, or an application")
        if self.rank_counts:
            problem = f"shows one launch, and -n has {len(self.rank_counts)} numbers of ranks"
            raise InputError(problem, key="--timeline", value=timeline, accepted="one number (-n)")

    def _check_goal(self, goal: str) -> None:
        if self.on is None:
            raise InputError("is written of a described machine", key="--goal", value=goal, accepted="--on MACHINE")
        if any(benchmark(name).kind != "ranks" for name in self.names):
            raise InputError("is written of message-passing programs", key="--goal", value=goal, accepted="no --goal")
        for option, given in (("--placement", self.placement), ("-n N,N", self.rank_counts)):
            if given:
                problem = f"is of ranks in order on one number of them, not of {option}"
                raise InputError(problem, key="--goal", value=goal, accepted=f"no {option}")

    def _check_verify(self) -> None:
        if self.on is None:
            raise InputError(
                "is of simulated ranks: real ones always compute and check", key="--verify", accepted="--on"
            )
        for name in self.names:
            if benchmark(name).with_data is None:
                problem = f"has no effect on {name}, whose simulated messages carry data wherever there is room"
                raise InputError(problem, key="--verify", accepted="no --verify")

    def _check_folders(self, on: str) -> None:
        for name in self.names:
            for key in benchmark(name).paths:
                if key in self.settings:
                    problem = f"names a folder of this host, and {on} is described: no file is written for it"
                    value, accepted = self.settings[key], f"no {key}, or no --on"
                    raise InputError(problem, key=f"--set {key}", value=value, accepted=accepted)

    def _check_placement(self, placement: str) -> None:
        from assay.described.placed import listed

        named = listed(placement)
        if named is not None and self.nodes not in (None, len(named)):
            problem = f"names {len(named)} nodes, and -N is {self.nodes}"
            raise InputError(problem, key="--placement", value=placement, accepted=f"{self.nodes} nodes, or no -N")

    def target(self) -> Target:
        """Where it will be done; InputError where a folder for files is not to be had."""
        named = (self.on, self.via, self.nodes, self.machine, self.timeline, self.matrix, self.variants)
        placement = None if self.placement is None else (self.placement, self.seed)
        return target(*named, self.folders(), placement, self.verify, self.goal)

    def folders(self) -> dict[str, dict[str, Folder]]:
        """Where the benchmarks write files, by benchmark and parameter; a described machine has no folders."""
        if self.on is not None:
            return {}
        return folders(map(benchmark, self.names), self.settings, here=on_this_host(self.via))

    def plan(self) -> Plan:
        """The plan. A described machine gives the same results every time: one launch unless more are requested."""
        records = [benchmark(name) for name in self.names]
        launches = self.launches if self.launches is not None or self.on is None else 1
        spending = None
        if self.on is None:
            spending = planning.spend(self.profile, self.launches, self.within, self.budget)
        elif self.within is not None or self.budget is not None:
            key = "--within" if self.within is not None else "--budget"
            raise InputError("is about launches, and a described machine answers the same in each", key=key)
        made = planning.make(
            records,
            profile=self.profile,
            settings=self.settings,
            launches=launches,
            sizes={record.name: self._sizes(record) for record in records},
            seed=self.seed,
            spending=spending,
            timeout=self.timeout,
            variants=self.variants,
        )
        return replace(made, budget=self.budget)

    def _sizes(self, record: Benchmark) -> list[Size]:
        """Ranks, and ranks per node: as given, else nodes times ranks per node, else the record's.

        Given with several benchmarks, they apply to those that accept them; a single one refuses them.
        """
        takes = record.kind == "ranks" or len(self.names) == 1
        if self.rank_counts and takes:
            return self._several_sizes(record)
        if self.one_rank_too and record.part == "applications":
            return [Size(1), *replace(self, one_rank_too=False)._sizes(record)]
        given = self.ranks if takes else None
        nodes = self.nodes
        if nodes is None and given is None and self.placement is not None:
            from assay.described.placed import listed

            nodes = len(listed(self.placement) or ()) or None
        sizes = []
        for each in choose_ranks_per_node(record, nodes, self.ppn, given, self.on, self.machine):
            wanted, ppn = given, each
            if record.kind == "ranks" and nodes is not None:
                if self.on is not None:
                    wanted, ppn = on_nodes(self.on, self.machine, nodes, ppn, given)
                elif wanted is None:
                    wanted = nodes * (ppn or 1)
            wanted = choose_rank_count(record, wanted, self.on, self.machine, ppn if takes else None)
            if each is not None and wanted is not None and wanted < each:
                problem, accepted = f"no node gets so many of {wanted} ranks", f"up to {wanted}, or more ranks (-n, -N)"
                raise InputError(problem, key=f"{record.name} --ppn", value=each, accepted=accepted)
            if self.placement is not None and self.on is not None and wanted is not None:
                place(self.on, self.machine, self.placement, self.seed, wanted, ppn)
            sizes.append(Size(wanted, ppn if record.kind == "ranks" else None))
        return sizes if record.kind == "ranks" else sizes[:1]

    def _several_sizes(self, record: Benchmark) -> list[Size]:
        """Each number of ranks with each number of ranks per node that it can fill; InputError where there is none."""
        made: list[Size] = []
        for count in self.rank_counts:
            fits = tuple(each for each in self.ppn if each <= count)
            if fits or not self.ppn:
                made += replace(self, ranks=count, rank_counts=(), ppn=fits)._sizes(record)
        if not made:
            problem, accepted = "no node gets so many ranks", f"up to {max(self.rank_counts)}, or more ranks (-n)"
            raise InputError(problem, key="--ppn", value=",".join(map(str, self.ppn)), accepted=accepted)
        return made

    def raised(self) -> list[str]:
        """Report where nodes have several ranks because a benchmark needs them, without a given number."""
        if self.ppn or self.ranks is not None or self.rank_counts or self.nodes is None:
            return []
        sizes = [(record, self._sizes(record)[0]) for record in map(benchmark, self.names)]
        return [
            f"{record.name} needs {record.least_ranks} ranks: {size.ppn} on each of {self.nodes} "
            f"node{'s' * (self.nodes > 1)}"
            for record, size in sizes
            if size.ppn is not None
        ]


def counts(text: str | None, key: str) -> tuple[int, ...]:
    """Read `1,2`: positive whole numbers with commas between."""
    if text is None:
        return ()
    words = text.split(",")
    accepted = "a whole number from 1 to 2,147,483,647, or several: 1,2"
    if not all(word.isascii() and word.strip().isdecimal() for word in words):
        raise InputError("are not counts", key=key, value=text, accepted=accepted)
    if not all(0 < int(word) < 2**31 for word in words):
        raise InputError("is out of bounds", key=key, value=text, accepted=accepted)
    if len({int(word) for word in words}) < len(words):
        raise InputError("names a count twice", key=key, value=text, accepted="1, or 1,2")
    return tuple(int(word) for word in words)


def share(text: str | None, key: str) -> float | None:
    """Read `2%` or `0.02`: more than nothing, less than all."""
    if text is None:
        return None
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise InputError("is no share", key=key, value=text, accepted="2%, or 0.02")
    return value


def seconds(text: str | None, key: str) -> float | None:
    """Read `90 s`, `20min` or `2 h`."""
    if text is None:
        return None
    for name, factor in (("min", 60.0), ("h", 3600.0), ("s", 1.0)):
        if text.endswith(name):
            try:
                value = float(text.removesuffix(name)) * factor
            except ValueError:
                break
            if 0 < value < 1e9:
                return value
    raise InputError("is no time", key=key, value=text, accepted="90s, 20min, 2h")


def key_and_value(word: str) -> tuple[str, str] | None:
    """The two sides of KEY=VALUE; None where it is none."""
    key, equals, value = word.partition("=")
    return (key, value) if equals and key and value else None


def split(words: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Split `--set` words into a benchmark's parameters and, behind `machine.`, keys of a description."""
    given: dict[str, str] = {}
    machine: dict[str, str] = {}
    for word in words:
        found = key_and_value(word)
        if found is None:
            raise InputError("is not KEY=VALUE", key="--set", value=word, accepted="KEY=VALUE")
        key, value = found
        if key.startswith("machine."):
            machine[key.removeprefix("machine.")] = value
        else:
            given[key] = value
    return given, machine
