// How long a launch measures at most, so that it ends in a time that is known beforehand also where others' work has
// the processors and each message waits for its rank's turn.
//
// That is twelve times its slices, ten seconds at least: on a quiet machine no block takes much more than eight. A
// block may take twice its equal share of what is left. Every case is measured in one block at least, with one run of
// readings at least; the other blocks are left out when the time is over. Which blocks were cut short is said in a
// note. Pure: it is given times and reads no clock, so that its rules are tested without one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

namespace assay::ranks {

class LaunchTime {
 public:
  static constexpr double slices = 12, least = 10;  // s

  // `blocks`: of all cases together.
  LaunchTime(double slice, std::int64_t blocks)
      : most_(std::max(least, slices * slice * static_cast<double>(blocks))), blocks_(blocks) {}

  double most() const { return most_; }  // s
  bool over(double elapsed) const { return elapsed >= most_; }
  // What the next block may take, in s, when so many have passed.
  double share(double elapsed) const {
    return 2 * std::max(0.0, most_ - elapsed) / static_cast<double>(std::max<std::int64_t>(1, blocks_ - done_));
  }
  void measured(bool whole) {
    ++done_;
    shorter_ += !whole;
  }
  // What was cut short, in words; empty where nothing was.
  std::string cut() const {
    if (done_ == blocks_ && shorter_ == 0) return "";
    char most[32];
    std::snprintf(most, sizeof most, "%.3g", most_);
    std::string text = std::string("cut short, as measuring takes at most ") + most + " s in a launch: ";
    text += std::to_string(done_) + " of " + std::to_string(blocks_) + " blocks were measured";
    if (shorter_ > 0) text += ", " + std::to_string(shorter_) + " of them not for their whole slice";
    return text;
  }

 private:
  double most_;
  std::int64_t blocks_, done_ = 0, shorter_ = 0;
};

}  // namespace assay::ranks
