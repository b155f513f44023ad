"""`./x bench ranks`: what is measured beside OSU's programs must have been built with the same MPI."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from bench import _osu

from assay.errors import MeasurementError
from assay.execute.mpi import Mpi
from small_programs import script


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        (("libmpi.so.40 => {a}", "libmpich.so.12 => {b}"), True),
        (("libmpi.so.40 => {a}", "libmpi.so.40 => {b}"), True),  # two versions of one library
        (("libmpi.so.40 => not found", "libmpich.so.12 => {b}"), True),
        (("libmpi.so.40 => {a}", "libmpi.so.40 => {copy}"), False),  # installed twice
        (("libm.so.6 => {a}", "libmpich.so.12 => {b}"), False),  # linked statically: not known
    ],
)
def test_osus_programs_of_another_mpi_are_one_line_that_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str], refused: bool
) -> None:
    libraries = {name: tmp_path / name for name in ("a", "b", "copy")}
    for name, path in libraries.items():
        path.write_text("b" if name == "b" else "a")
    first, second = (name.format(**libraries) for name in names)
    lines = f"case $1 in */osu_bw) echo '\t{first} (0x1)';; *) echo '\t{second} (0x2)';; esac"
    monkeypatch.setenv("PATH", f"{script(tmp_path, 'ldd', lines).parent}:/usr/bin:/bin")
    monkeypatch.setattr(_osu, "build", lambda *_, **__: {"bandwidth": SimpleNamespace(path=tmp_path / "bandwidth")})
    mpi = Mpi("mpicxx", "mpiexec", "MPICH", "4.0.2", embedded=False)
    if not refused:
        assert _osu.Medians(mpi, _osu.PEERS[0], tmp_path / "osu_bw").program == tmp_path / "bandwidth"
        return
    with pytest.raises(MeasurementError) as raised:
        _osu.Medians(mpi, _osu.PEERS[0], tmp_path / "osu_bw")
    said = str(raised.value)
    assert "\n" not in said and "MPICH 4.0.2" in said and str(libraries["b"]) in said
    assert (str(libraries["a"]) if "{a}" in names[0] else "libmpi.so.40") in said


def test_an_osu_without_the_options_that_it_is_given_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_osu, "build", lambda *_, **__: {"bandwidth": SimpleNamespace(path=tmp_path / "bandwidth")})
    osu = script(tmp_path, "osu_bw", "printf 'invalid option\\n\\nUsage: osu_bw [-i ITER]\\n' >&2; exit 1")
    mpiexec = script(tmp_path, "mpiexec", 'shift 2; "$@" || { printf "one or more\\nprocesses\\n" >&2; exit 1; }')
    medians = _osu.Medians(Mpi("mpicxx", str(mpiexec), "MPICH", "4.0.2", embedded=False), _osu.PEERS[0], osu)
    with pytest.raises(MeasurementError) as raised:
        medians.theirs(0)
    said = str(raised.value)
    assert "\n" not in said and str(osu) in said and "-W 16" in said and "OSU 7.4" in said
