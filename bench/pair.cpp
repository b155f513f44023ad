// One launch of Assay's program and of its plain C twin in one job, block by block in an order that is drawn anew for
// each block: what differs between launches (where memory lies, how the processors are joined that day) differs for
// neither. Assay's program is compiled as it is, but for the name of its main(), which is called once a block; by MPI's
// profiling interface its MPI_Init and MPI_Finalize do nothing here.
//
// Usage: pair MODE BYTES READINGS BATCH BLOCKS SEED OFFSET×4 FOLDER PROGRAM'S OPTION …. Prints "SIDE S" for every
// reading of the twin's two copies (plain, again), in seconds an operation; the program writes FOLDER/BLOCK.jsonl.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

int assay_main(int argc, char** argv);
extern "C" {
using Twin = void(const char*, int, int, int, const long*, double*);
Twin plain, again;

int MPI_Init(int*, char***) { return MPI_SUCCESS; }
int MPI_Finalize() { return MPI_SUCCESS; }
}

namespace {

int ours(const char* name, const std::vector<std::string>& options, const std::string& out) {
  std::vector<std::string> words{name};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--out", out});
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return assay_main(static_cast<int>(words.size()), all.data());
}

}  // namespace

int main(int argc, char** argv) {
  PMPI_Init(&argc, &argv);
  if (argc < 12) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = std::atoi(argv[2]), readings = std::atoi(argv[3]), batch = std::atoi(argv[4]);
  const int blocks = std::atoi(argv[5]);
  std::mt19937 dice(static_cast<unsigned>(std::atol(argv[6])));  // the same on both ranks
  std::array<long, 4> offsets{};
  for (std::size_t k = 0; k < 4; ++k) offsets[k] = std::atol(argv[7 + k]);
  const std::string folder = argv[11];
  const std::vector<std::string> options(argv + 12, argv + argc);
  std::vector<double> took(static_cast<std::size_t>(readings));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int block = -1; block < blocks; ++block) {  // -1 warms up
    std::array<int, 3> turns{0, 1, 2};
    std::shuffle(turns.begin(), turns.end(), dice);
    for (const int turn : turns) {
      if (turn == 2) {
        const std::string name = block < 0 ? "warm" : std::to_string(block);
        if (const int status = ours(argv[0], options, folder + "/" + name + ".jsonl"); status != 0)
          MPI_Abort(MPI_COMM_WORLD, status);
        continue;
      }
      (turn == 0 ? plain : again)(argv[1], bytes, readings, batch, offsets.data(), took.data());
      if (rank != 0 || block < 0) continue;
      for (const double ns : took) std::printf("%s %.9e\n", turn == 0 ? "plain" : "again", ns / batch * 1e-9);
    }
  }
  std::fflush(stdout);
  return PMPI_Finalize();
}
