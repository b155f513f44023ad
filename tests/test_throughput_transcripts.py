"""PBS, LSF, Flux, and Slurm with an accounting database, by transcripts of their commands, which a fake command on PATH
replays (throughput_transcripts.py): what is read of each, what is asked, and that a system which does not answer is no
system without jobs.

`tests/transcripts/NAME.txt` has the answers, in the forms that the systems' manuals print: sections of a time
(`## now`), in each `$ COMMAND` (a shell pattern) with what it writes, or `! STATUS WORDS` for what fails. Those of
`pbs_json.txt` (OpenPBS 23.06: `qstat -F json`) come before those of `pbs.txt`, whose qstat has no such option.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, MeasurementError
from assay.throughput import command_system
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    AccountedTime,
    SilentSystemError,
    SystemRequest,
    SystemWork,
    opened,
)
from assay.throughput.command_system import expanded
from assay.throughput.live_rules import predecessor
from assay.throughput.occupancy import Occupancy, hidden
from assay.throughput.systems.flux import number_of
from assay.throughput.systems.pbs import blocks
from assay.throughput.systems.sge import GridEngineSystem
from throughput_transcripts import IDS, JOB, Replayed, begun


@pytest.fixture(params=["pbs", "pbs_json", "lsf", "flux", "slurm"])
def replayed(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Replayed]:
    made = Replayed(request.param, tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return request.param.partition("_")[0], made


def test_what_a_system_is_and_its_queues(replayed: tuple[str, Replayed]) -> None:
    """Two nodes of four are up and one is down; two queues, of which one is jobs' own."""
    name, _ = replayed
    facts = opened(name, SystemRequest()).facts()
    assert (facts.processors, facts.nodes, facts.name) == (8, ("node01", "node02"), name)
    assert facts.version == {"pbs": "23.06.06", "lsf": "10.1.0.12", "flux": "0.71.0", "slurm": "22.05.8"}[name]
    queues = {queue.name: queue.facts for queue in facts.queues}
    expected: dict[str, tuple[str, dict[str, dict[str, str]]]] = {
        "pbs": ("PBS, backfill_depth 1", {"workq": {"resources_max.walltime": "24:00:00"},
                                          "short": {"Priority": "150"}}),
        "lsf": ("backfill fairshare", {"normal": {"RUNLIMIT": "480.0 min", "default": "yes"},
                                       "priority": {"PRIO": "43", "MAX": "12", "JL/U": "4"}}),
        "slurm": ("backfill", {"main": {"Default": "YES", "MaxTime": "UNLIMITED"}, "short": {"MaxTime": "00:30:00"}}),
        "flux": ("easy", {"batch": {"limits.timelimit": "1d", "default": "yes"}, "debug": {"scheduling": "stopped"}}),
    }  # fmt: skip
    policy, definitions = expected[name]
    assert facts.policy == policy and set(queues) == set(definitions)
    for queue, about in definitions.items():
        assert about.items() <= queues[queue].items(), queue


def test_a_submission_gives_its_id_and_is_found_again(replayed: tuple[str, Replayed], tmp_path: Path) -> None:
    name, made = replayed
    wide = replace(JOB, per_node=4)
    second = replace(JOB, id="0002-a.1", number=2, name="a.1", queue="long")
    option = {"pbs": "-q short", "lsf": "-qpriority", "flux": "-q debug", "slurm": "-p short"}[name]
    system = begun(name, tmp_path, [wide, second], {}, option)
    with (tmp_path / "lock").open("w") as lock:
        assert system.submit(wide, lock.fileno()) == IDS[name][0]
    submits = re.compile(r"(qsub|bsub|sbatch|flux batch) ")
    line = next(line for line in made.asked.splitlines() if submits.match(line))
    folder = f"{tmp_path}/jobs/0001-maya5.1"
    for words in {
        "pbs": ("-l select=1:ncpus=4+1:ncpus=2", "-l place=scatter", "-l walltime=160", "-r n", "-q short",
                "-v ASSAY_JOB=assay-mark/1", f"-o {folder}/starter.log"),
        "lsf": ("-n 6", "-W 3", "-R span[ptile=4]", "-Jd assay-mark/1", "-rn", "-qpriority", f"-cwd {folder}"),
        "flux": ("--nslots=6", "--nodes=2", "--time-limit=160s", "--job-name=assay-mark-0001", "-q debug",
                 f"--cwd={folder}"),
        "slurm": ("--ntasks=6", "--time=3", "--ntasks-per-node=4", "--comment=assay-mark", "-p short",
                  "--no-requeue", f"--chdir={folder}"),
    }[name]:  # fmt: skip
        assert f" {words} " in f"{line} ", words
    assert " long" not in line and "=long" not in line
    with (tmp_path / "lock").open("w") as lock:
        system.submit(second, lock.fileno())
    own = {"pbs": " -q long", "lsf": " -q long", "flux": " --queue=long", "slurm": " --partition=long"}[name]
    assert [each.endswith(own) for each in made.asked.splitlines() if submits.match(each)] == [False, True]
    script = (made.folder / "scripts").read_text()
    assert "exec '/opt/job record' --limit 1 -- true" in script and (name != "pbs" or f"cd {folder}" in script)
    assert system.find(wide) == IDS[name][0] and system.find(second) == IDS[name][1]
    assert system.find(replace(JOB, id="0009-a.9", number=9)) is None


def test_what_it_says_of_jobs_now_and_after(replayed: tuple[str, Replayed], tmp_path: Path) -> None:
    """One runs on two nodes, one waits, one failed, one is held; then one ended well and two were deleted."""
    name, made = replayed
    one, two, three, four = IDS[name]
    system = begun(name, tmp_path, [], {str(at): each for at, each in enumerate(IDS[name])})
    seen = system.poll()
    stages = {each: seen[each].stage for each in seen}
    assert stages[one] == RUNNING and stages[two] == WAITING and stages[four] == WAITING
    assert set(stages) <= set(IDS[name]) and seen[one].nodes == ("node01", "node02")
    made.at("later")
    seen = system.poll()
    ended = {each: (seen[each].stage, seen[each].well, bool(seen[each].cancelled)) for each in IDS[name]}
    assert ended == {
        one: (ENDED, True, False), two: (ENDED, False, True), three: (ENDED, False, False), four: (ENDED, False, True),
    }  # fmt: skip
    spent = {
        "slurm": AccountedTime(user=93784.0, system=10.25, total=93794.25),  # 1-02:03:04 and 00:10.250
        "pbs": AccountedTime(total=12.0),  # resources_used.cput = 00:00:12
    }.get(name)
    assert seen[one].used == spent
    assert "3" in seen[three].word and seen[three].nodes == ("node02",) and seen[one].nodes == ("node01", "node02")
    system.cancel([one, two])
    assert any(line.split()[-2:] == [one, two] for line in made.asked.splitlines())


def test_what_others_have_of_the_machine(replayed: tuple[str, Replayed], tmp_path: Path) -> None:
    """Of 12 processors 4 are of a node that is away; another's job has one, or by Slurm 1 and half of 8."""
    name, _ = replayed
    system = begun(name, tmp_path, [JOB], {JOB.id: IDS[name][0]})
    others = {"slurm": 5}.get(name, 1)
    assert system.occupancy() == Occupancy(total=12, others=others, down=4, reserved=0)
    assert system.facts().whole == 12


def test_jobs_that_a_site_does_not_show_are_in_the_books(replayed: tuple[str, Replayed], tmp_path: Path) -> None:
    """Nodes say that 7 processors are in use, of which 6 are of the test's job: one is of a job that is not shown."""
    name, made = replayed
    for answer in made.folder.glob("now.*"):
        text = re.sub(r"^(7|8)\d\|.*\n", "", answer.read_text(), flags=re.M)  # slurm, lsf
        text = re.sub(r', \{"id": 57, [^}]*"ncores": 1\}', "", text)  # flux
        text = re.sub(r"^Job Id: 77.*?(?=^Job Id: |\Z)", "", text, flags=re.M | re.S)
        if text.startswith("{"):
            about = json.loads(text)
            about.get("Jobs", {}).pop("77.head", None)
            text = json.dumps(about)
        answer.write_text(text)
    system = begun(name, tmp_path, [JOB], {JOB.id: IDS[name][0]})
    assert system.occupancy() == Occupancy(total=12, hidden=1, down=4)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_what_ends_or_begins_between_two_answers_is_no_job_that_is_not_shown(kept: int, ends: int, begins: int) -> None:
    """Some jobs end, or begin, between the answers about nodes and jobs; those that are not shown stay."""
    assert hidden(3, 3 + ends, lambda: 3) == hidden(3, 3, lambda: 3 + begins) == 0
    assert hidden(3, 3 + kept + ends, lambda: 3 + kept) == kept


def test_rules_become_options_of_the_submission(replayed: tuple[str, Replayed], tmp_path: Path) -> None:
    """Of the nodes' rules in each system's own words; the second of two jobs of a name waits for the first."""
    name, made = replayed
    first = replace(JOB, nodes=2, alone="nodes", instances=1)
    second = replace(first, id="0002-maya5.2", number=2, name="maya5.2")
    system = begun(name, tmp_path, [first, second], {})
    with (tmp_path / "lock").open("w") as lock:
        one = system.submit(first, lock.fileno())
        system.submit(second, lock.fileno())
    submits = re.compile(r"(qsub|bsub|sbatch|flux batch) ")
    lines = [line for line in made.asked.splitlines() if submits.match(line)]
    words = {
        "pbs": ("-l select=2:ncpus=3", "-l place=scatter:exclhost"), "lsf": ("-R span[ptile=3]", "-x"),
        "flux": ("--nodes=2", "--exclusive", "--nslots=6"), "slurm": ("--nodes=2-2", "--exclusive", "--ntasks=6"),
    }[name]  # fmt: skip
    for line in lines:
        assert all(f" {each} " in f"{line} " for each in words), line
    chain = {"pbs": f"-W depend=afterany:{one}", "lsf": f"-w ended({one})"}
    assert [chain.get(name, f"--dependency=afterany:{one}") in line for line in lines] == [False, True]


def test_slurms_reason_for_waiting_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Replayed("slurm", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    seen = begun("slurm", tmp_path, [], {str(at): each for at, each in enumerate(IDS["slurm"])}).poll()
    assert (seen["13"].word, seen["13"].never_after) == ("PENDING (Resources)", None)
    assert seen["15"].word == "PENDING (PartitionTimeLimit)" and seen["15"].never_after is not None


def test_why_a_job_of_lsf_waits_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Replayed("lsf", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    system = begun("lsf", tmp_path, [], {str(at): each for at, each in enumerate(IDS["lsf"])})
    seen = system.poll()
    assert seen["13"].word == "PEND (Job slot limit reached: 1 host; Not enough job slots: 2 hosts)"
    assert (seen["13"].never_after, seen["14"].word) == (None, "EXIT (exit code 3)")
    (answer,) = [path for path in tmp_path.glob("now.*") if "slot limit" in path.read_text()]
    for reason in ("Dependency condition invalid or never satisfied;", "There are no suitable hosts for the job;"):
        answer.write_text(f"13|{reason}\n")
        seen = system.poll()
        assert seen["13"].word == f"PEND ({reason.rstrip(';')})" and seen["13"].never_after is not None
    made.at("later")
    assert "TERM_OWNER: job killed by owner" in system.poll()["13"].word


@pytest.mark.parametrize("answer", ["", "13|-", "13|", "echo pend_reason: Unrecognized field >&2; exit 255"])
def test_an_lsf_without_the_field_of_reasons_is_followed(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Replayed("lsf", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (kept,) = [path for path in tmp_path.glob("now.*") if "slot limit" in path.read_text()]
    if "exit" in answer:
        cases = tmp_path / "now.sh"
        cases.write_text(cases.read_text().replace(f"cat {kept}; exit 0", answer))
    else:
        kept.write_text(answer and f"{answer}\n")
    seen = begun("lsf", tmp_path, [], {str(at): each for at, each in enumerate(IDS["lsf"])}).poll()
    assert (seen["13"].word, seen["13"].never_after, seen["14"].word) == ("PEND", None, "EXIT (exit code 3)")


def test_reasons_of_flux_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One waits for resources; one that can never run was ended by Flux itself, which says why."""
    Replayed("flux", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    system = begun("flux", tmp_path, [], {str(at): each for at, each in enumerate(IDS["flux"])})
    assert system.poll()["1888"].word == "SCHED (insufficient resources)"
    (answer,) = [path for path in tmp_path.glob("now.*") if "reason_pending" in path.read_text()]
    note = 'alloc denied due to type=\\"unsatisfiable\\"'
    exception = f'{{"occurred": true, "severity": 0, "type": "alloc", "note": "{note}"}}'
    job = f'{{"id": 1888, "state": "INACTIVE", "result": "FAILED", "returncode": "", "exception": {exception}}}'
    answer.write_text(f'{{"jobs": [{job}]}}\n')
    seen = system.poll()["1888"]
    assert (seen.stage, seen.well) == (ENDED, False)
    assert seen.word == 'FAILED (alloc denied due to type="unsatisfiable")'


def cell(waiting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qalter: str, qstat_j: str = "") -> Any:
    """A Grid Engine of one job, which waits in the state `waiting`, by commands that say these texts."""
    xml = (f"<?xml version='1.0'?><job_info><queue_info/><job_info><job_list state='pending'><JB_job_number>7"
           f"</JB_job_number><JB_name>x</JB_name><state>{waiting}</state><queue_name></queue_name><slots>2</slots>"
           "</job_list></job_info></job_info>")  # fmt: skip
    for name, text in (("qstat", f'[ "$1" = -j ] && printf "{qstat_j}" || cat <<"E"\n{xml}\nE'), ("qalter", qalter)):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("assay.throughput.systems.sge.VERIFIES_EACH", 0.0)
    system = GridEngineSystem(SystemRequest())
    system.open(SystemWork(folder=tmp_path, mark="m", jobs=[JOB], commands={}, held={JOB.id: "7"}))
    return system.poll()["7"]


@pytest.mark.parametrize("end", ["", "; exit 1", " >&2; exit 1"])
def test_a_job_that_grid_engine_can_never_start_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """In the words of Grid Engine 8.1.9, on either stream, whatever the exit status."""
    why = 'Job 7 cannot run in PE "mpi" because it only offers 1 slots'
    seen = cell("qw", tmp_path, monkeypatch, f"printf '%s\\n' '{why}' 'verification: no suitable queues'{end}")
    assert seen.stage == WAITING and seen.never_after is not None and seen.word.startswith("qw (no suitable queues")
    assert end.startswith(" >&2") or "only offers 1 slots" in seen.word


def test_a_job_that_grid_engine_can_start_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = cell("qw", tmp_path, monkeypatch, "echo 'verification: found suitable queue(s)'")
    assert (seen.stage, seen.word, seen.never_after) == (WAITING, "qw", None)


def test_why_a_job_of_grid_engine_is_in_an_error_state_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "job_number:   7\\nerror reason    1:          can't chdir to /nowhere: No such file\\n"
    seen = cell("Eqw", tmp_path, monkeypatch, "exit 1", words)
    assert (seen.stage, seen.well, seen.word) == (ENDED, False, "Eqw (can't chdir to /nowhere: No such file)")


COMMENTS = [("Can Never Run: Insufficient amount", True), ("Not Running: x", False)]


@pytest.mark.parametrize(("comment", "never"), COMMENTS)
def test_a_comment_of_pbs_that_a_job_never_runs_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comment: str, never: bool
) -> None:
    made = Replayed("pbs_json", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    system = begun("pbs", tmp_path, [], {"a": "13.head"})
    (answer,) = [path for path in tmp_path.glob("now.*") if '"comment"' in path.read_text()]
    answer.write_text(answer.read_text().replace("Not Running: Insufficient amount of resource: ncpus", comment))
    seen = system.poll()["13.head"]
    assert seen.word == f"Q ({comment})" and (seen.never_after is not None) == never
    assert "-F json" in made.asked


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 9)), min_size=1, max_size=9))
def test_no_more_of_a_name_run_at_once_than_instances_allow(jobs: list[tuple[int, int]]) -> None:
    """Every job starts as soon as its predecessor has ended: the chain alone keeps the rule."""
    instances = jobs[0][0]
    submitted: dict[str, list[str]] = {}
    ends: dict[str, int] = {}
    spells = []
    for at, (_, run) in enumerate(jobs):
        before = predecessor(replace(JOB, name=f"a.{at}", instances=instances), submitted)
        start = max(at % 2, ends[before] if before else 0)
        ends[str(at)] = start + run
        submitted.setdefault("a", []).append(str(at))
        spells.append((start, start + run))
    assert all(sum(begun <= when < over for begun, over in spells) <= instances for when, _ in spells)
    five = {"a": ["0", "1", "2", "3", "4"]}
    assert predecessor(replace(JOB, name="a.5", instances=instances), five) == str(5 - instances)


def test_a_line_within_a_value_begins_no_job() -> None:
    text = (
        "Job Id: 1.head\n    Variable_List = F=() {\nJob Id: 2.head\n\techo\n}\n    job_state = R\n\n"
        "Job Id: 3.head\n    job_state = Q\n"
    )
    found = blocks(text, "Job Id: ")
    assert set(found) == {"1.head", "3.head"} and found["1.head"]["job_state"] == "R"


def test_a_node_of_pbs_has_its_own_attributes_and_no_notice() -> None:
    nodes = "n1\n     Mom = a\n     state = free\n\nn2\n     state = down\n     comment = two\n\n lines\n     x = 1\n\n"
    expected = {"n1": {"Mom": "a", "state": "free"}, "n2": {"state": "down", "comment": "two\n lines", "x": "1"}}
    assert [blocks(text) for text in (nodes, f"fine\n{nodes}", f"{nodes}fine\n\nok\n")] == 3 * [expected]


def test_a_system_that_does_not_answer_is_silent_not_empty(replayed: tuple[str, Replayed], tmp_path: Path) -> None:
    name, made = replayed
    system = begun(name, tmp_path, [], {"a": IDS[name][0]})
    made.at("silent")
    with pytest.raises(SilentSystemError):
        system.poll()


NOTICES = {
    "before": "echo 'Welcome to the lab. 3 nodes are down until 2026.'; {}",
    "after": "{}; echo 'Your project has used 12 of 100 hours.'",
    "on lines of words": "echo fine; echo; {}; echo 'lsf: see https://help.lab/12'",
    "with numbers alone": "{}; echo 2026; echo 2027.5",
    "and no id": "echo 'your job was handed on'",
    "and a failure": "{}; echo 'the accounting did not answer' >&2; exit 1",
}


@pytest.mark.parametrize("notice", NOTICES)
def test_a_notice_around_an_answer_loses_no_job(
    replayed: tuple[str, Replayed], notice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrapper's words beside the id, several numbers, no id, a status that says it failed: the job is followed."""
    name, made = replayed
    system = begun(name, tmp_path, [JOB], {})
    command = {"pbs": "qsub", "lsf": "bsub", "flux": "flux", "slurm": "sbatch"}[name]
    own = made.folder / command
    own.rename(made.folder / "inner")
    (made.folder / "inner").write_text((made.folder / "inner").read_text().replace('"${0##*/}', f'"{command}'))
    inner = f'{made.folder}/inner "$@"'
    only = '[ "$1" = batch ] || exec ' + inner if name == "flux" else ""
    own.write_text(f"#!/bin/sh\n{only}\n{NOTICES[notice].format(inner)}\n")
    own.chmod(0o755)
    with (tmp_path / "lock").open("w") as lock:
        assert system.submit(JOB, lock.fileno()) == IDS[name][0]


def test_what_is_wrong_is_said_in_a_line(
    replayed: tuple[str, Replayed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, made = replayed
    monkeypatch.setattr(command_system, "SHOWN_WITHIN", 0.6)
    with pytest.raises(InputError, match=r"there is no such (queue|partition)"):
        opened(f"{name}:{'-p' if name == 'slurm' else '-q'} none", SystemRequest()).facts()
    with pytest.raises(InputError, match="is not ours to choose"):
        opened(name, SystemRequest(policy="easy"))
    system = begun(name, tmp_path, [JOB], {})
    (made.folder / "always.sh").write_text('echo "no job here"; exit 0\n')
    (made.folder / "now.sh").write_text("case $asked in 'flux jobs'*) echo '{}'; exit 0;; esac\n")
    with (
        (tmp_path / "lock").open("w") as lock,
        pytest.raises(MeasurementError, match="in which there is no job's id, and no job of"),
    ):
        system.submit(JOB, lock.fileno())


def test_lists_of_nodes() -> None:
    lists = {
        "rack[1-2]node[01-03]": ("rack1node01", "rack1node02", "rack1node03", "rack2node01", "rack2node02",
                                 "rack2node03"),
        "n[1-3,5],m1": ("n1", "n2", "n3", "n5", "m1"), "n[09-11]-ib": ("n09-ib", "n10-ib", "n11-ib"),
        "None assigned": (), "(null)": (), "": (), "None": (), "n/a": (),
        "N/A": (), "-": (), " none ": (), "n[1": ("n", "1"), "x[a-b]": ("xa-b",),
        f"n[1-{10**12}]": (f"n1-{10**12}",), "gpu[0-1][0-1]": ("gpu00", "gpu01", "gpu10", "gpu11"),
    }  # fmt: skip
    assert {text: expanded(text) for text in lists} == lists


@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.integers(0, 30), min_size=1, max_size=4)), max_size=3))
def test_a_list_of_nodes_is_the_product_of_its_ranges(parts: list[tuple[str, list[int]]]) -> None:
    text = "".join(f"{name}[{','.join(f'{n}-{n + 1}' for n in firsts)}]" for name, firsts in parts)
    expected = [""]
    for name, firsts in parts:
        expected = [before + name + str(n + more) for before in expected for n in firsts for more in (0, 1)]
    assert expanded(text) == (tuple(expected) if parts else ())


SGE_INSTANCES = "".join(
    f"<Queue-List><name>{name}</name><slots_used>{used}</slots_used><slots_total>4</slots_total>"
    f"<state>{state}</state></Queue-List>"
    for name, state, used in (
        *(("all.q@n1", "", 3), ("all.q@n2", "a", 3), ("all.q@n3", "d", 0), ("all.q@n4", "au", 0)),
        ("own.q@n5", "", 4),
    )
)
SGE_JOBS = "".join(
    f"<job_list state='running'><JB_job_number>{number}</JB_job_number><slots>{slots}</slots>"
    f"<queue_name>{queue}</queue_name></job_list>"
    for number, slots, queue in ((12, 3, "all.q@n1"), (77, 2, "all.q@n2"), (78, 4, "own.q@n5"))
)
SGE = {
    "qconf -sql": "all.q\nown.q\n", "qconf -sq all.q": "qname all.q\npe_list mpi\n", "qconf -sq own.q": "qname own.q\n",
    "qconf -spl": "mpi\n", "qconf -ssconf": "max_reservation 0\n", "qconf -help": "SGE 8.1.9\n",
    "qstat -f -xml": f"A notice.\n<?xml version='1.0'?><job_info>{SGE_INSTANCES}</job_info>",
    "qstat -u * -s rs -xml": f"<?xml version='1.0'?><job_info><queue_info>{SGE_JOBS}</queue_info></job_info>",
}  # fmt: skip


def test_grid_engines_slots_that_are_away_and_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of four instances of the queue one is disabled, one unknown; another user's job has two slots, one that is not
    shown has one; qsub is wrapped.

    In the forms of Grid Engine 8.1.9's manual pages (qstat(1), queue_conf(5)).
    """
    asked: list[str] = []

    def ask(self: object, *words: str, **more: object) -> str:
        asked.append(" ".join(words))
        return "Welcome to the cell, 2 hosts are down\n12\n" if words[0] == "qsub" else SGE[" ".join(words)]

    monkeypatch.setattr(command_system.CommandSystem, "_ask", ask)
    system = GridEngineSystem(SystemRequest(option="-q all.q"))
    facts = system.facts()
    assert (facts.processors, facts.whole, facts.nodes) == (8, 16, ("n1", "n2"))
    first = replace(JOB, processors=3, instances=1)
    commands = {job: ["true"] for job in (first.id, "0002-maya5.2")}
    system.open(SystemWork(folder=tmp_path, mark="m", jobs=[first], commands=commands, held={}))
    assert system.submit(first, 0) == "12"
    system.submit(replace(first, id="0002-maya5.2", number=2, name="maya5.2"), 0)
    assert system.occupancy() == Occupancy(total=16, others=2, hidden=1, down=8)  # 3 + 3 slots in use, 3 + 2 shown
    assert [" -hold_jid 12 " in f"{line} " for line in asked if line.startswith("qsub")] == [False, True]


def test_ids_of_flux_as_its_rfc_19_prints_them() -> None:
    table = {"f1": 0, "f2": 1, "fz": 57, "fNH": 1234, "fZZ": 1888, "fzz": 3363, "ƒ211": 3364, "ƒ7YXq9G": 4294967295,
             "ƒxyzzy": 633528662, "1234": 1234}  # fmt: skip
    assert {text: number_of(text) for text in table} == table
    for wrong in ("", "f", "fl0", "job 12"):
        with pytest.raises(ValueError):
            number_of(wrong)
