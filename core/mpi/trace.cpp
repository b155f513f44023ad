#include "mpi/trace.hpp"

#include <algorithm>
#include <utility>

#include "ranks/communicator.hpp"
#include "ranks/goal_text.hpp"

namespace assay::mpirun {
namespace {

using abi::Does;

constexpr std::uint64_t wide = std::uint64_t{1} << 63;

std::uint64_t key_of(std::int32_t word, std::uint64_t wide_tag) {
  return word == abi::wide_word ? wide | (wide_tag & abi::wide_compared)
                                : std::uint64_t{static_cast<std::uint32_t>(word)};
}

// Whether messages of any tag are taken, from then on in the order of their sends (World::takes_any_tag).
bool takes_any_tag(const abi::Op& op) {
  switch (op.does) {
    case Does::irecv:
    case Does::probe:
    case Does::iprobe:
    case Does::claim:
      return op.word == abi::wide_word ? (op.bytes2 & abi::wide_tag) != 0 : op.word < 0;
    case Does::sendrecv:
      return op.word2 < 0;
    default:
      return false;
  }
}

// A rank's tags end at ranks::last_tag. The first ones are each another, the rest are used in turn: messages of one tag
// that far from each other are received in the order of their sends.
constexpr std::uint64_t own_tags = 20'000, in_turn = 10'000;
static_assert(own_tags + in_turn == ranks::last_tag + 1);
int small(std::uint64_t number) { return static_cast<int>(number < own_tags ? number : own_tags + number % in_turn); }

}  // namespace

Trace::Trace(int ranks, bool describes_ready, bool keeps_order)
    : ranks_(static_cast<std::size_t>(ranks)), describes_ready_(describes_ready), keeps_order_(keeps_order) {
  for (int rank = 0; rank < ranks; ++rank) {
    auto& main = ranks_[static_cast<std::size_t>(rank)].main;
    main = std::make_unique<Strand>();
    main->rank = rank;
  }
}

std::uint32_t Trace::acts(Strand& strand, Kind kind, std::uint64_t size, int peer, std::uint64_t key, bool blocking) {
  auto& all = of(strand).acts;
  const auto number = static_cast<std::uint32_t>(all.size());
  all.push_back({kind, false, peer, 0, size, key, std::exchange(strand.place, {{number, blocking}})});
  return number;
}

void Trace::sends(Strand& strand, const abi::Op& op) {
  const auto mode = static_cast<abi::SendMode>(op.mode);
  synchronous_ += mode == abi::SendMode::synchronous;
  ready_ += mode == abi::SendMode::ready && describes_ready_;
  const bool blocking = op.does == Does::send;
  const auto act = acts(strand, Kind::send, op.bytes, op.peer, key_of(op.word, op.at2), blocking);
  if (!blocking) of(strand).under_way[op.slot] = {act, &strand, {{act, true}}};
}

void Trace::posts(Strand& strand, const abi::Op& op, std::uint64_t key) {
  const auto act = acts(strand, Kind::recv, op.bytes, op.peer, key, false);
  of(strand).under_way[op.slot] = {act, &strand, {{act, true}}};
}

void Trace::plays(Strand& strand, const abi::Op& op) {
  any_tag_ += !keeps_order_ && takes_any_tag(op);
  switch (op.does) {
    case Does::send:
    case Does::isend:
      return sends(strand, op);
    case Does::irecv:
      return posts(strand, op, key_of(op.word, op.at2));
    case Does::claim:
      of(strand).claimed[op.slot] = key_of(op.word, op.at2);
      return;
    case Does::receive_claimed:
      return posts(strand, op, of(strand).claimed[op.slot]);
    case Does::sendrecv:
      strand.exchange = acts(strand, Kind::recv, op.bytes2, op.peer2, key_of(op.word2, 0), false);
      acts(strand, Kind::send, op.bytes, op.peer, key_of(op.word, 0), true);
      strand.place.emplace_back(strand.exchange, true);
      return;
    case Does::compute:
      return computes(strand, static_cast<std::int64_t>(op.bytes));
    case Does::starts:
    case Does::wait:
    case Does::wait_any:
    case Does::test:
    case Does::probe:
    case Does::iprobe:
    case Does::cancel:
    case Does::behind:
    case Does::copy:
    case Does::reduce:
    case Does::begins:
    case Does::ends:
    case Does::finishes:
    case Does::aborts:
      return;
    case Does::barrier:
      lacks_ = "a barrier of the machine's own";
      return;
    default:
      lacks_ = "one-sided messages";
  }
}

void Trace::computes(Strand& strand, std::int64_t picoseconds) {
  strand.spare += picoseconds;
  const std::int64_t whole = strand.spare / 1000;
  strand.spare %= 1000;
  if (whole > 0) acts(strand, Kind::calc, static_cast<std::uint64_t>(whole), 0, 0, true);
}

void Trace::took(Act& act, const Took& message) const {
  act.took = true;
  act.peer = message.source;
  act.size = message.bytes;
  if ((act.key & wide) != 0)
    act.key = key_of(abi::wide_word, message.wide);
  else if (const auto word = static_cast<std::int32_t>(act.key); word < 0)  // any tag of its context
    act.key = key_of(abi::word_of(~word, message.tag), 0);
}

void Trace::exchanged(const Strand& strand, const Took& message) { took(of(strand).acts[strand.exchange], message); }

void Trace::concludes(int rank, std::uint32_t slot, const Took& message) {
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  const auto found = mine.under_way.find(slot);
  if (found == mine.under_way.end()) return;
  const UnderWay over = std::move(found->second);
  mine.under_way.erase(found);
  auto& place = over.strand->place;
  if (over.act != none) {
    if (mine.acts[over.act].kind == Kind::recv) took(mine.acts[over.act], message);
    std::erase(place, Awaited{over.act, false});
  }
  for (const Awaited& each : over.ended)
    if (std::ranges::find(place, each) == place.end()) place.push_back(each);
}

std::unique_ptr<Trace::Strand> Trace::fork(const Strand& strand) {
  ++forks_;
  auto made = std::make_unique<Strand>(strand);
  made->spare = 0;
  return made;
}

void Trace::joins(Strand& fork, std::uint32_t slot) {
  of(fork).under_way[slot] = {none, &main(fork.rank), std::move(fork.place)};
}

std::string Trace::text() {
  std::unordered_map<std::uint64_t, int> tags;
  for (Rank& rank : ranks_)
    for (Act& act : rank.acts) {
      if (act.kind == Kind::recv && !act.took) {  // no message came to it: it was cancelled, or was never waited for
        act.kind = Kind::calc;
        act.size = 0;
      }
      if (act.kind == Kind::calc) continue;
      act.tag = tags.try_emplace(act.key, small(tags.size())).first->second;
    }
  return described::goal_text(ranks_);
}

std::vector<std::string> Trace::unlike() const {
  std::vector<std::string> all;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) all.push_back(std::to_string(count) + what);
  };
  add(synchronous_, " synchronous sends are written as standard ones, without the receiver's answer");
  add(ready_, " ready sends are written as standard ones");
  add(any_tag_, " receives of any tag are written with the tag that they took: messages wait for no earlier ones");
  add(forks_, " collective calls that go on by themselves are written as calls on the rank's one processor");
  add(in_vain_, " calls that asked in vain are not written");
  return all;
}

}  // namespace assay::mpirun
