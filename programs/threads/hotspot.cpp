// Updates of one shared variable by 1 to p threads at once (Dunigan 1995, section 3, Tables 3.2 and 3.3): without a
// lock, where updates get lost, as the report did it; by an atomic addition; and of variables of their own, which share
// a cache line (false sharing) or do not (padded).
#include <algorithm>

#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "hotspot"
title = "Hot spot"
part = "threads"
kind = "node"
summary = "time of an update of a shared variable: unlocked, atomic, and of neighbours in one cache line or apart"
cost = "one operation: every thread adds one once"
check = "atomic, falsely shared and padded: no addition lost; unlocked: some are kept, and no more than were made"
source = "Dunigan 1995, section 3, Tables 3.2 and 3.3"
published = ["threads.hotspot"]
slice_quick = 0.005
slice_standard = 0.015
blocks_quick = 3
blocks_standard = 5

[parameter.update]
type = "choice"
default = ["unlocked", "atomic", "false_sharing", "padded"]
choices = ["unlocked", "atomic", "false_sharing", "padded"]
sweep = true
help = "unlocked and atomic: all threads update one variable; false_sharing and padded: each its own, in one cache line or in lines of their own"

[parameter.threads]
from = "threads/parameters.hpp"

[metric.time]
unit = "s"
help = "time in which every thread updates once"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "as each thread sees it: from one update to the next"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

using Word = std::atomic<std::int64_t>;
constexpr std::size_t far = threads::line_bytes / sizeof(Word);

struct Spot {
  explicit Spot(std::size_t words) : values(words + far) {
    const auto at = reinterpret_cast<std::uintptr_t>(values.data());
    // A count of words, bytes over the size of one: the check takes the division for bytes added to a pointer.
    const std::size_t skipped = (threads::line_bytes - at % threads::line_bytes) % threads::line_bytes / sizeof(Word);
    first = values.data() + skipped;
  }
  std::vector<Word> values;
  Word* first;
  std::int64_t made = 0;
};

[[gnu::noinline]] void add_plain(Word& word, std::int64_t times) {  // a load, an addition, a store: updates may be lost
  for (; times > 0; --times) {
    word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    touched();
  }
}

[[gnu::noinline]] void add_atomic(Word& word, std::int64_t times) {
  for (; times > 0; --times) word.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  return run_program(record, argc, argv, [&](Case& at) {
    const int members = static_cast<int>(at.integer("threads"));
    if (!team->holds(at, members)) return;
    const std::string update = at.choice("update");
    const bool one = update == "unlocked" || update == "atomic";
    const std::size_t apart = update == "padded" ? far : update == "false_sharing" ? 1 : 0;
    const auto add = update == "atomic" ? &add_atomic : &add_plain;
    auto spot = std::make_shared<Spot>(static_cast<std::size_t>(members) * std::max<std::size_t>(1, apart));
    const auto work = [=](std::int64_t operations) {
      team->run(members, [&](int rank) { add(spot->first[static_cast<std::size_t>(rank) * apart], operations); });
#ifdef ASSAY_BREAK
      if (update == "atomic") spot->first[0].fetch_sub(1);
#endif
      spot->made += operations;
    };
    at.measure("time", work, {.reading = threads::least_reading});
    at.check([=] {
      const std::int64_t all = spot->made * members;
      std::int64_t kept = 0;
      for (int rank = 0; rank < (one ? 1 : members); ++rank)
        kept += spot->first[static_cast<std::size_t>(rank) * apart].load();
      const bool right = update == "unlocked" ? kept > 0 && kept <= all : kept == all;
      return Check{right, std::to_string(kept) + " of " + std::to_string(all) + " additions kept"};
    });
  });
}
