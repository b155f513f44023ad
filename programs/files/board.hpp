// What the processes of a pass share, in memory: when to begin, what each operation took and found, what went wrong.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <new>

#include "files/source.hpp"
#include "files/work.hpp"
#include "timing/faults.hpp"

namespace assay::files {

struct Operation {
  std::int64_t began = 0, took = -1;  // ns since the common start; -1: not done
  Found found = Found::nothing;
  bool write = false;
};

struct Worker {  // one process of a pass
  std::atomic<bool> ready{false}, ended{false};
  std::atomic<std::int64_t> next{0}, done{0};      // turns taken, operations that ended
  double busy = 0, open = 0, sync = 0, close = 0;  // s
  bool wrong = false;                              // a block was not what was written
  char fault[256] = "";
};

class Board {
 public:
  explicit Board(const Work& work)
      : processes_(work.processes),
        blocks_(work.blocks),
        bytes_(sizeof(std::atomic<std::int64_t>) + static_cast<std::size_t>(processes_) * sizeof(Worker) +
               static_cast<std::size_t>(processes_ * blocks_) * sizeof(Operation)) {
    void* found = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) throw timing::MeasurementFault("no memory for the times of a pass's operations");
    start_ = new (found) std::atomic<std::int64_t>(0);
    workers_ = reinterpret_cast<Worker*>(start_ + 1);
    for (std::int64_t at = 0; at < processes_; ++at) new (workers_ + at) Worker();
    operations_ = reinterpret_cast<Operation*>(workers_ + processes_);
    for (std::int64_t at = 0; at < processes_ * blocks_; ++at) new (operations_ + at) Operation();
  }
  ~Board() { munmap(start_, bytes_); }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  std::atomic<std::int64_t>& start() { return *start_; }  // of now_ns(); 0 before
  Worker& worker(std::int64_t process) { return workers_[process]; }
  Operation& operation(std::int64_t process, std::int64_t turn) { return operations_[process * blocks_ + turn]; }

 private:
  std::int64_t processes_, blocks_;
  std::size_t bytes_;
  std::atomic<std::int64_t>* start_;
  Worker* workers_;
  Operation* operations_;
};

}  // namespace assay::files
