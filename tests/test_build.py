"""Programs are compiled once for what they depend on, and a compiler that says no is named with its words."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.benchmark.record import PlainProgram, UnitSource, programs_root, read_record
from assay.errors import MeasurementError
from assay.execute.build import Built, build
from assay.execute.compiler import find_compiler
from assay.execute.mpi import find_mpi
from assay.execute.source_list import INCLUDE, UNTIMED, linked_sources, rank_programs, untimed, unused_sources
from assay.execute.units import SharedUnit, includes, make, own_units, shared, unit_source, units_of
from compiled import own_cache
from small_programs import script, write_tree
from test_launchers import gone


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, dict[str, PlainProgram]]:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    monkeypatch.delenv("CXX", raising=False)
    root = tmp_path / "programs"
    return root, write_tree(root)


def compile_tick(tree: tuple[Path, dict[str, PlainProgram]], **more: object) -> Built:
    root, programs = tree
    return build([programs["tick"]], mpi=None, root=root, **more)["tick"]  # type: ignore[arg-type]


def test_compiles_once_and_states_what_it_used(tree):
    told: list[str] = []
    first = compile_tick(tree, progress=told.append)
    again = compile_tick(tree, progress=told.append)
    assert not first.cached and first.seconds > 0
    assert again.cached and again.path == first.path
    assert len(told) == 1 and "tick" in told[0]
    line = json.loads(subprocess.run([first.path], capture_output=True, check=True).stdout.splitlines()[0])
    assert line["flags"] == "-O0" == first.flags
    version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    assert line["compiler"] == first.compiler == f"g++ {version}"


@pytest.mark.parametrize("touched", ["timing/lines.hpp", "processor/tick.cpp"])
def test_a_changed_header_or_source_compiles_again(tree, touched):
    first = compile_tick(tree)
    changed = tree[0] / touched
    changed.write_text(changed.read_text() + "// changed\n")
    second = compile_tick(tree)
    assert not second.cached and second.path != first.path


def test_a_file_that_it_does_not_include_changes_nothing(tree):
    compile_tick(tree)
    (tree[0] / "ranks/hello.hpp").write_text("// another program\n")
    assert compile_tick(tree).cached


def test_other_flags_compile_again(tree, monkeypatch):
    first = compile_tick(tree)
    monkeypatch.setenv("CXXFLAGS", "-O1")
    second = compile_tick(tree)
    assert not second.cached and second.key != first.key
    monkeypatch.setenv("CXXFLAGS", "-O0")
    assert compile_tick(tree).path == first.path


def test_another_processor_compiles_again(tree, monkeypatch):
    first = compile_tick(tree)
    monkeypatch.setattr("assay.execute.compiler.processor", lambda: "x86_64 another")
    assert compile_tick(tree).key != first.key


def test_includes_are_followed_as_the_compiler_does(tree):
    """Against the compiler's own dependency list (-MM)."""
    root, programs = tree
    listed = subprocess.run(
        ["g++", "-std=c++20", "-MM", f"-I{root}", programs["tick"].path], capture_output=True, text=True, check=True
    ).stdout
    names = listed.replace("\\\n", " ").split(":", 1)[1].split()
    assert {Path(name).resolve() for name in names} == includes([programs["tick"].path], root)


def test_a_source_beside_a_header_of_its_name_is_compiled_once_and_anew_when_it_changes(tree):
    """What it says reaches both programs that include its header, one of them by way of another header."""
    root, _ = tree
    (root / "timing/answer.hpp").write_text("#pragma once\nint answer();\n")
    (root / "timing/by_way.hpp").write_text('#include "timing/answer.hpp"\n')
    pair = [PlainProgram(name, root / f"{name}.cpp", "node") for name in ("one", "two")]
    for each, header in zip(pair, ("answer", "by_way"), strict=True):
        each.path.write_text(f'#include "timing/{header}.hpp"\nint main() {{ return answer(); }}\n')
    objects = set()
    for expected in (3, 4):
        told: list[str] = []
        (root / "timing/answer.cpp").write_text(
            f'#include "timing/answer.hpp"\nint answer() {{ return {expected}; }}\n'
        )
        built = build(pair, mpi=None, root=root, progress=told.append)
        assert [subprocess.run([built[each.name].path]).returncode for each in pair] == [expected, expected]
        assert len(told) == 3 and "share" in told[0]
        made = set((root.parent / "cache/programs/units").iterdir()) - objects
        assert len(made) == 1
        objects |= made
    assert all(each.cached for each in build(pair, mpi=None, root=root).values())


def list_untimed(root, *groups):
    """Write the list of sources in which nothing is timed: for each group name, level and sources."""
    text = "".join(f"[{name}]\nlevel = {level!r}\nsources = {list(sources)}\n" for name, level, *sources in groups)
    (root / UNTIMED).write_text(text)


@pytest.mark.parametrize("level", ["-O1", "-Og"])
@pytest.mark.parametrize(("given", "less"), [("-O3 -march=native", "{} -march=native"), ("-O0 -g", "-O0 -g")])
def test_only_what_is_listed_as_untimed_is_compiled_at_o1_and_is_linked_behind_the_rest(
    tmp_path, monkeypatch, given, less, level
):
    """Of an inline function that both hold the linker takes the first object's: the one of the user's flags."""
    monkeypatch.setenv("CXXFLAGS", given)
    words, loops = tmp_path / "a_words.cpp", tmp_path / "b_loops.cpp"
    words.write_text("int words() { return 1; }\n")
    loops.write_text("int loops() { return 1; }\n")
    list_untimed(tmp_path, ("words", level, "a_words.cpp"))
    compiler = find_compiler()
    made = units_of([words, loops], tmp_path, tmp_path, compiler, compiler)
    more = " -fexpensive-optimizations" if compiler.identity.startswith("g++") else ""
    assert [(unit.source, unit.compiler.flags) for unit in made] == [(loops, given), (words, less.format(level + more))]


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("objdump"), reason="needs x86-64 and objdump")
@pytest.mark.parametrize("level", ["-O1", "-Og"])
def test_what_is_not_timed_leaves_no_upper_halves_of_vector_registers_set(tmp_path, monkeypatch, level):
    """A copy of 32 bytes goes through a register of 256 bits; a C library without AVX that is called next is slow."""
    monkeypatch.setenv("CXXFLAGS", "-O3 -march=icelake-server")
    words = tmp_path / "words.cpp"
    copied = "struct Four { double of[4]; };\nvoid copy(Four& to, const Four& from) { to = from; }\n"
    words.write_text(copied)
    list_untimed(tmp_path, ("words", level, "words.cpp"))
    compiler = find_compiler()
    (unit,) = units_of([words], tmp_path, tmp_path, compiler, compiler)
    make(unit, tmp_path, 60)
    code = subprocess.run(["objdump", "-d", unit.object], capture_output=True, text=True, check=True).stdout
    assert "ymm" in code and "vzeroupper" in code


def test_untimed_sources_of_one_table_are_one_object_for_all_programs(tmp_path):
    """Whichever of them a program includes, so that their object is made once; a source that is timed is its own."""
    list_untimed(tmp_path, ("one", "-Og", "one/a.cpp", "one/b.cpp", "other/c.cpp"), ("two", "-O1", "one/d.cpp"))
    for path in ("one/a", "one/b", "other/c", "one/d", "other/e"):
        folder, name = path.split("/")
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / f"{path}.hpp").write_text(f"#pragma once\nint {name}();\n")
        (tmp_path / f"{path}.cpp").write_text(f'#include "{path}.hpp"\nint {name}() {{ return 1; }}\n')
    compiler = find_compiler()
    objects = []
    for number, used in enumerate((["one/a"], ["other/c"], ["one/b", "one/d", "other/e"])):
        program = tmp_path / f"main{number}.cpp"
        called = " + ".join(f"{path[-1]}()" for path in used)
        included = "".join(f'#include "{path}.hpp"\n' for path in used)
        program.write_text(f"{included}int main() {{ return {called}; }}\n")
        _, sources = shared(includes([program], tmp_path), tmp_path)
        units = units_of(sources, tmp_path, tmp_path / "units", compiler, compiler)
        for unit in units:
            make(unit, tmp_path, 60)
        objects.append({unit.object for unit in units})
        binary = tmp_path / f"program{number}"
        compiler.make("it", compiler.command(program, binary, tmp_path, {}, [*objects[-1]]), binary, 60)
        assert subprocess.run([binary]).returncode == len(used)
    assert len(objects[0]) == 1 and objects[1] == objects[0] and len(objects[2]) == 3 and objects[0] < objects[2]


def test_another_copy_of_the_programs_has_the_same_objects_but_for_what_was_changed_in_it(tmp_path):
    copy = shutil.copytree(programs_root(), tmp_path / "programs")
    changed = copy / "applications" / "slalom" / "room.cpp"

    def names(root: Path) -> set[str]:
        _, sources = shared(includes([root / "mpi/main.cpp", root / "applications/slalom.hpp"], root), root)
        compiler = find_compiler()
        return {unit.object.name for unit in units_of(sources, root, tmp_path / "units", compiler, compiler)}

    right = names(programs_root())
    assert names(copy) == right and len(right) > 5
    changed.write_text(changed.read_text() + "\n")
    (left,) = right - names(copy)
    assert left.startswith("slalom-room-")


def test_no_source_that_is_compiled_at_o1_has_a_measured_loop():
    """Not the sampler, nor a part of what a program measures: neither includes, nor is, one of the files that time."""
    root = programs_root()
    marked = [root / source for group in untimed(root) for source in group.sources]
    assert len(marked) > 10
    timed = {root / "timing" / name for name in ("sampler.cpp", "clock.cpp", "reference.cpp")}
    assert all(path.is_file() for path in timed)
    for path in marked:
        files = includes([path], root)
        assert path.suffix == ".cpp" and path.with_suffix(".hpp").is_file()
        assert not files & timed, path
        assert not re.search(r"\.measure\(|\bopaque\(|\btouched\(", path.read_text()), path


@pytest.mark.parametrize(("groups", "complaint"), [
    ([("one", "-O1", "one/none.cpp")], "one.sources: no such file; got 'one/none.cpp', expected a source"),
    ([("one", "-O2", "one/a.cpp")], "one.level: no such level; got '-O2', expected -O1 or -Og"),
    ([("one", "-O1", "one/a.cpp"), ("two", "-Og", "one/a.cpp")], "two.sources: listed twice; got 'one/a.cpp'"),
])  # fmt: skip
def test_a_wrong_list_of_untimed_sources_is_one_line(tmp_path, groups, complaint):
    (tmp_path / "one").mkdir()
    (tmp_path / "one/a.cpp").write_text("int a() { return 1; }\n")
    list_untimed(tmp_path, *groups)
    compiler = find_compiler()
    with pytest.raises(MeasurementError) as caught:
        units_of([tmp_path / "one/a.cpp"], tmp_path, tmp_path, compiler, compiler)
    assert str(caught.value).startswith(f"{tmp_path / UNTIMED}: {complaint}")
    assert "\n" not in str(caught.value)


SCRIPT = Path(__file__).parent.parent / "src" / "assay" / "execute" / "source_list.py"


def test_a_source_that_no_program_is_linked_with_is_an_error_where_the_core_is_configured(tree, tmp_path):
    """As CMake runs it, with nothing installed; each way to be used is one that counts."""
    root, _ = tree
    assert unused_sources(root) == []
    listed = [sys.executable, "-P", "-S", "-E", SCRIPT, root, tmp_path / "list.cmake"]
    for name, text in {
        "timing/shared.hpp": "#pragma once\n",
        "timing/shared.cpp": '#include "timing/shared.hpp"\n',
        "timing/user.hpp": '#include "timing/shared.hpp"\n',
        "jobs/job.cpp": "int main() {}\n",
        "kernels/loops.cpp": "",
        "kernels/run.cpp": 'R"record(\nname = "run"\n[unit.a]\nsource = "kernels/loops.cpp"\n)record"',
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    assert unused_sources(root) == []
    assert subprocess.run(listed, capture_output=True, text=True).returncode == 0
    (root / "timing/user.hpp").unlink()
    assert unused_sources(root) == ["timing/shared.cpp"]
    ended = subprocess.run(listed, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"{root / 'timing/shared.cpp'}: no program is linked with it; expected a record")


def test_the_core_is_linked_with_what_its_rank_programs_include():
    """Against what a run links to them, found by includes, and with the records' own units."""
    root = programs_root()
    core = sorted((root.parent / "core").rglob("*.[ch]pp"))
    headers = [root / name for name in rank_programs(root)]
    assert len(headers) > 30 and all('R"record(' in path.read_text() for path in headers)
    own = {
        unit_source(about, path, root)
        for path in headers
        if (record := read_record(path)) is not None
        for about in record.units.values()
    }
    linked = {root / name for name in linked_sources([*core, *headers], root)}
    _, by_includes = shared(includes([*core, *headers, *own], root), root)
    tables = [root / source for group in untimed(root) for source in group.sources]  # a run's object has all of one
    joined = {root / name for name in linked_sources(tables, root)}
    assert own <= linked and linked - own <= set(by_includes) <= linked | joined
    assert not any("mpi.h" in INCLUDE.findall(path.read_text()) for path in linked)


def test_a_program_with_a_former_name_learns_the_new_one(tmp_path, monkeypatch):
    """The compiler's own error says it, in the one line that Assay shows."""
    monkeypatch.setenv("CXXFLAGS", "-O0")
    for former, new, given in (
        ("also_observe", "add_metric", '"m", [] { return 1.0; }'),
        ("leave_out", "skip", '"why", "size"'),
        ("afterwards", "on_finish", "[] { return std::string(); }"),
    ):
        source = tmp_path / "own.cpp"
        source.write_text(
            f'#include "timing/case.hpp"\nvoid body(assay::timing::Case& at) {{ at.{former}({given}); }}\n'
        )
        compiler = find_compiler()
        command = compiler.object_command(source, tmp_path / "own.o", programs_root())
        with pytest.raises(MeasurementError, match=f"{former} is now called {new}") as caught:
            compiler.make("own", command, tmp_path / "own.o", 60)
        assert "\n" not in str(caught.value)


def test_two_builds_at_once_are_safe(tree):
    results: list[Built] = []
    threads = [threading.Thread(target=lambda: results.append(compile_tick(tree))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3 and len({built.path for built in results}) == 1
    assert subprocess.run([results[0].path], capture_output=True, check=True).stdout
    assert [p.name for p in results[0].path.parent.iterdir()] == [results[0].path.name]


def test_what_programs_share_is_compiled_once_by_processes_that_need_it_at_once(tmp_path):
    """Three at a time, as tests side by side: two wait for the one that began, and nothing of the lock stays."""
    object_, made = tmp_path / "units/part.o", []

    def compile_slowly(name, command, out, timeout):
        made.append(name)
        time.sleep(0.2)
        out.write_text("object")

    compiler = SimpleNamespace(object_command=lambda *words: [], make=compile_slowly)
    unit = SharedUnit(tmp_path / "part.cpp", compiler, object_)
    each = [threading.Thread(target=make, args=(unit, tmp_path, 10.0)) for _ in range(3)]
    for one in each:
        one.start()
    for one in each:
        one.join()
    assert len(made) == 1 and [*object_.parent.iterdir()] == [object_]


def test_a_failing_compile_shows_the_first_errors_and_the_command(tree):
    root, programs = tree
    programs["tick"].path.write_text("int main() { return nonsense; }\n")
    with pytest.raises(MeasurementError) as caught:
        compile_tick(tree)
    message = str(caught.value)
    assert "nonsense" in message and "tick.cpp:1" in message and "-std=c++20" in message
    assert "\n" not in message
    assert not list((root.parent / "cache" / "programs").iterdir())


def test_a_missing_compiler_is_named(tree, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(MeasurementError, match=r"no-such-compiler.*no such program"):
        compile_tick(tree)


def test_a_compiler_that_cannot_even_say_its_version_is_named(tree, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", str(script(tmp_path / "bin", "broken++", "echo licence expired; exit 3")))
    with pytest.raises(MeasurementError, match=r"broken\+\+.*licence expired"):
        compile_tick(tree)


def test_a_wrapper_that_fails_is_quoted_without_the_rules_around_its_message(tree, tmp_path, monkeypatch):
    """Open MPI's wrapper draws lines of dashes around what it has to say."""
    said = "-----\\nThe wrapper was unable to find the compiler\\nc++ in your PATH.\\n\\nNote that\\n-----\\n"
    text = f"printf -- '{said}'; exit 1"
    monkeypatch.setenv("CXX", str(script(tmp_path / "bin", "wrapped++", text)))
    with pytest.raises(MeasurementError) as caught:
        compile_tick(tree)
    assert ": The wrapper was unable to find the compiler c++ in your PATH; " in str(caught.value)


def test_a_compiler_that_hangs_is_ended(tree, tmp_path, monkeypatch):
    text = f'[ "$1" = --version ] && exec g++ --version\nsleep 1000 & echo $! >{tmp_path}/pid; wait'
    hangs = script(tmp_path / "bin", "slow++", text)
    monkeypatch.setenv("CXX", str(hangs))
    with pytest.raises(MeasurementError, match="timed out after 1 s"):
        compile_tick(tree, timeout=1)
    assert gone([int((tmp_path / "pid").read_text())], 10)


def test_the_compiler_may_have_arguments(tree, monkeypatch):
    monkeypatch.setenv("CXX", "g++ -DEXTRA")
    assert compile_tick(tree).path.exists()


def test_ranks_without_an_mpi_are_refused(tree):
    root, programs = tree
    with pytest.raises(MeasurementError, match=r"hello: message-passing programs need an MPI.*PATH"):
        build([programs["hello"]], mpi=None, root=root)


@pytest.mark.mpi
def test_ranks_are_compiled_by_the_wrapper_and_depend_on_their_header(tree):
    mpi = find_mpi()
    if mpi is None:
        pytest.skip("no MPI")
    root, programs = tree
    first = build([programs["hello"], programs["tick"]], mpi=mpi, root=root)
    assert set(first) == {"hello", "tick"} and not first["hello"].cached
    (root / "ranks/hello.hpp").write_text('constexpr const char* program_name = "other";\n')
    second = build([programs["hello"], programs["tick"]], mpi=mpi, root=root)
    assert not second["hello"].cached and second["tick"].cached


def test_a_cache_that_cannot_be_written_is_named(tree, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file"))
    with pytest.raises(MeasurementError, match="ASSAY_CACHE"):
        compile_tick(tree)


def test_the_verb_says_what_was_compiled_and_what_was_kept(tmp_path):
    """`assay build sieve --json` twice: one document each; messages on standard error."""
    environment = {**os.environ, "ASSAY_CACHE": str(own_cache(tmp_path / "cache"))}
    words = [sys.executable, "-m", "assay", "build", "sieve", "--json"]
    first, second = (
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True) for _ in range(2)
    )
    assert "compiling sieve" in first.stderr and second.stderr == ""
    one, again = (json.loads(said.stdout)["programs"] for said in (first, second))
    assert [program["benchmark"] for program in one] == ["sieve"]
    assert (one[0]["cached"], again[0]["cached"]) == (False, True) and one[0]["path"] == again[0]["path"]


def test_the_verb_refuses_an_unknown_benchmark(tmp_path):
    words = [sys.executable, "-m", "assay", "build", "seive"]
    said = subprocess.run(words, capture_output=True, text=True)
    assert said.returncode == 2 and "did you mean sieve" in said.stderr and said.stdout == ""


def test_a_record_s_flags_are_used_where_the_compiler_has_them(tree):
    """A flag that it lacks is left out; the program then says itself what it cannot do."""
    root, programs = tree
    tick = programs["tick"]
    wished = PlainProgram(tick.name, tick.path, flags=("-funroll-loops", "-fno-such"))
    built = build([wished], mpi=None, root=root)["tick"]
    assert built.flags == "-O0 -funroll-loops"
    line = json.loads(subprocess.run([built.path], capture_output=True, check=True).stdout.splitlines()[0])
    assert line["flags"] == built.flags and built.key != compile_tick(tree).key


@pytest.mark.parametrize(("lacks", "trials"), [((), ["-a -b -c"]), (("-b",), ["-a -b -c", "-a", "-b", "-b", "-c"])])
def test_flags_of_units_are_tried_at_once_and_one_by_one_where_one_is_lacking(tree, lacks, trials):
    root, programs = tree
    tried: list[str] = []

    def has(_: object, flags: str) -> bool:
        tried.append(flags)
        return not set(lacks) & set(flags.split())

    source = programs["tick"].path
    wished = {name: UnitSource(source.name, flags) for name, flags in (("x", ("-a", "-b")), ("y", ("-b", "-c")))}
    units = own_units(wished, source, root, root / "units", find_compiler(), has)
    assert tried == trials
    expected = [[flag for flag in about.flags if flag not in lacks] for about in wished.values()]
    assert [unit.compiler.flags.split()[1:] for unit in units] == expected


def test_the_longest_source_is_compiled_first_and_results_keep_their_order(tree, monkeypatch):
    root, programs = tree
    short, long = programs["tick"], root / "processor" / "longer.cpp"
    long.write_text(short.path.read_text() + "// as long as it gets\n" * 100)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    said: list[str] = []
    longer = PlainProgram("longer", long)
    built = build([short, longer], mpi=None, root=root, progress=said.append)
    assert [text.split()[1] for text in said] == ["longer", "tick"]
    assert list(built) == ["tick", "longer"] and built["tick"].path.name.startswith("tick-")


def test_what_programs_share_is_compiled_while_flags_of_the_next_are_tried(tree, monkeypatch):
    root, programs = tree
    started, wait = threading.Event(), threading.Event()
    made: list[str] = []

    def compiled(unit: SharedUnit, *_: object) -> None:
        made.append(unit.object.name)
        started.set()
        assert wait.wait(10)

    def has(*_: object) -> bool:
        assert started.wait(10)
        wait.set()
        raise MeasurementError("no such flag")

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    monkeypatch.setattr("assay.execute.build.make", compiled)
    monkeypatch.setattr("assay.execute.build._has", has)
    source = programs["tick"].path
    (source.parent / "second.hpp").write_text("#pragma once\nint second();\n")
    (source.parent / "second.cpp").write_text('#include "second.hpp"\nint second() { return 2; }\n')
    source.write_text('#include "second.hpp"\n' + source.read_text())
    flagged = PlainProgram("flagged", source, flags=("-x",))
    with pytest.raises(MeasurementError, match="no such flag"):
        build([programs["tick"], flagged], mpi=None, root=root)
    assert made


def test_a_flag_that_is_tried_when_assay_is_killed_leaves_no_folder(tmp_path):
    code = (
        "from assay.execute import build, compiler\n"
        "found = compiler.find_compiler()\n"
        "compiler.Compiler.command = lambda *_: ['sleep', '60']\n"
        "build._has(found, '-fopenmp')\n"
    )
    (tmp_path / "t").mkdir()
    ran = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path / "t")})
    until = time.monotonic() + 30
    while not (there := list((tmp_path / "t").glob("assay-flag-*"))) and time.monotonic() < until:
        time.sleep(0.02)
    assert there
    ran.kill()
    ran.wait()
    while list((tmp_path / "t").iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    assert list((tmp_path / "t").iterdir()) == []
