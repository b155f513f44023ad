"""The hosts launcher, by an ssh on PATH that runs everything here, each host under its own name."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, MeasurementError
from assay.execute import node_exchange
from assay.execute.host_file import read_hosts
from assay.execute.job import Job, launcher, outputs
from small_programs import builder, script
from test_launchers import MPIS, gone, marked

FAKE_SSH = """
while :; do case "$1" in -T|-x) shift ;; -o) shift 2 ;; *) break ;; esac; done
host=$1; shift
case $host in dead*) echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255 ;; esac
[ "$host" = blind ] && set -- "$(echo "$*" | sed 's/test -d/false/')"
OWN_NAME
exec sh -c "$*"
"""


def can_name_hosts() -> bool:
    return subprocess.run(["unshare", "--uts", "hostname", "x"], capture_output=True).returncode == 0


@pytest.fixture
def fake_ssh(tmp_path, monkeypatch):
    own_name = 'exec unshare --uts sh -c "hostname $host; $*"' if can_name_hosts() else ""
    script(tmp_path / "bin", "ssh", FAKE_SSH.replace("OWN_NAME", own_name))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    def hosts(*names: str) -> str:
        (tmp_path / "hosts").write_text("# the cluster\n" + "".join(f"{name}\n" for name in names))
        return f"hosts:{tmp_path / 'hosts'}"

    return hosts


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return builder(tmp_path_factory.mktemp("small"))


def job(tmp_path: Path, command: tuple[str, ...], ranks: int | None = None, **more: object) -> Job:
    plain = Job("hello" if ranks else "tick", command, ranks, None, None, tmp_path / "l.jsonl", tmp_path / "log", 60)
    return replace(plain, **more)  # type: ignore[arg-type]


def test_a_node_program_runs_on_each_host_of_the_file(tmp_path, programs, fake_ssh):
    outcome = launcher(fake_ssh("alpha", "beta slots=4  # the big one", "", "gamma")).run(
        job(tmp_path, programs("tick"))
    )
    assert outcome.status == 0, (tmp_path / "log").read_text()
    assert outcome.hosts == ("alpha", "beta", "gamma")
    assert [node for node, _ in outputs(tmp_path / "l.jsonl")] == ["alpha", "beta", "gamma"]
    assert outcome.channel == "the program's own file on each host"


def test_the_first_hosts_are_taken_when_fewer_are_asked(tmp_path, programs, fake_ssh):
    via = fake_ssh("alpha", "beta", "gamma")
    assert launcher(via).run(job(tmp_path, programs("tick"), nodes=2)).hosts == ("alpha", "beta")
    with pytest.raises(InputError, match="1 to 3"):
        launcher(via).run(job(tmp_path, programs("tick"), nodes=4))


def test_an_unreachable_host_is_named_with_what_ssh_said(tmp_path, programs, fake_ssh):
    with pytest.raises(MeasurementError, match=r"unreachable.*dead7 \(ssh: connect to host dead7.*No route to host\)"):
        launcher(fake_ssh("alpha", "dead7")).run(job(tmp_path, programs("tick")))
    assert outputs(tmp_path / "l.jsonl") == []


def test_a_host_that_does_not_see_the_folder_answers_through_ssh(tmp_path, programs, fake_ssh):
    made = launcher(fake_ssh("alpha", "blind"))
    outcome = made.run(job(tmp_path, programs("tick")))
    made.close()
    assert outcome.status == 0 and set(outcome.hosts) == {"alpha", "blind"}
    assert "blind" in outcome.channel


def test_a_failing_host_is_an_outcome(tmp_path, programs, fake_ssh):
    outcome = launcher(fake_ssh("alpha", "beta")).run(job(tmp_path, (*programs("tick"), "--set", "status=1")))
    assert outcome.status == 1 and outcome.reason and "told to fail" in outcome.reason


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("\ufeffalpha\nbeta\n", {"alpha": None, "beta": None}),
        ("alpha slots=4 max_slots=8\nbeta max-slots=2\n", {"alpha": 4, "beta": 2}),
        ("alpha:4\nbeta:2 # MPICH, Intel MPI\n", {"alpha": 4, "beta": 2}),
        ("n1\nn1\nn2\nn1\n", {"n1": 3, "n2": 1}),  # PBS: a line for each process
        ("alpha slots=2\nalpha slots=3\n", {"alpha": 5}),  # Open MPI adds them
        ("n[001-003,7]\n", {"n001": None, "n002": None, "n003": None, "n7": None}),
        ("n[09-10]:4,m1:2\n", {"n09": 4, "n10": 4, "m1": 2}),
        ("rack[1-2]node[01-03]\n", dict.fromkeys([f"rack{r}node0{n}" for r in (1, 2) for n in (1, 2, 3)])),
        ("[2001:db8::1]:4\nfe80::2\n[::3]\n", {"2001:db8::1": 4, "fe80::2": None, "::3": None}),
        ("alpha\r\nbeta slots=2\r\n", {"alpha": None, "beta": 2}),
    ],
)
def test_hosts_are_read_in_the_dialects_of_mpis_and_batch_systems(tmp_path, text, hosts):
    (tmp_path / "hosts").write_bytes(text.encode())
    assert read_hosts(tmp_path / "hosts") == hosts
    assert list(read_hosts(tmp_path / "hosts")) == list(hosts)


@given(st.lists(st.sampled_from([*"ab01:[]-,@#= \n\t/%", "slots=", "max_slots=", "\ufeff", "n[1-3]"]), max_size=20))
def test_any_file_of_hosts_is_read_or_refused_in_one_line(words):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hosts"
        path.write_text("".join(words))
        try:
            found = read_hosts(path)
        except InputError as refused:
            assert "\n" not in str(refused) and "hosts:" in str(refused)
        else:
            assert all(re.fullmatch(r"[\w.-]+|[0-9a-f:.]+(%[\w]+)?", host) for host in found)
            assert all(slots is None or slots > 0 for slots in found.values())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("alpha beta\n", "hosts:1: not understood; got 'beta'"),
        ("alpha\nbob@beta:4\n", "hosts:2: a user before a host is not accepted: set `User` in ~/.ssh/config"),
        ("alpha:x\n", "hosts:1: no number of slots behind the colon; got 'alpha:x'"),
        ("alpha:0\n", "hosts:1: no number of slots behind the colon"),
        ("alpha:2 slots=2\n", "hosts:1: slots are there twice"),
        ("alpha slots=8 max_slots=4\n", "hosts:1: more slots than its greatest number"),
        ("alpha:2 binding=user:1\n", "hosts:1: not understood; got 'binding=user:1'"),
        ("alpha 4 all.q@alpha UNDEFINED\n", "hosts:1: not understood; got '4'"),
        ("n[3-1]\n", "hosts:1: the range '3-1' runs backwards"),
        ("n[1-\n", "hosts:1: brackets without a partner"),
        ("n[a-b]\n", "hosts:1: 'a-b' is no number and no range of numbers"),
        ("n[1-9][0-99999]\n", "hosts:1: more than 65536 hosts"),
        ("fe80:::1\n", "hosts:1: is no IPv6 address"),
        ("a/b\n", "hosts:1: no host; got 'a/b'"),
        ("n1,,n2\n", "hosts:1: no host"),
        ("alpha slots=none\n", "hosts:1: not understood; got 'slots=none', expected HOST"),
        ("-oProxyCommand=x\n", "hosts:1: no host"),
        (b"alpha\nb\xe4ta\n", "hosts:2: is not text in UTF-8; got 'byte 0xe4'"),
    ],
)
def test_a_broken_file_names_its_line(tmp_path, text, says):
    (tmp_path / "hosts").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read_hosts(tmp_path / "hosts")
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["n[001-003] slots=2\n", "# all\nn001:2\nn002:2,n003:2\n", "n001\nn003\n" * 2])
def test_some_hosts_of_a_file_in_any_dialect_keep_their_slots(tmp_path, text):
    (tmp_path / "all").write_text(text)
    (tmp_path / "some").mkdir()
    via = node_exchange._only(f"hosts:{tmp_path / 'all'}", ["n001", "n003"], 1.0, tmp_path / "some")
    assert read_hosts(Path(via.removeprefix("hosts:"))) == {"n001": 2, "n003": 2}


def test_a_missing_or_empty_file_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere: cannot be read: No such file"):
        launcher(f"hosts:{tmp_path}/nowhere")
    with pytest.raises(InputError, match="hosts:FILE"):
        launcher("hosts")
    (tmp_path / "hosts").write_text("# none\n")
    with pytest.raises(InputError, match="names no host"):
        launcher(f"hosts:{tmp_path}/hosts").run(job(tmp_path, ("/bin/true",)))


@pytest.mark.mpi
@pytest.mark.parametrize("mpi", MPIS.values(), ids=[f"{m.implementation} {m.version}" for m in MPIS.values()])
def test_ranks_run_across_hosts(tmp_path, programs, fake_ssh, mpi):
    if not can_name_hosts():
        pytest.skip("hosts of their own name need unshare --uts")
    via = fake_ssh("alpha slots=2", "beta slots=2")
    outcome = launcher(via, mpi).run(job(tmp_path, programs("hello", mpi), 4, ppn=2))
    assert outcome.status == 0, (tmp_path / "log").read_text()
    assert [rank["host"] for rank in outcome.placement] == ["alpha", "alpha", "beta", "beta"]


_LAUNCH = """
import sys
from pathlib import Path
from assay.execute.job import Job, launcher
folder = Path(sys.argv[1])
command = (sys.argv[3], "--set", "seconds=1000")
launcher(sys.argv[2]).run(Job("tick", command, None, None, None, folder / "l.jsonl", folder / "log", 2000))
"""


def test_kill_9_of_assay_leaves_nothing_on_the_hosts(tmp_path, programs, fake_ssh):
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, str(tmp_path), fake_ssh("alpha", "beta"), *programs("tick")],
        env={**os.environ, "ASSAY_TEST_MARK": str(tmp_path)},
        start_new_session=True,
    )
    try:
        end = time.monotonic() + 60
        while len(outputs(tmp_path / "l.jsonl")) < 2 and time.monotonic() < end:
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    left = marked(f"ASSAY_TEST_MARK={tmp_path}")
    assert gone(left, 10)
    assert marked(f"ASSAY_TEST_MARK={tmp_path}") == []
