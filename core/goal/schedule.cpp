#include "goal/schedule.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "ranks/communicator.hpp"

namespace assay::goal {

void Lists::fill(std::size_t ops, const std::vector<Pair>& pairs) {
  first_.assign(ops + 2, 0);
  items_.resize(pairs.size());
  for (const Pair& each : pairs) ++first_[each.of + 2];
  for (std::size_t op = 2; op < first_.size(); ++op) first_[op] += first_[op - 1];
  for (const Pair& each : pairs) items_[first_[each.of + 1]++] = each.item;
  first_.pop_back();
}

void RankOps::close(const std::vector<Lists::Pair>& starts, const std::vector<Lists::Pair>& ends) {
  given = true;
  needs.assign(ops.size(), 0);
  for (const auto* pairs : {&starts, &ends})
    for (const Lists::Pair& each : *pairs) ++needs[each.item];
  on_start.fill(ops.size(), starts);
  on_end.fill(ops.size(), ends);
  std::vector<Lists::Pair> required;
  required.reserve(ends.size());
  for (const Lists::Pair& each : ends) required.push_back({each.item, each.of});
  requires_ends.fill(ops.size(), required);
  Progress all(*this);
  std::vector<bool> reached(ops.size());
  while (all.ready()) {
    const std::uint32_t op = all.take();
    reached[op] = true;
    all.started(op);
    all.ended(op);
  }
  if (all.over()) return;
  const auto op = static_cast<std::size_t>(std::ranges::find(reached, false) - reached.begin());
  throw Fault(ops[op].line, "an operation that waits for itself, by what it requires");
}

std::size_t Schedule::ops() const {
  std::size_t all = 0;
  for (const RankOps& rank : ranks) all += rank.ops.size();
  return all;
}
std::size_t Schedule::count(Kind kind) const {
  std::size_t all = 0;
  for (const RankOps& rank : ranks)
    all += static_cast<std::size_t>(std::ranges::count(rank.ops, kind, [](const Op& op) { return op.kind; }));
  return all;
}

void Schedule::small_tags() {
  std::unordered_map<int, int> small;
  for (RankOps& rank : ranks)
    for (Op& op : rank.ops) {
      if (op.kind == Kind::calc || op.tag == ranks::any_tag) continue;
      const int next = static_cast<int>(small.size());
      if (next > ranks::last_tag)
        throw Fault(op.line, "more different tags than a rank program has", "",
                    std::to_string(ranks::last_tag + 1) + " different tags");
      op.tag = small.try_emplace(op.tag, next).first->second;
    }
}

Schedule read(std::string_view file) {
  Schedule made = is_binary(file) ? read_binary(file) : read_text(file);
  made.small_tags();
  return made;
}

void check_place(std::size_t line, std::uint64_t cpu, std::uint64_t nic) {
  if (cpu > 0) throw Fault(line, "cpu: a rank of a described machine has one processor", std::to_string(cpu), "0");
  if (nic > 0) throw Fault(line, "nic: a rank of a described machine has one interface", std::to_string(nic), "0");
}
void check_peer(std::size_t line, std::uint64_t peer, std::size_t ranks) {
  if (peer >= ranks) throw Fault(line, "no such rank", std::to_string(peer), "0 to " + std::to_string(ranks - 1));
}

Progress::Progress(const RankOps& ops) : ops_(&ops), needs_(ops.needs) {
  for (std::uint32_t op = 0; op < needs_.size(); ++op)
    if (needs_[op] == 0) ready_.push_back(op);  // in order, which is a heap
}
std::uint32_t Progress::take() {
  std::ranges::pop_heap(ready_, std::greater());
  const std::uint32_t op = ready_.back();
  ready_.pop_back();
  return op;
}
void Progress::release(const Lists& lists, std::uint32_t op) {
  for (const std::uint32_t* each = lists.begin(op); each != lists.end(op); ++each) {
    if (--needs_[*each] > 0) continue;
    ready_.push_back(*each);
    std::ranges::push_heap(ready_, std::greater());
  }
}

}  // namespace assay::goal
