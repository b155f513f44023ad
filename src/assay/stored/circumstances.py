"""The facts of a host as JSON holds them: keys of the kinds that everything that reads them relies on."""

from __future__ import annotations

from collections.abc import Mapping

_NUMBER, _TEXT, _TRUTH = (int, float), (str,), (bool,)
_NUMBERS = (
    "sockets",
    "cores",
    "threads",
    "usable_cpus",
    "cpu_quota",
    "memory",
    "memory_limit",
    "frequency",
    "stated_clock",
)
_TEXTS = (
    *("host", "cpu", "architecture", "affinity", "kernel", "distribution", "governor", "clock_source"),
    *("microcode", "firmware", "hypervisor", "container", "assay", "time", "python", "via", "switches", "variables"),
)
_MOST = 1e30  # of anything that is counted here: bytes, Hz, processors
KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_NUMBERS, _NUMBER),
    **dict.fromkeys(_TEXTS, _TEXT),
    **dict.fromkeys(("boost", "virtualised"), _TRUTH),
}
LISTS: dict[str, tuple[type, ...]] = {"load": _NUMBER, "flags": _TEXT}
OBJECTS = ("mpi", "launchers", "programs", "description")
_OF_PROGRAM = ("compiler", "flags", "key")  # texts


def usable(facts: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    """Return the facts with None for each that is of a wrong kind, and one text for each of these."""
    kept, faults = dict(facts), []
    for key, value in facts.items():
        if value is None:
            continue
        if key in KINDS:
            right = isinstance(value, KINDS[key]) and (KINDS[key] is _TRUTH or not isinstance(value, bool))
            right = right and (not isinstance(value, int | float) or 0 <= value <= _MOST)
        elif key in LISTS:
            right = isinstance(value, list) and all(isinstance(each, LISTS[key]) for each in value)
        else:
            right = key not in OBJECTS or isinstance(value, dict)
        if not right:
            kept[key] = None
            faults.append(f"{key}: got {value!r}; not used")
        elif key == "programs" and isinstance(value, dict):
            kept[key], wrong = _programs(value)
            faults += wrong
    return kept, faults


def _programs(stated: Mapping[str, object]) -> tuple[dict[str, dict[str, object]], list[str]]:
    """What each program was built by, with what it calls of libraries and where these are from, by their names."""
    kept: dict[str, dict[str, object]] = {}
    faults = []
    for name, made in stated.items():
        if not isinstance(made, dict):
            faults.append(f"programs.{name}: got {made!r}; not used")
            continue
        kept[name] = dict(made)
        for key, value in made.items():
            right = key not in _OF_PROGRAM or isinstance(value, str)
            if key == "libraries":
                right = isinstance(value, dict) and all(isinstance(origin, str) for origin in value.values())
            if not right and value is not None:
                kept[name][key] = None
                faults.append(f"programs.{name}.{key}: got {value!r}; not used")
    return kept, faults


def stated(hosts: object) -> list[dict[str, object]]:
    """Return the facts of the hosts that a launch line states, those of a wrong kind without their value."""
    return [usable(each)[0] for each in hosts if isinstance(each, dict)] if isinstance(hosts, list) else []
