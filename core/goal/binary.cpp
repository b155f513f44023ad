// GOAL as txt2bin of LogGOPSim writes it, little-endian and packed: the number 4223 in 8 bytes; ranks (4), the greatest
// cpu and nic (1 each); for each rank where its part begins and ends (8 each), counted from behind the first 8 bytes.
// A part: operations (4), those that wait for none (4) and their numbers (4 each); for each operation how many it waits
// for (4), kind (1: send, 2: recv, 3: calc), peer (4), size (8), tag (4), cpu and nic (1 each), and twice a count and a
// first place (4 each) in the list behind them: which operations wait for its end, and for its start.
#include <cstring>
#include <limits>

#include "goal/schedule.hpp"

namespace assay::goal {
namespace {
constexpr std::uint64_t cookie = 4223, used_cookie = 2342;
constexpr std::size_t head = 8, op_bytes = 39;

template <class Number>
Number at(std::string_view bytes, std::uint64_t place) {
  if (place > bytes.size() || bytes.size() - place < sizeof(Number))
    throw Fault(0, "the binary schedule ends early", "byte " + std::to_string(place));
  Number value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

RankOps part(std::string_view bytes, std::size_t ranks) {
  const auto count = at<std::uint32_t>(bytes, 0), roots = at<std::uint32_t>(bytes, 4);
  const std::uint64_t ops = 8 + std::uint64_t{4} * roots, list = ops + std::uint64_t{op_bytes} * count;
  if (list > bytes.size()) throw Fault(0, "the binary schedule ends early", std::to_string(count) + " operations");
  RankOps made;
  made.ops.reserve(count);
  std::vector<Lists::Pair> starts, ends;
  for (std::uint32_t each = 0; each < count; ++each) {
    const std::uint64_t place = ops + std::uint64_t{op_bytes} * each;
    const auto kind = at<std::uint8_t>(bytes, place + 4);
    if (kind < 1 || kind > 3) throw Fault(0, "an operation of unknown kind", std::to_string(kind), "1, 2 or 3");
    Op op;
    op.kind = kind == 1 ? Kind::send : kind == 2 ? Kind::recv : Kind::calc;
    op.size = at<std::uint64_t>(bytes, place + 9);
    if (op.size > 1ULL << 62) throw Fault(0, "a size out of bounds", std::to_string(op.size));
    const auto peer = at<std::uint32_t>(bytes, place + 5), tag = at<std::uint32_t>(bytes, place + 17);
    constexpr auto any = std::numeric_limits<std::uint32_t>::max();
    if (op.kind != Kind::calc) {
      const bool receives = op.kind == Kind::recv;
      if (!(receives && peer == any)) check_peer(0, peer, ranks);
      if (tag > any / 2 && !(receives && tag == any)) throw Fault(0, "a tag out of bounds", std::to_string(tag));
      op.peer = static_cast<int>(peer);
      op.tag = static_cast<int>(tag);
    }
    check_place(0, at<std::uint8_t>(bytes, place + 21), at<std::uint8_t>(bytes, place + 22));
    made.ops.push_back(op);
    for (auto* pairs : {&ends, &starts}) {
      const std::uint64_t entry = place + (pairs == &ends ? 23 : 31);
      const auto many = at<std::uint32_t>(bytes, entry), first = at<std::uint32_t>(bytes, entry + 4);
      for (std::uint64_t i = 0; i < many; ++i) {
        const auto later = at<std::uint32_t>(bytes, list + 4 * (first + i));
        if (later >= count) throw Fault(0, "no such operation", std::to_string(later));
        pairs->push_back({each, later});
      }
    }
  }
  made.close(starts, ends);
  return made;
}
}  // namespace

bool is_binary(std::string_view file) {
  if (file.size() < head) return false;
  const auto first = at<std::uint64_t>(file, 0);
  return first == cookie || first == used_cookie;
}

Schedule read_binary(std::string_view bytes) {
  if (at<std::uint64_t>(bytes, 0) == used_cookie)
    throw Fault(0, "LogGOPSim used this file up (--save-mem): write it again with txt2bin");
  bytes.remove_prefix(head);
  const auto count = at<std::uint32_t>(bytes, 0);
  if (count == 0 || count > most_ranks) throw Fault(0, "ranks", std::to_string(count), "1 to 4194304");
  if (bytes.size() / 16 < count) throw Fault(0, "the binary schedule ends early", std::to_string(count) + " ranks");
  Schedule made;
  for (std::uint64_t rank = 0; rank < count; ++rank) {
    const auto from = at<std::uint64_t>(bytes, 6 + 16 * rank), to = at<std::uint64_t>(bytes, 14 + 16 * rank);
    if (from > to || to > bytes.size())
      throw Fault(0, "the binary schedule ends early", "rank " + std::to_string(rank));
    made.ranks.push_back(part(bytes.substr(from, to - from), count));
  }
  return made;
}

}  // namespace assay::goal
