// Rate and latency over time: of each process or rank of a pass a histogram for each slot of time in which operations
// ended, as one line (event `over_time`). A slot is a tenth of a second, in passes of 10 s and more a second.
//
//   case        the pass's parameters, with `source`: where the bytes came from, or went
//   pass        which pass of the launch
//   process     which process or rank of the pass
//   ended       when its last operation had, s since the pass began
//   second      when the slot began, s since the pass began
//   slot        its width, s
//   bytes       of the operations that ended in it
//   latencies   theirs, as timing/histogram.hpp writes them
#pragma once

#include <map>
#include <utility>

#include "timing/histogram.hpp"

namespace assay::timing {

class OverTime {
 public:
  // `last`: when the pass's last operation ended, ns since its beginning.
  explicit OverTime(std::int64_t last = 0) : slot_(last >= 10 * second ? second : second / 10) {}

  void add(std::int64_t process, std::int64_t ended, std::int64_t took) {  // ns
    slots_[{process, ended / slot_}].add(took);
    std::int64_t& latest = ended_[process];
    latest = std::max(latest, ended);
  }

  // Gives each line to `write`.
  template <class Write>
  void lines(const Json& about, std::int64_t pass, std::int64_t bytes, const Write& write) const {
    const double width = 1e-9 * static_cast<double>(slot_);
    for (const auto& [which, latencies] : slots_) {
      Json line;
      line.text("event", "over_time").object("case", about).integer("pass", pass).integer("process", which.first);
      line.number("ended", 1e-9 * static_cast<double>(ended_.at(which.first)));
      line.number("second", 1e-9 * static_cast<double>(which.second * slot_)).number("slot", width);
      write(line.integer("bytes", latencies.count() * bytes).object("latencies", latencies.json()));
    }
  }

 private:
  static constexpr std::int64_t second = 1'000'000'000;
  std::int64_t slot_;
  std::map<std::pair<std::int64_t, std::int64_t>, Histogram> slots_;
  std::map<std::int64_t, std::int64_t> ended_;
};

}  // namespace assay::timing
