// Processes that work on one thing in phases: all start a phase at once, and what each of them did when is kept in
// memory that they share. They are forked for a block and end with it, so that their time counts as the program's own.
// The process that forks them waits asleep, and does what comes between phases.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "files/waiting.hpp"
#include "timing/clock.hpp"
#include "timing/faults.hpp"

namespace assay::files {

// Plain values in a mapping that forked processes share.
template <class T>
class SharedArray {
 public:
  explicit SharedArray(std::size_t count) : bytes_(std::max<std::size_t>(1, count) * sizeof(T)) {
    void* place = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw timing::MeasurementFault("no memory that processes share");
    values_ = static_cast<T*>(place);
  }
  ~SharedArray() { munmap(values_, bytes_); }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  T& operator[](std::size_t at) { return values_[at]; }
  T* data() { return values_; }

 private:
  std::size_t bytes_;
  T* values_;
};

class Crowd {
 public:
  explicit Crowd(int members) : members_(members), common_(1) { new (common_.data()) Common; }

  // Each member calls `work(rank, phase)` for each of so many phases; after each, `between(phase)` is called here.
  // MeasurementFault where a member fails or is killed.
  template <class Work, class Between>
  void run(int phases, const Work& work, const Between& between) {
    Common& common = common_[0];
    new (&common) Common;
    std::vector<pid_t> children;
    const pid_t parent = getpid();
    for (int rank = 0; rank < members_; ++rank) {
      const pid_t child = fork();
      if (child == 0) serve(parent, rank, phases, work);
      if (child < 0) common.failed = true;
      if (child > 0) children.push_back(child);
    }
    const char* const refused = common.failed ? "the system refuses another process" : "";
    std::string fault;
    try {
      for (int phase = 0; phase < phases && !common.failed; ++phase) {
        meet(phase, 0, children);
        meet(phase, 1, children);
        if (!common.failed) between(phase);
      }
    } catch (const std::exception& wrong) {
      fault = wrong.what();
    }
    if (!fault.empty() || common.failed) {
      common.failed = true;
      for (const pid_t child : children)
        if (child > 0) kill(child, SIGKILL);
    }
    for (const pid_t child : children)
      while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
    if (fault.empty() && common.failed)
      fault = *refused          ? refused
              : common.fault[0] ? common.fault
                                : "a process that took part has ended before its time";
    if (!fault.empty()) throw timing::MeasurementFault(fault);
  }

 private:
  struct Common {
    std::atomic<int> arrived{0};  // counts on over all meetings
    std::atomic<bool> failed{false};
    char fault[200] = {};
  };

  // All members and this process, twice for each phase.
  int due(int phase, int side) const { return (2 * phase + side + 1) * (members_ + 1); }

  void meet(int phase, int side, std::vector<pid_t>& children) {
    Common& common = common_[0];
    ++common.arrived;
    while (common.arrived < due(phase, side) && !common.failed) {
      usleep(50);
      for (pid_t& child : children) {
        int status = 0;
        if (child <= 0 || waitpid(child, &status, WNOHANG) != child) continue;
        child = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) common.failed = true;
      }
    }
  }

  template <class Work>
  [[noreturn]] void serve(pid_t parent, int rank, int phases, const Work& work) {
    Common& common = common_[0];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    const Patience patience;
    const auto wait = [&](int phase, int side) {
      ++common.arrived;
      patience.until([&] { return common.arrived >= due(phase, side) || common.failed; });
      if (common.failed) _exit(1);
    };
    try {
      for (int phase = 0; phase < phases; ++phase) {
        wait(phase, 0);
        work(rank, phase);
        wait(phase, 1);
      }
    } catch (const std::exception& fault) {
      std::snprintf(common.fault, sizeof common.fault, "%s", fault.what());
      common.failed = true;
      _exit(1);
    }
    _exit(0);
  }

  int members_;
  SharedArray<Common> common_;
};

}  // namespace assay::files
