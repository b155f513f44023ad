// One launch of Assay's program and of its plain C twin in one process or job, block by block in an order that is drawn
// anew for each block: what differs between launches (where memory lies, how the processors are joined that day)
// differs for neither. Assay's program is compiled as it is, but for the name of its main(), which is called once a
// block. With BENCH_MPI both run over MPI, and by its profiling interface the program's MPI_Init and MPI_Finalize do
// nothing.
//
// Usage: pair BLOCKS READINGS SEED FOLDER SEATS TWIN'S WORD … -- PROGRAM'S OPTION …. SEATS: for each rank in turn a
// digit, which of the processors at hand it keeps to; none: it may use all. Prints "SIDE S" for every reading of the
// twin's two copies (plain, again), in seconds per operation; the program writes FOLDER/BLOCK.jsonl.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

int assay_main(int argc, char** argv);
extern "C" {
using Twin = void(char** words, int readings, double* took);  // words: of the command line, up to a null
Twin plain, again;
}

#ifdef BENCH_MPI
#include <mpi.h>
extern "C" {
int MPI_Init(int*, char***) { return MPI_SUCCESS; }
int MPI_Finalize() { return MPI_SUCCESS; }
}
#endif

namespace {

int ours(const char* name, char** options, const std::string& out) {
  std::vector<std::string> words{name, "--out", out};
  for (; *options; ++options) words.emplace_back(*options);
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return assay_main(static_cast<int>(words.size()), all.data());
}

// Keeps this process to the seat-th of its processors.
void sit(int seat) {
  cpu_set_t processors, one;
  sched_getaffinity(0, sizeof processors, &processors);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &processors) && seat-- == 0) CPU_SET(cpu, &one);
  }
  if (sched_setaffinity(0, sizeof one, &one) != 0) std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0;
#ifdef BENCH_MPI
  PMPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  char** const dashes = std::find(argv, argv + argc, std::string_view("--"));
  if (argc < 7 || dashes == argv + argc) return 2;
  *dashes = nullptr;
  const std::string_view seats = argv[5];
  if (static_cast<std::size_t>(rank) < seats.size()) sit(seats[static_cast<std::size_t>(rank)] - '0');
  const int blocks = std::atoi(argv[1]), readings = std::atoi(argv[2]);
  std::mt19937 dice(static_cast<unsigned>(std::atol(argv[3])));  // the same on all ranks
  const std::string folder = argv[4];
  std::vector<double> took(static_cast<std::size_t>(readings));
  cpu_set_t processors;
  sched_getaffinity(0, sizeof processors, &processors);
  for (int block = blocks > 1 ? -1 : 0; block < blocks; ++block) {  // -1 warms up; a single block is long by itself
    std::array<int, 3> turns{0, 1, 2};
    std::shuffle(turns.begin(), turns.end(), dice);
    for (const int turn : turns) {
      sched_setaffinity(0, sizeof processors, &processors);
#ifndef BENCH_MPI
      usleep(5000);  // until threads of the side before have gone to sleep
#endif
      if (turn == 2) {
        const std::string out = folder + "/" + (block < 0 ? "warm" : std::to_string(block)) + ".jsonl";
        if (const int status = ours(argv[0], dashes + 1, out); status != 0) {
#ifdef BENCH_MPI
          MPI_Abort(MPI_COMM_WORLD, status);
#endif
          return status;
        }
        continue;
      }
      (turn == 0 ? plain : again)(argv + 6, readings, took.data());
      if (rank != 0 || block < 0) continue;
      for (const double seconds : took) std::printf("%s %.9e\n", turn == 0 ? "plain" : "again", seconds);
    }
  }
  std::fflush(stdout);
#ifdef BENCH_MPI
  return PMPI_Finalize();
#endif
}
