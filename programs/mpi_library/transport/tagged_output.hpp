// Output by rank (`assay mpirun --tag-output`): a rank's standard output and error are pipes, and a process of their
// own writes their lines, each with its rank.
#pragma once

#include <sys/types.h>

#include <vector>

namespace assay::abi {

inline constexpr const char* tag_output_variable = "ASSAY_MPI_TAG_OUTPUT";  // set: wanted

class TaggedOutput {
 public:
  explicit TaggedOutput(bool wanted) : wanted_(wanted) {}

  // Around each fork of a rank: before it (false: there are no more descriptors), in the rank, and in its parent.
  bool before();
  void in_rank();
  void in_parent();

  // Once all ranks were started: the process that writes their lines. finish() waits for all that the ranks, which have
  // ended, wrote; what they left running may write no more.
  void start();
  void finish() const;

 private:
  [[noreturn]] void write_lines(int ranks_are_over) const;

  bool wanted_;
  int ends_[2] = {-1, -1};  // the next rank's ends of its two pipes
  std::vector<int> read_;   // ours, two for each rank
  int control_ = -1;        // closed when all ranks have ended
  pid_t writer_ = -1;
};

}  // namespace assay::abi
