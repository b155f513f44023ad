"""Trees of switches as Slurm states them: ways between nodes, what is refused, and slow links found along them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.machine.switch_tree import read_switches
from assay.report.sections.pairs.switch_ways import switch_ways

TREE = """# two racks
SwitchName=leaf1 Nodes=n[1-3] LinkSpeed=10
SwitchName=leaf2 Nodes=n[4-5],m1
SwitchName=top Switches=leaf[1-2]
"""
# as `scontrol show topology` of Slurm 22.05 prints it
SHOWN = """SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-3]
SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[4-5],m1
SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-5],m1 Switches=leaf[1-2]
"""


@pytest.mark.parametrize("text", [TREE, SHOWN])
def test_a_tree_is_read_from_the_file_and_from_the_command(text: str) -> None:
    tree = read_switches(text, "topology.conf")
    assert tree.switch_of == {
        **dict.fromkeys(("n1", "n2", "n3"), "leaf1"),
        **dict.fromkeys(("n4", "n5", "m1"), "leaf2"),
    }
    assert tree.upper == {"leaf1": "top", "leaf2": "top"}
    assert tree.way("leaf1", "leaf2") == (["leaf1", "top"], ["top", "leaf2"])
    assert tree.way("leaf1", "leaf1") == (["leaf1"], ["leaf1"])
    assert tree.find("n1.cluster.example") == "leaf1" and tree.find("n9") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SwitchName=a\n", "topology.conf:1: is no switch; got 'SwitchName=a', expected SwitchName=NAME with"),
        ("BlockName=b Nodes=n1\n", "topology.conf:1: is no switch"),
        ("SwitchName=a Nodes=n1\n\nSwitchName=a Nodes=n2\n", "topology.conf:3: is a second line of this switch"),
        ("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n2\n", "topology.conf:2: is below two switches, a and b"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\n", "topology.conf:2: has no line; got 'c'"),
        ("SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "is above itself"),
        ("SwitchName=a Nodes=n[2-1]\n", "topology.conf:1: the range '2-1' runs backwards"),
        ("# nothing\n", "topology.conf: has no switch with nodes"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_switches(text, Path("topology.conf"))
    assert said in str(refused.value)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.data())
def test_ways_go_up_to_the_lowest_common_switch_and_down(uppers: list[int], data: st.DataObject) -> None:
    """Random trees: switch s{k + 1} is below one of the earlier ones; by the set of switches above each."""
    parents = {at + 1: upper % (at + 1) for at, upper in enumerate(uppers)}
    below: dict[int, list[int]] = {}
    for switch, upper in parents.items():
        below.setdefault(upper, []).append(switch)
    leaves = [switch for switch in range(len(uppers) + 1) if switch not in below]
    lines = [f"SwitchName=s{leaf} Nodes=n{leaf}" for leaf in leaves]
    lines += [f"SwitchName=s{upper} Switches=" + ",".join(f"s{each}" for each in of) for upper, of in below.items()]
    tree = read_switches("\n".join(data.draw(st.permutations(lines))), "file")
    source, target = (data.draw(st.sampled_from(leaves)) for _ in "ab")

    def above(switch: int) -> list[int]:
        return [switch, *above(parents[switch])] if switch in parents else [switch]

    up, down = tree.way(f"s{source}", f"s{target}")
    common = max(set(above(source)) & set(above(target)), key=lambda each: len(above(each)))
    assert up[0] == f"s{source}" and down[-1] == f"s{target}" and up[-1] == down[0] == f"s{common}"
    assert {*up, *down} == {f"s{each}" for each in {*above(source)} ^ {*above(target)} | {common}}


def test_ways_of_nodes_cross_the_links_between_their_switches() -> None:
    found = switch_ways(read_switches(TREE, "f"), ["n1", "n2", "n4", "m1"])
    assert found is not None

    def crossed(source: int, target: int) -> list[str]:
        return [found.ends[link][0] for link in found.links[source, target] if link >= 0]

    assert crossed(0, 1) == crossed(2, 3) == [] and crossed(0, 0) == []
    assert crossed(0, 2) == crossed(1, 3) == ["leaf1 to top", "top to leaf2"]
    assert crossed(3, 0) == ["leaf2 to top", "top to leaf1"]
    assert found.alike[0, 1] == found.alike[2, 3] != found.alike[0, 2] == found.alike[3, 1]
    assert (np.diag(found.alike) == -1).all()
    assert [found.names[each] for each in found.switches[0, 2] if each >= 0] == ["leaf1", "top", "leaf2"]


def test_nodes_that_no_switch_has_and_nodes_of_one_switch_have_no_ways() -> None:
    tree = read_switches(TREE, "f")
    assert switch_ways(tree, ["n1", "n9"]) is None and switch_ways(tree, ["n1", "n2"]) is None
