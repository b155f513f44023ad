// What the records of programs that measure a message and its answer have in common.
#pragma once

#include <string_view>

namespace assay::ranks {

inline constexpr std::string_view round_trip_fragment = R"fragment(
[parameter.bytes]
type = "integer"
min = 0
max = 1073741824
unit = "B"
sweep = true
help = "length of the message each way"

[metric.round_trip]
unit = "s"
help = "from the send to the end of the receive at rank 0"

[figure.rate]
metric = "round_trip"
formula = "bytes / (value / 2)"
unit = "B/s"
better = "higher"
help = "one way: bytes over half a round trip"

[figure.half_round_trip]
metric = "round_trip"
formula = "value / 2"
unit = "s"
better = "lower"
help = "one way: half a round trip"
)fragment";

}  // namespace assay::ranks
