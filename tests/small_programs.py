"""A programs tree of two tiny programs that keep to the JSON lines of the real ones, so that launching is tested alone.

`tick` (node) and `hello` (ranks): `--set seconds=S` sleeps, `--set status=N` ends with that status, `--out FILE`.
"""

from collections.abc import Callable
from pathlib import Path

from assay.benchmark.record import PlainProgram
from assay.execute.build import build
from assay.execute.mpi import Mpi

LINES = r"""
#pragma once
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <string>
struct Options { double seconds = 0; int status = 0; const char* out = nullptr; };
inline Options options(int count, char** words) {
  Options read;
  for (int i = 1; i + 1 < count; ++i) {
    if (!std::strcmp(words[i], "--out")) read.out = words[i + 1];
    if (!std::strncmp(words[i + 1], "seconds=", 8)) read.seconds = std::atof(words[i + 1] + 8);
    if (!std::strncmp(words[i + 1], "status=", 7)) read.status = std::atoi(words[i + 1] + 7);
  }
  if (std::getenv("ASSAY_PROCESS_TREE")) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return read;
}
inline void write_line(const Options& options, std::string line) {
  line += '\n';
  int file = options.out ? open(options.out, O_WRONLY | O_CREAT | O_APPEND, 0644) : 1;
  if (write(file, line.data(), line.size()) < 0) std::exit(1);
}
inline std::string host() {
  if (const char* named = std::getenv("ASSAY_NODE")) return named;
  char name[256];
  gethostname(name, sizeof name);
  return name;
}
inline std::string allowed() {
  cpu_set_t mask;
  std::string cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
  return cpus;
}
inline std::string place(int rank) {
  return "{\"rank\":" + std::to_string(rank) + ",\"host\":\"" + host() + "\",\"pid\":" + std::to_string(getpid()) +
         ",\"cpus\":[" + allowed() + "],\"cpu\":" + std::to_string(sched_getcpu()) + "}";
}
inline std::string launch(const char* program, int ranks, const std::string& places) {
  return std::string("{\"event\":\"launch\",\"program\":\"") + program + "\",\"ranks\":" + std::to_string(ranks) +
         ",\"compiler\":\"" ASSAY_COMPILER "\",\"flags\":\"" ASSAY_FLAGS "\",\"placement\":[" + places + "]}";
}
inline int finish(const Options& options) {
  usleep(static_cast<unsigned>(options.seconds * 1e6));
  if (options.status) {
    const char words[] = "tick: it was told to fail\n";
    if (write(2, words, sizeof words - 1) < 0) return 1;
  } else {
    write_line(options, "{\"event\":\"done\"}");
  }
  return options.status;
}
"""

TICK = r"""
#include "timing/lines.hpp"
int main(int count, char** words) {
  Options read = options(count, words);
  write_line(read, launch("tick", 1, place(0)));
  return finish(read);
}
"""

HELLO = """
#pragma once
constexpr const char* program_name = "hello";
"""

MPI_MAIN = r"""
#include <mpi.h>
#include <vector>
#include "timing/lines.hpp"
#include ASSAY_PROGRAM
int main(int count, char** words) {
  Options read = options(count, words);
  MPI_Init(&count, &words);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char mine[512] = {};
  std::strncpy(mine, place(rank).c_str(), sizeof mine - 1);
  std::vector<char> all(512ul * ranks);
  MPI_Gather(mine, 512, MPI_CHAR, all.data(), 512, MPI_CHAR, 0, MPI_COMM_WORLD);
  int status = 0;
  if (rank == 0) {
    std::string places;
    for (int i = 0; i < ranks; ++i) places += (i ? "," : "") + std::string(&all[512ul * i]);
    write_line(read, launch(program_name, ranks, places));
    status = finish(read);
  } else {
    usleep(static_cast<unsigned>(read.seconds * 1e6));
  }
  MPI_Finalize();
  return status;
}
"""


def write_tree(root: Path) -> dict[str, PlainProgram]:
    """Write the tree below `root`; returns what build() takes, by name."""
    files = {
        "timing/lines.hpp": LINES,
        "processor/tick.cpp": TICK,
        "ranks/hello.hpp": HELLO,
        "mpi/main.cpp": MPI_MAIN,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return {
        "tick": PlainProgram("tick", root / "processor/tick.cpp", "node"),
        "hello": PlainProgram("hello", root / "ranks/hello.hpp", "ranks"),
    }


def builder(folder: Path) -> Callable[..., tuple[str, ...]]:
    """Write the tree in `folder`; gives what builds `tick`, or `hello` for an MPI, and returns its command."""
    tree = write_tree(folder / "programs")

    def built(name: str, mpi: Mpi | None = None) -> tuple[str, ...]:
        return (str(build([tree[name]], mpi=mpi, root=folder / "programs", cache=folder)[name].path),)

    return built


def script(folder: Path, name: str, text: str) -> Path:
    """An executable shell script `name` in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path
