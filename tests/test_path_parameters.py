"""Parameters of kind `path`: a folder, checked before anything is made, in no case, recorded with the circumstances."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assay.benchmark.record import Benchmark, read_record
from assay.benchmark.resolved import program_words, values
from assay.errors import InputError
from assay.execute.folders import folders
from assay.machine.filesystems import filesystems
from command_line import assay

RECORD = """constexpr std::string_view record = R"record(
name = "probe"
title = "Probe"
part = "files"
kind = "node"
summary = "s"
cost = "c"
check = "k"
source = "here"
[parameter.folder]
type = "path"
default = "scratch"
help = "where"
[parameter.size]
type = "integer"
default = [1, 2]
sweep = true
[metric.time]
unit = "s"
)record";
"""


@pytest.fixture
def probe(tmp_path: Path) -> Benchmark:
    (tmp_path / "probe.hpp").write_text(RECORD)
    record = read_record(tmp_path / "probe.hpp")
    assert record is not None
    return record


def test_a_folder_is_one_value_whatever_its_name(probe: Benchmark) -> None:
    odd = "/scratch/a,b=c d"
    assert probe.paths == ("folder",)
    assert values(probe, {"folder": odd}, "quick")["folder"] == (odd,)
    words = program_words(probe, ["--set", f"folder={odd}"])
    assert words[words.index("--path") + 1] == f"folder={odd}"
    assert "--path" not in program_words(probe, ["--set", f"folder={odd}"], simulated=True)
    found = program_words(probe, [], folders={"folder": "/here"})
    assert found[found.index("--path") + 1] == "folder=/here"


@pytest.mark.parametrize(("line", "said"), [
    ('choices = ["a"]', "takes no such key"), ("min = 1", "takes no such key"), ("default = 3", "is no folder"),
])  # fmt: skip
def test_an_own_record_of_a_path_is_held_to_its_keys(tmp_path: Path, line: str, said: str) -> None:
    from assay.benchmark.record import read_own

    path = tmp_path / "own.hpp"
    old = 'default = "scratch"'
    path.write_text(RECORD.replace(old, line if line.startswith("default") else f"{old}\n{line}"))
    with pytest.raises(InputError, match=said):
        read_own(path)


def test_scratch_is_a_folder_of_doctors(probe: Benchmark) -> None:
    found = folders([probe], {})["probe"]["folder"]
    assert found.path in [each.path for each in filesystems().scratch if each.writable]
    assert found.type is not None


def test_the_file_system_is_the_one_that_the_folder_lies_on(probe: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    found = folders([probe], {"folder": str(tmp_path / "link")})["probe"]["folder"]
    said = subprocess.run(["stat", "-f", "-c", "%T", tmp_path], capture_output=True, text=True).stdout.strip()
    names = {"ext2/ext3": {"ext2", "ext3", "ext4"}, "overlayfs": {"overlay"}}
    assert found.type in names.get(said, {said})


def refusal(probe: Benchmark, folder: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        folders([probe], {"folder": str(folder)})
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("parameter folder: ")
    assert repr(str(folder)) in text
    assert text.endswith("expected a folder that you may write in")
    return text


def test_what_is_no_folder_is_refused_in_one_line(probe: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    assert "no such folder" in refusal(probe, tmp_path / "none")
    assert "is no folder" in refusal(probe, tmp_path / "file")
    assert "is no folder" in refusal(probe, tmp_path / "dangling")
    assert folders([probe], {"folder": str(tmp_path / "none")}, here=False)["probe"]["folder"].type is None


def test_a_file_system_that_is_mounted_read_only_is_refused(probe: Benchmark) -> None:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    found = [each[1] for each in mounts if "ro" in each[3].split(",") and Path(each[1]).is_dir()]
    if not found:
        pytest.skip("nothing is mounted read-only")
    assert "mounted read-only" in refusal(probe, found[0])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused(probe: Benchmark) -> None:
    assert "may not be written" in refusal(probe, "/etc")


@pytest.mark.parametrize("benchmark", ["file-rate", "parallel-files"])
def test_a_folder_of_this_host_is_refused_on_a_described_machine(benchmark: str, tmp_path: Path) -> None:
    """Its file system is simulated: a folder that is given would be named nowhere in the run, and used by nothing."""
    given = ("run", benchmark, "--on", "delta", "--out", str(tmp_path / "run"), "--set")
    answer = assay(*given, f"folder={tmp_path}")
    assert answer.status == 2 and answer.out == "" and not (tmp_path / "run").exists()
    said = "names a folder of this host, and delta is described: no file is written for it"
    assert answer.err == f"assay: --set folder: {said}; got '{tmp_path}', expected no folder, or no --on\n"
