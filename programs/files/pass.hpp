// A pass: every process of it from a common start to its end, and what came of it: bytes and time by where the bytes
// came from, latencies, what opening, synchronising and closing took.
#pragma once

#include <map>
#include <vector>

#include "files/engine.hpp"
#include "timing/over_time.hpp"

namespace assay::files {

struct Moved {
  std::int64_t bytes = 0;
  double seconds = 0;
  double per_byte() const { return bytes > 0 ? seconds / static_cast<double>(bytes) : 0; }  // s/B
};

struct Operations {
  std::map<Source, Moved> moved;                  // the rates, by where bytes came from or went
  std::map<Source, std::vector<double>> latency;  // s, of each operation in the order of their beginnings
};

struct Outcome {
  Operations read, written;
  timing::OverTime over_time;            // of each process
  std::string calls;                     // where the bytes of the operations came from, or went: of `moved`
  double open = 0, sync = 0, close = 0;  // s, the longest of the processes
  double to_first = 0, to_last = 0;      // s, from the start until the first, the last process had done its blocks
  std::int64_t at_first = 0, bytes = 0;  // bytes that all had moved by then
  bool complete = true;                  // all blocks, not as many as the time allowed
  double held = 0;                       // part of the bytes that were in the page cache before
  std::string why;                       // where a label is unknown
};

class Files {  // the files of a work, in a folder; one process makes them
 public:
  Files(const Work& work, const OwnFolder& folder, const Storage& storage, std::uint64_t seed)
      : work_(work), folder_(folder), storage_(storage), seed_(seed) {}

  // Makes the files anew, empty: what a pass of writing begins with.
  void anew();
  // Makes them anew and writes all of their blocks: what is read.
  void fill();
  void remove() const;
  // Reads the files that `filled` wrote, which have the same names.
  void read_what(const Files& filled);
  // Takes them out of the page cache as far as a user may: fsync(2), then posix_fadvise(2).
  void drop() const;
  void warm(double share) const;  // reads the first part of each file

  Outcome pass();  // MeasurementFault for what went wrong in a process of it
  // Blocks that the last pass of writing (or `fill`) left and that are not byte by byte as written, read anew; and one
  // more where a pass read another block than it asked for.
  std::int64_t wrong();

 private:
  struct Done;
  Outcome gathered(Board& board, const Counters& counted) const;
  // Rates and latencies of the writes, or the reads, by source; the sources of their calls, in words.
  std::string judge_writes(const Done& done, Outcome& outcome) const;
  std::string judge_reads(const Done& done, Outcome& outcome) const;
  std::int64_t wrong_of_appended(std::int64_t file) const;
  double mark_held(Board& board) const;
  void wait(Board& board, const std::vector<int>& children) const;

  Work work_;
  const OwnFolder& folder_;
  const Storage& storage_;
  std::uint64_t seed_, version_ = 0;
  std::vector<std::vector<std::uint64_t>> versions_;  // of what each block holds, by process, turn; 0: nothing
  bool misplaced_ = false;                            // a block that a pass read was another's
};

}  // namespace assay::files
