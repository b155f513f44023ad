"""Nodes that are asked what they are: of each that is silent, what happened to it and not to another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.execute.node_survey import ask_nodes
from small_programs import script

SSH = r"""
while :; do case "$1" in -T) shift ;; -o) shift 2 ;; *) break ;; esac; done
case $1 in
  refused) echo "ssh: connect to host refused port 22: Connection refused" >&2; exit 255 ;;
  mute) exit 0 ;;
  hangs) exec sleep 100 ;;
esac
exec sh -c "$2"
"""


def test_a_node_that_hangs_says_nothing_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "bin", "ssh", SSH)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "hosts").write_text("alive\nrefused\nhangs\nmute\n")
    cluster = ask_nodes(f"hosts:{tmp_path / 'hosts'}", None, 4)
    assert list(cluster.facts) == ["alive"]
    assert cluster.silent == {
        "refused": "it ended without an answer (ssh: connect to host refused port 22: Connection refused)",
        "hangs": "no answer in 4 s",
        "mute": "it ended without an answer",
    }
