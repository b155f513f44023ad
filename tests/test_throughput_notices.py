"""A site's notices around every answer of a batch system, and what cannot be read of one: by transcripts."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.errors import MeasurementError
from assay.throughput import command_system
from assay.throughput.batch_system import ENDED, SilentSystemError
from assay.throughput.command_system import document_in
from assay.throughput.systems.sge import _tree as sge_tree
from throughput_transcripts import IDS, JOB, Replayed, begun

AROUND = {
    "one word": "fine\n", "a word with a colon": "Notice:\n",
    "a sentence": "Your project has used 12 of 100 hours, ok\n",
    "of a site": "[site] 3 nodes are down until 2026\n", "brackets": "[1]\n{site} see [2]\n[]\n{}x\n",
    "with empty lines": "\nWelcome to the lab: node01 is new.\n\n", "a word, then an empty line": "fine\n\n",
    "a ruled line": "-----\n*** lab ***\n-----\n", "a number": "2027.5\n",
    "as many words as columns": "a b c 4 d e f g h\n",
    "tags": "see <https://help.lab/12> or <b>ask</b>\n", "a value": "quota = 12\nquota=13\n",
}  # fmt: skip


def all_that_is_read(name: str, made: Replayed, tmp_path: Path) -> list[Any]:
    """Facts, what others have, a submission's id, a job that is looked up, jobs now and after their end."""
    made.at("now")
    system = begun(name, tmp_path, [JOB], {str(at): each for at, each in enumerate(IDS[name])})
    with (tmp_path / "lock").open("w") as lock:
        found = [system.facts(), system.occupancy(), system.submit(JOB, lock.fileno()), system.find(JOB)]
    found.append(system.find(replace(JOB, id="0009-a.9", number=9)))
    found.append(dict(system.poll()))
    made.at("later")
    return [*found, dict(system.poll())]


@pytest.mark.parametrize("system", ["pbs", "pbs_json", "lsf", "flux", "slurm", "sge"])
def test_a_notice_around_every_answer_changes_nothing(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, after, and on both sides; HyperQueue has no commands."""
    made, name = Replayed(system, tmp_path), system.partition("_")[0]
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(command_system, "SHOWN_WITHIN", 0.0)
    answers: dict[tuple[str, ...], str | MeasurementError] = {}
    around = ["", ""]
    ask = command_system.CommandSystem._ask

    def wrapped(self: Any, *words: str, **more: Any) -> str:
        key = ((made.folder / "time").read_text(), *words)
        if key not in answers:
            try:
                answers[key] = ask(self, *words, **more)
            except MeasurementError as error:
                answers[key] = error
        answer = answers[key]
        if isinstance(answer, MeasurementError):
            raise answer
        return around[0] + answer + around[1]

    monkeypatch.setattr(command_system.CommandSystem, "_ask", wrapped)
    plain = all_that_is_read(name, made, tmp_path)
    assert len(plain[0].nodes) == 2 and plain[1].total == 12 and plain[2] == plain[3] == IDS[name][0]
    assert plain[4] is None and len(plain[5]) >= 2 and all(each.stage == ENDED for each in plain[6].values())
    for words, text in AROUND.items():
        for before, after in ((text, ""), ("", text), (text, text)):
            around[:] = before, after
            assert all_that_is_read(name, made, tmp_path) == plain, (words, before, after)


@pytest.mark.parametrize("text", ["<job_info/>", "<job_info a='/'><a>1</a></job_info>", "<j></j >"])
def test_what_is_around_grid_engines_document_is_no_error(text: str) -> None:
    whole = ElementTree.tostring(ElementTree.fromstring(text))
    for before, after in (("", "Notice\n"), ("<site>\n", "</site>\n"), ("[x]\n", "2 > 1\n")):
        read = sge_tree(f"{before}<?xml version='1.0'?>\n{text}\n{after}")
        assert ElementTree.tostring(read) == whole
    with pytest.raises(MeasurementError, match="answers no XML"):
        sge_tree("<?xml version='1.0'?>\n<job_info><a>\n")


def test_the_object_of_an_answer_is_found_behind_brackets_and_no_part_is_taken_for_it() -> None:
    assert document_in('[site] a\n[1]\n{b} c\n{"jobs": [\n {"id": 1}]}\n{}\n') == {"jobs": [{"id": 1}]}
    for broken in ("", "[1]\n", '{"jobs": [\n {"id": 1},\n'):
        with pytest.raises(ValueError):
            document_in(broken)


@pytest.mark.parametrize("name", ["sge", "pbs"])
@pytest.mark.parametrize("wrong", ["echo 'no id'", "exit 1"])
def test_a_job_that_cannot_be_looked_up_is_not_refused(
    name: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """qsub gives no id, or fails; then qstat fails, or its answer cannot be read: there may be such a job."""
    made = Replayed(name, tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(command_system, "SHOWN_WITHIN", 0.0)
    system = begun(name, tmp_path, [JOB], {})
    looks = {"sge": 'echo "<none"', "pbs": "echo 'internal error' >&2; exit 1"}[name]
    (made.folder / "now.sh").write_text(f'case "$asked" in qsub*) {wrong};; qstat*) {looks};; esac; exit 0\n')
    with (tmp_path / "lock").open("w") as lock, pytest.raises(SilentSystemError, match="cannot be looked up"):
        system.submit(JOB, lock.fileno())
    with pytest.raises(SilentSystemError, match="cannot be looked up"):
        system.find(JOB)
