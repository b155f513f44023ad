// Sorting of whole numbers of 64 bits: ours by bytes, the library is the C++ standard library's std::sort. Beyond
// EuroBen's programs: its module 2 is of numerical algorithms only.
#include <algorithm>
#include <map>
#include <memory>

#include "kernels/sorting_kernel.hpp"
#include "libraries/code.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "sorting"
title = "Sorting"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "random keys of 64 bits sorted on one thread: by bytes (radix), and by std::sort"
cost = "keys per second; by bytes each pass reads and writes 16 bytes a key; the copy of the keys into place is part of the time"
check = "each key not below the one before it, and the same keys as were given: count, sum, and sum of a mixed value of each (splitmix64), modulo 2^64"
source = "Knuth 1973, section 5.2.5; not of EuroBen"
slice_standard = 0.01

[unit.kernel]
source = "kernels/loops/sorting.cpp"

[parameter.code]
from = "libraries/code.hpp"
help = "library: std::sort of the C++ standard library; ours: by bytes, the least first"

[parameter.size]
type = "integer"
default = [1000, 30000, 200000]
full = [1000, 30000, 200000, 1000000, 10000000]
min = 1
max = 1000000000
unit = "1"
sweep = true
help = "keys; small lots are taken in turn from 2^20 keys, so that no branch can be learnt"

[metric.time]
unit = "s"
help = "time of a sort, the copy of the keys into place included"

[figure.rate]
metric = "time"
formula = "size / value"
unit = "1/s"
better = "higher"
headline = true
help = "keys per second"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of a sort"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

// Many lots of keys where a lot is small: a processor would learn the branches of one that is sorted again and again.
struct Keys {
  explicit Keys(std::int64_t size)
      : count(static_cast<std::size_t>(size)),
        given(std::max<std::size_t>(1, least_keys / count) * count),
        sorted(count),
        spare(count) {
    std::uint64_t state = 1;
    for (std::uint64_t& key : given) key = random_bits(state);
  }
  void restore() {  // the next lot into place
    lot = (lot + count) % given.size();
    std::copy_n(&given[lot], count, sorted.data());
    found = sorted.data();
  }
  static constexpr std::size_t least_keys = 1 << 20;
  std::size_t count, lot = 0;
  std::vector<std::uint64_t> given, sorted, spare;
  const std::uint64_t* found = nullptr;
};

struct Contents {  // of keys in any order
  std::uint64_t sum = 0, mixed = 0;
  bool operator==(const Contents&) const = default;
};

Contents contents(const std::uint64_t* keys, std::size_t count) {
  Contents found;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t state = keys[i];
    found.sum += keys[i];
    found.mixed += random_bits(state);
  }
  return found;
}

Check verify(const Keys& of) {
  std::size_t falling = 0;
  for (std::size_t i = 1; i < of.count; ++i) falling += of.found[i] < of.found[i - 1];
  const bool same = contents(of.found, of.count) == contents(&of.given[of.lot], of.count);
  return {falling == 0 && same, std::to_string(of.count) + " keys: " + std::to_string(falling) +
                                    " below the one before; " + (same ? "the same" : "not the same") +
                                    " keys as were given"};
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::int64_t, std::shared_ptr<Keys>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    const std::int64_t count = at.integer("size");
    auto& of = kept[count];
    if (!of) of = std::make_shared<Keys>(count);
    const bool ours = at.choice("code") == "ours";
    if (!ours) at.note("library: std::sort of " + compiler_name() + "'s C++ library");
    const auto work = [of, ours, count](std::int64_t sorts) {
      for (; sorts > 0; --sorts) {
        of->restore();
        if (ours) of->found = kernels::sort_by_bytes(of->sorted.data(), of->spare.data(), count);
#ifndef ASSAY_BREAK
        if (!ours) std::sort(of->sorted.begin(), of->sorted.end());
#endif
        touched();
      }
    };
    at.measure("time", work);
    at.check([=] {
      work(1);
      return verify(*of);
    });
  });
}
