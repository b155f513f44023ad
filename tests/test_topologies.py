"""Topologies: sizes, degrees and distances against closed forms, and the messages about wrong keys."""

from __future__ import annotations

import pytest
from assay._core import network


def test_hypercube_links_are_numbered_as_its_record_says() -> None:
    cube = network.build_network({"topology": "hypercube", "dimension": 4})
    links = cube.links
    for router in range(16):
        for dimension in range(4):
            link = links[router * 4 + dimension]
            assert (link["from"], link["to"], link["kind"]) == (router, router ^ 1 << dimension, "network")
    assert [links[64 + node]["kind"] for node in range(16)] == ["injection"] * 16
    assert [links[80 + node]["to"] for node in range(16)] == list(range(16))


@pytest.mark.parametrize(
    ("keys", "key", "says"),
    [
        ({"topology": "moebius"}, "network.topology", "hypercube"),
        ({"topology": "hypercube"}, "network.dimension", "must be given"),
        ({"topology": "hypercube", "dimension": 0}, "network.dimension", "from 1 to 22"),
        ({"topology": "hypercube", "dimension": 3, "colour": 1}, "network.colour", "no such key"),
        ({"topology": "mesh", "extents": [3, -1]}, "network.extents", "of integers from 1"),
        ({"topology": "torus", "radix": 4, "tie": "up"}, "network.tie", '"alternate"'),
        ({"topology": "mesh", "radix": 4, "routing": "e-cube"}, "network.routing", "hypercubes only"),
        ({"topology": "torus", "radix": 4, "lanes": 1}, "network.lanes", "needs 2"),
        ({"topology": "mesh", "radix": 4, "failed_links": [[0, 5]]}, "network.failed_links", "no link joins"),
    ],
)
def test_wrong_keys_are_named(keys: dict[str, object], key: str, says: str) -> None:
    with pytest.raises(ValueError) as caught:
        network.build_network(keys)
    assert caught.value.args[0] == key
    assert says in caught.value.args[1]
