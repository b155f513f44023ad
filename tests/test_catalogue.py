"""The catalogue holds every fact of the published files, unchanged, and expands tables to the right cells."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import assay.catalogue
from assay.errors import InputError
from assay.machine import catalogue, published

DATA = Path(assay.catalogue.__file__).parent
REFERENCE = Path(os.environ.get("ASSAY_REFERENCE", Path(__file__).resolve().parents[2] / "shared" / "reference"))

# sha256 of each file's parsed content, as canonical JSON: a changed fact must be changed here too, on purpose
DIGESTS = {
    "published/dunigan1991_delta.toml": "dc6a846a4ddfae70c4ddb798fc65396c521f66e91b270cf26504db4c87efef76",
    "published/dunigan1991_hypercubes.toml": "22f9527c2bfd986870910cb02946e9549d49144c32e24fd8744eeb0747fe51fa",
    "published/dunigan1995_paragon_mp.toml": "e7a52a20a6dc4ec589bf067775275b04d45d7785dee3d386e6ee344ba11b3203",
    "published/ghosh_parallel_io.toml": "5651a21cec1ddef1ab5dac637ce22e3801103bfed4face0f292289f04b9d25ec",
    "published/vandersteen2000_beowulf.toml": "dde04d49d9562fb704d8b2d604dbb4717d9c58503a6bcfd2e8797a9092cd45f3",
    "units.toml": "1ed78fce7bdea925ceb8581109e741db1edef7c39ff520717b145e96a10589cb",
}


def raw(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / name).read_text(encoding="utf-8"))


def canonical(document: Any) -> str:
    return json.dumps(document, sort_keys=True)


PAPERS = {Path(name).stem: raw(name) for name in DIGESTS if name.startswith("published/")}


def test_every_file_is_known_and_none_is_missing() -> None:
    found = {str(path.relative_to(DATA)) for path in DATA.glob("published/*.toml")} | {"units.toml"}
    assert found == set(DIGESTS)


@pytest.mark.parametrize("name", DIGESTS)
def test_content_is_what_was_committed(name: str) -> None:
    assert hashlib.sha256(canonical(raw(name)).encode()).hexdigest() == DIGESTS[name]


@pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no reference folder {REFERENCE}")
def test_content_is_the_reference() -> None:
    originals = {path.name: path for path in REFERENCE.glob("*.toml")}
    assert set(originals) == {Path(name).name for name in DIGESTS}
    for name in DIGESTS:
        original = tomllib.loads(originals[Path(name).name].read_text(encoding="utf-8"))
        assert canonical(as_transcribed(raw(name))) == canonical(as_transcribed(original)), name


# What is ours beside the transcription: what restates what, and how far the print of a claim reaches.
OURS = {"restates", "tol_rel", "tol_abs", "tol_basis", "fragments", "rests_on", "untested"}
# Claims whose own words or numbers were corrected from the source; their other keys are the transcription's.
AMENDED = {
    "d91h.comm-comp-ratio": {"text", "note"},  # the text puts no factor on the iPSC/860's ratio
    "d91h.second-generation-nearly-direct": {"value", "value_basis"},  # a threshold of ours, now from Appendix A
    "d91h.routing-slowdown-second-generation": {"note"},  # on a tolerance that is gone
    "d91d.segments": {"op"},  # a length that a program is cut at is exact
    "d91d.ipsc860-protocol": {"op"},
}
ADDED = {
    *("ghosh.analysis-agrees", "ghosh.abrupt-saturation", "ghosh.distance-insensitive", "d91d.distance-growth"),
    *("d91d.rate-linear", "d91h.consistent-with-components", "d91d.slalom-ratio", "d91d.slalom-cfs"),
    *(
        "d91d.linpack-growth",
        "d91d.cholesky-over-ipsc860",
        "d91h.cholesky-precision-ipsc860",
        "d91h.cholesky-precision-ncube6400",
    ),
    "vds.maya5-imbalance",
    "d95p.material-science",
    *("vds.primmod-ethernet-slower", "vds.primmod-cpus-per-node", "vds.rboltz-ethernet-slower"),
    *("vds.rboltz-cpus-per-node", "vds.rboltz-user-share-ethernet", "vds.rboltz-system-share-compaq"),
    *("vds.adf-ethernet-two-cpus", "vds.adf-scales-vasp-does-not", "vds.vasp-cpus-per-node", "vds.vasp-ethernet-16"),
}  # statements of the papers that the transcription has no block for


ADDED_RESULTS = {
    ("euroben.intrinsics", machine, function)
    for machine, functions in (
        ("ibm-netfinity-cluster", ("exp", "sin", "cos")),
        ("sgi-origin2000-300", ("exp",)),
        ("compaq-xp1000-cluster", ("all",)),
    )
    for function in functions
}  # numbers of section 6.4.1's sentences that the transcription has no block for


def as_transcribed(document: dict[str, Any]) -> dict[str, Any]:
    """The file without what is ours."""

    def block(one: Any) -> Any:
        if not isinstance(one, dict):
            return one
        ours = OURS | AMENDED.get(one.get("id", ""), set())
        ours |= {"benchmark", "machines"} if "fragments" in one else set()
        return {key: value for key, value in one.items() if key not in ours}

    def kept(one: Any) -> bool:
        if not isinstance(one, dict):
            return True
        result = (one.get("benchmark"), one.get("machine"), one.get("params", {}).get("function"))
        return one.get("id") not in ADDED and not ("metric" in one and result in ADDED_RESULTS)

    return {
        kind: [block(one) for one in each if kept(one)] if isinstance(each, list) else each
        for kind, each in document.items()
    }


def listed(value: Any) -> Any:
    """Tuples as lists, all the way down, for comparison with what tomllib gives."""
    if isinstance(value, dict):
        return {key: listed(each) for key, each in value.items()}
    return [listed(each) for each in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("paper", PAPERS)
def test_typed_blocks_say_what_the_file_says(paper: str) -> None:
    """Each block, dumped back, equals the file's, key by key; and there are as many, in the same order."""
    document = PAPERS[paper]
    loaded = catalogue.load()
    kinds = set(document) - {"schema", "paper"}
    for kind in kinds | set(loaded.blocks):
        mine = [
            listed(each.model_dump(exclude_unset=True, exclude={"paper"}))
            for each in loaded.blocks.get(kind, ())
            if each.paper == paper
        ]
        assert canonical(mine) == canonical(document.get(kind, [])), kind
    assert canonical(listed(loaded.papers[paper].model_dump(exclude_unset=True, exclude={"paper"}))) == canonical(
        document["paper"]
    )


def expand_by_hand(document: dict[str, Any], paper: str) -> Counter[str]:
    """The twin: every number of a file as a canonical row, found by walking labels instead of models."""
    units = raw("units.toml")["unit"]
    rows: Counter[str] = Counter()

    def keep(fields: dict[str, Any], value: Any, unit: str, **more: Any) -> None:
        exact = Fraction(repr(float(value))) * Fraction(repr(float(units[unit]["factor"])))
        row = {key: fields.pop(key, None) for key in ("machine", "benchmark", "metric")}
        rows[canonical([paper, row, fields, float(exact), units[unit]["si"], value, unit, more])] += 1

    for table in document.get("table", []):
        for place, cells in enumerate(table["values"]):
            for col, value in zip(table["cols"], cells, strict=True):
                if value != value:
                    continue
                fields = {key: table[key] for key in ("machine", "benchmark", "metric") if key in table}
                fields |= table.get("params", {})
                free = "row_set" in table and table["row_key"] not in ("machine", "benchmark", "metric")
                if not free:
                    fields[table["row_key"]] = table["rows"][place]
                fields[table["col_key"]] = col
                if "row_set" in table:
                    fields |= table["row_set"][place]
                if "unit" in table:
                    unit = table["unit"]
                elif "row_units" in table:
                    unit = table["row_units"][place]
                else:
                    unit = table["col_units"][table["cols"].index(col)]
                doubtful = False
                for note in table.get("notes", []):
                    here = note.get("row", table["rows"][place]) == table["rows"][place] and note.get("col", col) == col
                    doubtful = doubtful or (here and note.get("doubtful", False))
                keep(fields, value, unit, source=table["source"], table=table["id"], doubtful=doubtful)
    for result in document.get("result", []):
        fields = {key: result[key] for key in ("machine", "benchmark", "metric") if key in result}
        fields |= result.get("params", {})
        keep(
            fields,
            result["value"],
            result["unit"],
            source=result["source"],
            table=None,
            doubtful=result.get("doubtful", False),
        )
    return rows


@pytest.mark.parametrize("paper", PAPERS)
def test_every_cell_and_result_is_a_row(paper: str) -> None:
    mine: Counter[str] = Counter()
    for cell in catalogue.cells(paper=paper):
        row = {"machine": cell.machine, "benchmark": cell.benchmark, "metric": cell.metric}
        more = {"source": cell.source, "table": cell.table, "doubtful": cell.doubtful}
        place = [paper, row, dict(cell.params), cell.value, cell.unit, cell.printed, cell.printed_unit, more]
        mine[canonical(place)] += 1
    assert mine == expand_by_hand(PAPERS[paper], paper)
    assert mine.total() > 0


def test_no_number_is_lost() -> None:
    """The count, by arithmetic alone: table numbers that are numbers, plus results."""
    numbers = sum(
        1
        for document in PAPERS.values()
        for table in document.get("table", [])
        for row in table["values"]
        for value in row
        if not math.isnan(value)
    ) + sum(len(document.get("result", [])) for document in PAPERS.values())
    assert len(catalogue.cells()) == numbers == 1426


def test_ids_point_somewhere() -> None:
    loaded = catalogue.load()
    for cell in loaded.cells:
        assert cell.machine is None or cell.machine in loaded.machines
        assert cell.benchmark in loaded.benchmarks
    for claim in loaded.claims:
        assert set(claim.about) <= set(loaded.machines), claim.id
        assert set(claim.of) <= set(loaded.benchmarks), claim.id
        if claim.unit is not None:
            assert claim.unit in loaded.units


def test_a_machine_of_two_papers_is_one() -> None:
    ipsc860 = catalogue.machine("ipsc860")
    assert ipsc860.papers == ("dunigan1991_hypercubes", "dunigan1991_delta")
    assert ipsc860.fact("nodes") == 128
    assert ipsc860.facts["memory_per_node_B"] == {
        paper: next(m["memory_per_node_B"] for m in PAPERS[paper]["machine"] if m["id"] == "ipsc860")
        for paper in ipsc860.papers
    }


@pytest.mark.parametrize("name", ["ipsc860", "IPSC860", "Intel iPSC/860", "iPSC/860", "intel ipsc 860"])
def test_machines_answer_to_their_names(name: str) -> None:
    assert catalogue.machine(name).id == "ipsc860"


def test_unknown_names_are_answered_with_near_ones() -> None:
    with pytest.raises(InputError, match=r"perhaps .*ipsc860"):
        catalogue.machine("ipsc8600")
    with pytest.raises(InputError, match="echo"):
        catalogue.cells(benchmark="ecko")
    with pytest.raises(InputError, match="expected ipsc860"):
        catalogue.machine("")


def test_cells_by_every_filter() -> None:
    """Appendix A prints 100.0 kB/s for 8 bytes over one hop of the iPSC/860: 80 us a message."""
    (cell,) = catalogue.cells(machine="ipsc860", benchmark="echo", metric="rate", params={"message_B": 8, "hops": 1})
    assert (cell.value, cell.unit, cell.printed, cell.printed_unit) == (1e5, "B/s", 100.0, "kB/s")
    assert 8 / cell.value == pytest.approx(80e-6)
    (doubted,) = catalogue.cells(machine="ipsc860", benchmark="echo", params={"message_B": 2048, "hops": 5})
    assert doubted.doubtful and doubted.ocr == "1869.3" and doubted.note
    assert {each.benchmark for each in catalogue.cells(benchmark="caltech", paper="dunigan1991_hypercubes")} == set(
        next(b["parts"] for b in PAPERS["dunigan1991_hypercubes"]["benchmark"] if b["id"] == "caltech")
    )
    assert catalogue.cells(machine=["ipsc1", "ipsc2"], benchmark="malloc", metric="memory_total")[0].unit == "B"


def test_units_convert_exactly() -> None:
    assert catalogue.si(80, "us") == (80e-6, "s")
    assert catalogue.si(22.0, "Mbit/s") == (2.75e6, "B/s")
    assert catalogue.si(7299, "KiB") == (7299 * 1024.0, "B")
    with pytest.raises(InputError, match="furlong"):
        catalogue.si(1, "furlong")


def test_blocks_are_found_by_kind() -> None:
    loaded = catalogue.load()
    jobs = sum(each.count for each in loaded.of(published.Arrival))
    assert jobs == sum(each["count"] for each in PAPERS["vandersteen2000_beowulf"]["schedule"])
    assert len(loaded.of(published.Formula)) == len(PAPERS["ghosh_parallel_io"]["formula"])


def test_a_fact_without_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="colour"):
        published.Result.model_validate(
            {"benchmark": "echo", "metric": "rate", "value": 1, "unit": "B/s", "source": "", "colour": "red"}
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[paper]\nid = "x"\ntitle = \n', r"x\.toml:3: is not TOML"),
        ('[paper]\nid = "x"\n', r"x\.toml: is not a file of published results"),
    ],
)
def test_a_file_of_the_catalogue_that_is_wrong_is_named_with_its_line(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "x.toml").write_text(text)
    monkeypatch.setattr(catalogue, "_FOLDER", tmp_path)
    with pytest.raises(InputError, match=words):
        catalogue.load.__wrapped__()


def test_a_wrong_entry_of_the_catalogue_is_named_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "published").mkdir()
    whole = (DATA / "published" / "ghosh_parallel_io.toml").read_text()
    head = whole[whole.index("[paper]") :]
    paper = head[: head.index("\n[[")] + "\n"
    (tmp_path / "published" / "x.toml").write_text(f'{paper}\n[[claim]]\nid = "x"\nkind = 3\n')
    monkeypatch.setattr(catalogue, "_FOLDER", tmp_path)
    line = paper.count("\n") + 2
    with pytest.raises(InputError, match=rf"x\.toml:{line}(\D.*)?: claim\.0\.\w+: .*\(x\)"):
        catalogue.load.__wrapped__()
