// Circuits on a complete hypercube with e-cube routing, without tables: what the first machines of the catalogue are,
// up to a million nodes and more, where the general engine's links would not fit into memory.
//
// The rules are the general engine's for circuit switching (worm/general.hpp), with one channel per link: a head asks
// for one link after the other, h ticks apart; a link is a word (free_from.hpp), the tick from which it is free,
// possibly ahead of now, or held with the tail of its first-in-first-out queue. When the last link is granted
// everything is known: the circuit stands, the data stream, and every link's release with it, so that its first waiter
// is granted that tick at once.
// The words of all nodes' links of one kind lie together (into the router, out of it, by each dimension): where many
// nodes send in the same way, as programs do, memory is walked from end to end.
// A head's next event is nearly always a fixed time ahead, so that rings hold what would otherwise be a heap's. A tick
// in which messages are submitted and nothing else happens is served with the later one in which they enter their
// routers, if nothing lies between: no head inside the cube wants a node's way in, so that the order among them is the
// same.
#include <algorithm>
#include <bit>

#include "events/in_order.hpp"
#include "events/large_pages.hpp"
#include "events/prefetch.hpp"
#include "events/radix_heap.hpp"
#include "events/radix_sort.hpp"
#include "network/bounds.hpp"
#include "network/live/free_from.hpp"
#include "network/live/make.hpp"
#include "network/traffic/open_loop.hpp"

namespace assay::network {
namespace {

struct Timing {
  std::uint32_t dimension;
  std::uint32_t flit, body, head, node_flit, node_body, node_head, acknowledgement, sink;
  bool by_end;  // all links are released at once, behind the tail
  bool lowest;  // dimensions are crossed from the lowest on, else from the highest
};

class CircuitCube final : public Live {
 public:
  explicit CircuitCube(const Timing& timing)
      : t_(timing), words_(std::size_t{timing.dimension + ways} << timing.dimension), worms_(nodes_), behind_(nodes_) {}

  [[nodiscard]] std::uint32_t nodes() const override { return nodes_; }
  [[nodiscard]] std::uint32_t hops(std::uint32_t from, std::uint32_t to) const override {
    return static_cast<std::uint32_t>(std::popcount(from ^ to));
  }
  [[nodiscard]] std::uint64_t unloaded(std::uint32_t links, std::uint32_t flits) const override {
    const std::uint64_t inner = links - 2;
    return 2 * std::uint64_t{t_.node_head} + inner * t_.head + std::uint64_t{links} * t_.acknowledgement +
           t_.node_body + inner * t_.body + slowest(links) * (flits - 1) + std::max(t_.node_flit, t_.node_body);
  }
  [[nodiscard]] bool keeps_order() const override { return true; }
  void submit(std::uint64_t cycle, std::uint32_t source, std::uint32_t destination, std::uint32_t flits,
              std::uint32_t cookie) override {
    std::uint32_t index = source;
    if (worms_[source].flits == 0) {  // its own place
    } else if (free_.empty()) {
      index = static_cast<std::uint32_t>(worms_.size());
      worms_.emplace_back();
      behind_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    worms_[index] = {cycle, source, source, destination, cookie, created_, flits, 0};
    push(submitted_, {cycle, index, created_++});
  }
  void fetch(std::uint32_t source) const override { events::prefetch(&worms_[source]); }
  [[nodiscard]] std::uint64_t next() const override {
    return std::min({events_.first(), submitted_.first(), entering_.first(), crossing_.first()});
  }
  bool serve(std::vector<Report>& reports) override {
    reports_ = &reports;
    const std::size_t count = served_ < batch_.size() ? batch_.size() : begin(),
                      most = reports.size() + reports_together;
    for (; served_ < count && reports.size() < most; ++served_) {
      if (far_ && served_ + 24 < count) events::prefetch(&worms_[batch_[served_ + 24].index]);
      if (far_ && served_ + 12 < count) fetch(worms_[batch_[served_ + 12].index]);
      ask(batch_[served_].index, now_, inside_);
    }
    return served_ < count;
  }
  /// All take the dimensions in one order: nobody waits in a circle.
  [[nodiscard]] std::string stuck() const override { return ""; }
  [[nodiscard]] std::size_t memory() const override {
    return words_.memory() + worms_.capacity() * sizeof(Worm) + (behind_.capacity() + free_.capacity()) * 4 +
           events_.memory() + submitted_.memory() + entering_.memory() + crossing_.memory();
  }
  [[nodiscard]] const char* engine() const override { return "circuit cube"; }

 private:
  struct alignas(32) Worm {
    std::uint64_t born;
    std::uint32_t here;  // the router that its head stands at
    std::uint32_t source, destination, cookie;
    std::uint32_t key;  // counts the messages, round and round: those alive are less than half a round apart
    std::uint32_t flits : 31 = 0;
    std::uint32_t entered : 1;
    [[nodiscard]] std::uint32_t rest() const { return here ^ destination; }  // dimensions still to be crossed
  };
  static_assert(sizeof(Worm) == 32);
  static constexpr std::size_t reports_together = 1024;              // so that it is still in a cache when it is read
  static constexpr std::uint32_t way_in = 0, way_out = 1, ways = 2;  // kinds of links
  struct Event {
    std::uint64_t at;
    std::uint32_t index, key;
  };
  struct Granted {
    std::uint32_t worm;
    std::uint64_t time;
  };

  [[nodiscard]] std::size_t link(std::uint32_t kind, std::uint32_t node) const {
    return std::size_t{kind} << t_.dimension | node;
  }
  /// Which of the dimensions that are left comes next.
  [[nodiscard]] std::uint32_t first(std::uint32_t rest) const {
    return static_cast<std::uint32_t>(t_.lowest ? std::countr_zero(rest) : std::bit_width(rest) - 1);
  }
  [[nodiscard]] std::uint64_t slowest(std::uint32_t links) const {
    return std::max({t_.node_flit, t_.sink, links > 2 ? t_.flit : 0});
  }
  /// The word of the link that the head wants next.
  [[nodiscard]] std::size_t wanted(const Worm& w) const {
    if (!w.entered) return link(way_in, w.here);
    return link(w.rest() == 0 ? way_out : ways + first(w.rest()), w.here);
  }
  /// The words that the worm's request will touch: on its last link those of its whole path.
  void fetch(const Worm& w) const {
    if (!w.entered) return events::prefetch(&words_[link(ways + first(w.rest()), w.source)]);
    events::prefetch(&words_[wanted(w)]);
    if (w.rest() != 0) return;
    std::uint32_t here = w.source;
    events::prefetch(&words_[link(way_in, here)]);
    for (std::uint32_t rest = w.source ^ w.destination; rest != 0;) {
      const std::uint32_t across = first(rest);
      events::prefetch(&words_[link(ways + across, here)]);
      here ^= 1u << across;
      rest ^= 1u << across;
    }
  }
  void push(events::InOrder<Event>& ring, Event event) {
    ring.takes(event.at) ? ring.push(event) : events_.push(event);
  }
  /// A head that was held up comes out of turn: a ring would then take nobody behind it.
  void push(events::InOrder<Event>& ring, Event event, bool in_turn) {
    in_turn ? push(ring, event) : events_.push(event);
  }
  /// Gathers what is served together; how many events.
  std::size_t begin() {
    const std::uint64_t others = std::min({events_.first(), entering_.first(), crossing_.first()});
    now_ = next();
    words_.pass(now_);
    inside_ = others >= now_ + t_.node_head ? now_ + t_.node_head : now_;
    served_ = 0;
    gather(inside_, now_);
    return batch_.size();
  }
  /// All events of a tick, and the submissions of another, by key, the order of submission. What a ring holds of one
  /// tick was mostly put in in that order, and what enters is newer than what is inside.
  void gather(std::uint64_t at, std::uint64_t submitted) {
    const auto earlier = [](const Event& a, const Event& b) { return static_cast<std::int32_t>(a.key - b.key) < 0; };
    batch_.clear();
    while (events_.first() == at) batch_.push_back(events_.pop());
    entering_.pop_all(at, batch_);
    const auto odd = static_cast<std::ptrdiff_t>(batch_.size());
    crossing_.pop_all(at, batch_);
    submitted_.pop_all(submitted, batch_);
    if (!std::is_sorted(batch_.begin() + odd, batch_.end(), earlier)) {
      sort(earlier);
    } else if (odd > 0) {
      std::sort(batch_.begin(), batch_.begin() + odd, earlier);
      if (static_cast<std::size_t>(odd) == batch_.size() || earlier(batch_[odd - 1], batch_[odd])) return;
      room_.resize(std::max(room_.size(), batch_.size()));
      std::merge(batch_.begin(), batch_.begin() + odd, batch_.begin() + odd, batch_.end(), room_.begin(), earlier);
      std::copy_n(room_.begin(), batch_.size(), batch_.begin());
    }
  }
  template <class Earlier>
  void sort(Earlier earlier) {
    if (batch_.size() < 512) return std::sort(batch_.begin(), batch_.end(), earlier);
    const std::uint32_t from = std::min_element(batch_.begin(), batch_.end(), earlier)->key;
    const std::uint32_t last = std::max_element(batch_.begin(), batch_.end(), earlier)->key;
    events::radix_sort(batch_, room_, last - from, [from](const Event& event) { return event.key - from; });
  }
  /// A head outside asks for its way in now; one that is inside, or is then at once, for its next link at `inside`.
  void ask(std::uint32_t index, std::uint64_t now, std::uint64_t inside) {
    Worm& w = worms_[index];
    const std::size_t link = wanted(w);
    if (words_[link] >= held) [[unlikely]] {
      wait(words_[link], index);
      return;
    }
    const std::uint64_t requested = w.entered ? inside : now, granted = std::max(words_.of(link), requested);
    words_.hold(link);
    if (!w.entered && granted == now && inside > now) {
      w.entered = 1;
      return ask(index, now, inside);
    }
    cross(index, granted, granted == requested);
    if (!granted_.empty()) settle();
  }
  void wait(std::uint32_t& word, std::uint32_t index) {
    if (word == held_alone) {
      behind_[index] = index;
    } else {
      std::uint32_t& tail = behind_[word & ~held];
      behind_[index] = tail;
      tail = index;
    }
    word = held | index;
  }
  /// The head starts over the link that it wanted.
  void cross(std::uint32_t index, std::uint64_t time, bool in_turn) {
    Worm& w = worms_[index];
    if (!w.entered) {
      w.entered = 1;
      push(entering_, {time + t_.node_head, index, w.key}, in_turn);
    } else if (const std::uint32_t rest = w.rest(); rest != 0) {
      w.here ^= 1u << first(rest);
      push(crossing_, {time + t_.head, index, w.key}, in_turn);
    } else {
      stream(index, time);
    }
  }
  /// The circuit stands when the head has crossed the last link; the acknowledgement goes back, then the data stream.
  void stream(std::uint32_t index, std::uint64_t head) {
    const Worm w = worms_[index];
    const auto links = static_cast<std::uint32_t>(std::popcount(w.source ^ w.destination)) + 2;
    const std::uint64_t start = head + t_.node_head + std::uint64_t{links} * t_.acknowledgement;
    const std::uint64_t length = slowest(links) * (w.flits - 1);
    const std::uint64_t last = start + t_.node_body + std::uint64_t{links - 2} * t_.body;
    const std::uint64_t end = last + t_.node_body + length + 1;
    std::uint64_t tail = start + length;
    const std::uint64_t left = t_.by_end ? end : tail + t_.node_flit;
    release(link(way_in, w.source), left);
    tail += t_.node_body;
    std::uint32_t here = w.source;
    for (std::uint32_t rest = w.source ^ w.destination; rest != 0;) {
      const auto across = first(rest);
      release(link(ways + across, here), t_.by_end ? end : tail + t_.flit);
      tail += t_.body;
      here ^= 1u << across;
      rest ^= 1u << across;
    }
    release(link(way_out, here), t_.by_end ? end : tail + t_.node_flit);
    const std::uint64_t arrival = std::max(tail + std::max(t_.node_flit, t_.node_body), head + t_.node_head);
    Report& report = reports_->emplace_back();
    report.what = Report::What::through;
    report.cookie = w.cookie;
    report.time = arrival;
    report.left = left;
    report.born = w.born;
    report.hops = links;
    report.flits = w.flits;
    worms_[index].flits = 0;
    if (index >= nodes_) free_.push_back(index);
  }
  void release(std::size_t link, std::uint64_t time) {
    std::uint32_t& word = words_[link];
    if (word == held_alone) [[likely]] {
      words_.set(link, time);
      return;
    }
    const std::uint32_t tail = word & ~held;
    const std::uint32_t first = behind_[tail];
    if (first == tail)
      word = held_alone;
    else
      behind_[tail] = behind_[first];
    granted_.push_back({first, time});
  }
  /// Waiters that were granted while a path was walked: a work list instead of recursion.
  void settle() {
    while (!granted_.empty()) {
      const Granted one = granted_.back();
      granted_.pop_back();
      cross(one.worm, one.time, false);
    }
  }

  const Timing t_;
  const std::uint32_t nodes_ = 1u << t_.dimension;
  const bool far_ = t_.dimension > 12;  // words lie too far apart for a cache
  FreeFrom words_;
  events::LargeVector<Worm> worms_;            // a node's own, then those of nodes that have several under way
  events::LargeVector<std::uint32_t> behind_;  // in the queue that a worm stands in; behind the last the first
  std::vector<std::uint32_t> free_;
  events::LargeVector<Event> batch_, room_;
  std::vector<Granted> granted_;
  events::InOrder<Event> submitted_, entering_, crossing_;
  events::RadixHeap<Event> events_;  // those that a ring would not take
  std::vector<Report>* reports_ = nullptr;
  std::uint64_t now_ = 0, inside_ = 0;  // of what is being served: the tick, and that of heads inside
  std::size_t served_ = 0;              // of the batch
  std::uint32_t created_ = 0;
};

std::optional<std::int64_t> integer(const Table& keys, const char* key, std::int64_t otherwise) {
  const auto found = keys.find(key);
  if (found == keys.end() || found->second.absent()) return otherwise;
  const auto* held_value = std::get_if<std::int64_t>(&found->second.held);
  return held_value ? std::optional(*held_value) : std::nullopt;
}
bool is_text(const Table& keys, const char* key, const char* wanted) {
  const auto found = keys.find(key);
  if (found == keys.end() || found->second.absent()) return true;
  const auto* text = std::get_if<std::string>(&found->second.held);
  return text != nullptr && *text == wanted;
}

// What the keys say of one; nothing where they describe another network, or a wrong one.
std::optional<Timing> timing_of(const Table& keys, const Switching& how) {
  static constexpr const char* ours[] = {"topology",        "routing",         "dimension",       "order",
                                         "flit_ticks",      "body_ticks",      "head_ticks",      "buffer_flits",
                                         "node_flit_ticks", "node_body_ticks", "node_head_ticks", "credit_ticks"};
  static constexpr const char* ones[] = {"channels", "injection_channels", "ejection_channels", "lanes"};
  if (how.switching != "circuit" || how.packet_flits != 0 || how.header_flits != 0 || how.engine != "auto")
    return std::nullopt;
  for (const auto& [key, value] : keys) {
    const auto* list = std::get_if<Value::List>(&value.held);
    const auto* flag = std::get_if<bool>(&value.held);
    if (value.absent() || (list != nullptr && list->empty()) || (flag != nullptr && !*flag)) continue;
    if (std::find(std::begin(ours), std::end(ours), key) != std::end(ours)) continue;
    if (std::find(std::begin(ones), std::end(ones), key) == std::end(ones) || integer(keys, key.c_str(), 1) != 1)
      return std::nullopt;
  }
  const bool highest = is_text(keys, "order", "highest-first"), lowest = is_text(keys, "order", "lowest-first");
  const auto topology = keys.find("topology");
  const auto dimension = integer(keys, "dimension", -1);
  if (topology == keys.end() || !is_text(keys, "topology", "hypercube") || !is_text(keys, "routing", "e-cube") ||
      (!highest && !lowest) || !dimension || *dimension < 1 || *dimension > most_dimensions)
    return std::nullopt;
  const auto ticks = [&](const char* key, std::int64_t otherwise) {
    return integer(keys, key, otherwise).value_or(-1);
  };
  const std::int64_t flit = ticks("flit_ticks", 1), body = ticks("body_ticks", 1), head = ticks("head_ticks", 1);
  const std::int64_t all[] = {
      flit, body, head, ticks("node_flit_ticks", flit), ticks("node_body_ticks", body), ticks("node_head_ticks", head)};
  for (const auto each : all)
    if (each < 0 || each > 1'000'000'000) return std::nullopt;  // the general engine says what is wrong
  if (head < 1 || all[5] < 1 || flit < 1 || all[3] < 1 || how.sink_ticks < 1) return std::nullopt;
  const auto u = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  return Timing{u(*dimension),     u(flit),
                u(body),           u(head),
                u(all[3]),         u(all[4]),
                u(all[5]),         how.acknowledgement,
                how.sink_ticks,    how.circuit_release == "end",
                lowest && !highest};
}
}  // namespace

std::unique_ptr<Live> make_circuit_cube(const Table& keys, const Switching& how) {
  const auto timing = timing_of(keys, how);
  return timing ? std::make_unique<CircuitCube>(*timing) : nullptr;
}

std::optional<std::uint32_t> circuit_cube_nodes(const Table& keys, const Switching& how) {
  const auto timing = timing_of(keys, how);
  return timing ? std::optional(1u << timing->dimension) : std::nullopt;
}

}  // namespace assay::network
