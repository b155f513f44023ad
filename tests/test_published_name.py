"""A description names the published machine that it describes by an id of the catalogue, or is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.described.machine_file import load
from assay.described.shipped import nodes_of, open_described, shipped
from assay.machine import catalogue
from command_line import assay

TABLES = '[messages]\nstartup = "70 us"\nper_byte = "1 ns/B"\n[variant.other]\npublished = "delta"\n'


def written(file: Path, stated: str) -> Path:
    file.write_text(f'name = "mine"\n# a remark\npublished = "{stated}"\n{TABLES}')
    return file


@pytest.mark.parametrize("words", [("run", "echo"), ("fit",)])
def test_an_id_that_no_paper_has_is_refused_at_its_line(words: tuple[str, ...], tmp_path: Path) -> None:
    file = written(tmp_path / "mine.toml", "ipsc680")
    refused = assay(*words, "--on", str(file))
    assert (refused.status, refused.out) == (2, "")
    (line,) = refused.err.splitlines()
    assert line.startswith(f"assay: {file}:3: published: is the id of no published machine; did you mean ipsc860")
    assert "; got 'ipsc680', expected " in line
    assert {"ipsc860", "delta", "paragon-mp"} <= set(line.rpartition("expected ")[2].split(", "))


@pytest.mark.parametrize("name", shipped())
def test_the_shipped_ones_name_machines_of_the_catalogue(name: str) -> None:
    """They are not compared each time that one is opened."""
    described = open_described(name)
    assert described.published is None or described.published in catalogue.load().machines


def test_a_variant_s_and_a_given_one_are_read_too(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.toml", "ipsc860")
    assert load(file).published == "ipsc860" and load(file, {"variant": "other"}).published == "delta"
    given = assay("run", "echo", "--on", str(file), "--set", "machine.published=deltas")
    assert given.status == 2 and "did you mean delta?" in given.err
    file.write_text(file.read_text().replace('"delta"', '"nobody"'))
    refused = assay("run", "echo", "--on", str(file))
    assert (
        refused.status == 2
        and f"{file}:8: variant.other.published: is the id of no published machine; got 'nobody'" in refused.err
    )


def test_a_description_that_names_none_reads_no_catalogue(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\n[messages]\nstartup = "70 us"\nper_byte = "1 ns/B"\n')
    words = "import sys, pathlib; from assay.described.machine_file import load; load(pathlib.Path(sys.argv[1])); "
    words += "print('assay.machine.catalogue' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", words, str(file)], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_a_published_machine_that_is_a_variant_is_simulated_by_its_own_name() -> None:
    """The ORNL Paragon of Figures 4.2 and 4.3 is a variant of the MP's file, and was refused as not described."""
    machine = open_described("paragon-xps150")
    assert machine.published == "paragon-xps150" and nodes_of(machine) == 16 * 64
    assert open_described("paragon-mp:xps150").for_core() == machine.for_core()
