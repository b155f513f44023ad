// What programs share that communicate and compute at once: the parts of a reading, and what each side pays.
#pragma once

#include <vector>

#include "ranks/sampling.hpp"

namespace assay::ranks {

inline constexpr std::string_view overlapping_fragment = R"fragment(
[metric.communicating]
unit = "s"
help = "communicating alone"

[metric.computing]
unit = "s"
help = "the loop alone"

[metric.computing_kept]
unit = "1"
difference = true
help = "time of the loop alone over its time beside communicating"

[metric.communication_hidden]
unit = "1"
difference = true
help = "1 less the time of communicating outside the loop over its time alone"

[figure.together]
metric = "together"
unit = "s"
help = "both at once"

[figure.communicating]
metric = "communicating"
unit = "s"
help = "communicating alone"

[figure.computing]
metric = "computing"
unit = "s"
help = "the loop alone"

[figure.computing_kept]
metric = "computing_kept"
unit = "1"
better = "higher"
help = "part of its speed that computing keeps beside communicating"

[figure.communication_hidden]
metric = "communication_hidden"
unit = "1"
better = "higher"
headline = true
help = "part of communicating that computing hides"
)fragment";

// Of a reading, in seconds: each alone; both at once within the loop, and outside it.
struct Overlapped {
  double communicating = 0, computing = 0, inside = 0, outside = 0;
};

// The metrics beside `together`.
class OverlapSeries {
 public:
  void add(const Overlapped& one) {
    series_[0].values.push_back(one.communicating);
    series_[1].values.push_back(one.computing);
    series_[2].values.push_back(one.inside > 0 ? one.computing / one.inside : 1);
    series_[3].values.push_back(one.communicating > 0 ? 1 - one.outside / one.communicating : 1);
  }
  std::vector<Series>& all() { return series_; }

 private:
  std::vector<Series> series_{
      {"communicating", {}}, {"computing", {}}, {"computing_kept", {}}, {"communication_hidden", {}}};
};

}  // namespace assay::ranks
