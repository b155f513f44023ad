"""How many processors a benchmark's launches could use, on the hosts where they ran."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping

from assay.document.params import Facts
from assay.samples import Launch


def usable_processors(
    launches: Iterable[Launch], measured: Mapping[str, Facts], submitting: Facts, key: str = "usable_cpus"
) -> dict[str, int]:
    """Processors that can be used, by the host that wrote the lines; of a launch on several hosts theirs together.

    With `key` "threads": all that the hosts have, on which others may work whatever we may use.

    (A launch's accounts are summed over its hosts, too.) `measured`: what each host stated (derive/hosts.py). Of one
    that stated nothing the submitting host's count where it is the same, else the processors that its ranks may use.
    """
    found: dict[str, int] = {}
    for launch in launches:
        placed = json.loads(launch.placement)
        names = {str(rank.get("host") or launch.host) for rank in placed} or {launch.host}
        stated = [measured[name][key] for name in names if measured.get(name, {}).get(key)]
        if len(stated) == len(names):
            usable = sum(stated)
        elif names == {launch.host} and submitting.get("host") in (None, launch.host) and submitting.get(key):
            usable = submitting[key]
        else:
            usable = len({(rank.get("host"), cpu) for rank in placed for cpu in rank.get("cpus", ())})
        found[launch.host] = max(found.get(launch.host, 1), math.floor(usable))
    return found
