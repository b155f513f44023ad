"""What measured: the facts of each host as its own programs stated them, not those of the host that submitted."""

from __future__ import annotations

from assay.document.host_facts import HostFacts
from assay.document.params import Facts
from assay.machine.processors import strip_trademarks
from assay.samples import UNKNOWN
from assay.store import Run
from assay.stored.circumstances import stated
from assay.stored.launch_file import Tasks


def hosts(run: Run, tasks: Tasks | None = None) -> dict[str, Facts]:
    """The facts of every host that measured in a run, or in these tasks of it, by name.

    Processor, kernel, memory (bytes), `processors` for everybody. With them compiler, flags, library and clock of the
    programs there; several values of one key are listed once each. The keys are those of a run's provenance where
    both have them. Empty where programs stated none, and of a described machine, whose host only simulated it.
    """
    if run.about.get("described"):
        return {}
    found: dict[str, Facts] = {}
    for _, file in run.tasks() if tasks is None else tasks:
        launch = file.content.opening or UNKNOWN
        node = file.path.stem.partition("@")[2]
        about: dict[str, object] = {
            "compiler": launch.get("compiler"), "flags": launch.get("flags"),
            "library": launch.get("library"), "clock": launch.get("clock"),
        }  # fmt: skip
        for facts in stated(launch.get("hosts")):
            name, model = node or str(facts.get("host")), facts.get("cpu")
            kept = found.setdefault(name, {**facts, "host": name, **{key: [] for key in about}})
            kept["cpu"] = strip_trademarks(str(model)) if model else None
            for key, value in about.items():
                text = value.get("name") if key == "clock" and isinstance(value, dict) else value
                if isinstance(text, str) and text not in kept[key]:
                    kept[key].append(text)
    return dict(sorted(found.items()))


def measuring_host(run: Run, measured: dict[str, Facts]) -> HostFacts | None:
    """The facts of the host that a run is about: this one where it measured, else those of the first that did.

    What only the submitting host's provenance states is omitted then, and `submitted_from` names that host.
    """
    here: Facts | None = run.about.get("host")
    if here is None or not measured or str(here.get("host")) in measured:
        return None if here is None else HostFacts(here)
    first = next(iter(measured.values()))
    return HostFacts({**first, "assay": here.get("assay"), "submitted_from": here.get("host"), "hosts": list(measured)})
