#include "mpi/one_sided.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace assay::mpirun {
namespace {
using abi::Access;
using abi::Reduction;
}  // namespace

std::size_t OneSided::begin(Operation operation) {
  for (const abi::Span& each : operation.spans) operation.bytes += each.bytes;
  check(operation);
  const std::size_t number = next_++;
  if (operation.accumulates()) unapplied_[stream_of(operation)].push_back(number);
  operations_.emplace(number, std::move(operation));
  return number;
}

void OneSided::check(const Operation& operation) const {
  if (!operation.attached) return;
  const auto found = attached_.find({operation.window, operation.target});
  for (const abi::Span& each : operation.spans) {
    if (each.bytes == 0) continue;
    if (found != attached_.end()) {
      auto after = found->second.upper_bound(each.address);
      if (after != found->second.begin()) {
        const auto& [address, bytes] = *--after;
        if (each.address - address <= bytes && each.bytes <= bytes - (each.address - address)) continue;
      }
    }
    char address[32];
    std::snprintf(address, sizeof address, "%#llx", static_cast<unsigned long long>(each.address));
    program_.refuses("rank " + std::to_string(operation.origin) + " accesses " + std::to_string(each.bytes) +
                     " bytes at the address " + address + " of rank " + std::to_string(operation.target) +
                     ", which are not in memory that it attached to the window");
  }
}

int OneSided::awaits_lock_of(int rank) const {
  for (const auto& [_, each] : operations_)
    if (each.does == Access::lock && each.origin == rank) return each.target;
  return -1;
}

template <class Move>
void OneSided::reach(const Operation& of, const char* does, Move move) {
  if (of.bytes == 0) return;
  try {
    move(program_.asleep(of.target));
  } catch (const Unreachable& why) {
    program_.refuses("rank " + std::to_string(of.origin) + does + std::to_string(of.target) + ": " + why.what());
  }
}
void OneSided::get_memory(const Operation& of, std::byte* into) {
  reach(of, " reads from rank ", [&](auto process) { read_memory(process, of.spans, into); });
}
void OneSided::set_memory(const Operation& of, const std::byte* from) {
  reach(of, " writes to rank ", [&](auto process) { write_memory(process, of.spans, from); });
}

void OneSided::apply(Operation& its) {
  its.applied = true;
  its.found.resize(its.bytes);
  if (its.fetches() || (its.reduction != Reduction::replace && its.reduction != Reduction::no_op))
    get_memory(its, its.found.data());
  if (its.does == Access::compare) {
    if (std::equal(its.found.begin(), its.found.end(), its.operand.begin() + static_cast<std::ptrdiff_t>(its.bytes)))
      set_memory(its, its.operand.data());
    return;
  }
  if (its.reduction == Reduction::no_op) return;
  if (its.reduction == Reduction::replace) return set_memory(its, its.operand.data());
  std::vector<std::byte> changed = its.found;
  abi::reduce(its.type, its.reduction, its.operand.data(), changed.data(), its.bytes / its.element);
  set_memory(its, changed.data());
}

void OneSided::apply_up_to(std::size_t number) {
  const Operation& last = at(number);
  if (last.applied) return;
  const auto stream = unapplied_.find(stream_of(last));
  for (bool more = true; more;) {
    const std::size_t first = stream->second.front();
    stream->second.pop_front();
    apply(at(first));
    more = first != number;
  }
  if (stream->second.empty()) unapplied_.erase(stream);
}

void OneSided::come(std::size_t number, const std::byte* data) {
  Operation& its = at(number);
  if (its.grants) return grant_comes(*its.grants);
  switch (its.does) {
    case Access::put:
      return set_memory(its, data);
    case Access::lock:
      its.granted = locks_.ask({its.window, its.target}, {number, its.origin, its.exclusive});
      return;
    case Access::unlock: {
      const auto granted = locks_.release({its.window, its.target}, its.origin);
      for (const std::size_t each : granted) program_.send_grant(each);
      return;
    }
    default:
      apply_up_to(number);
  }
}

void OneSided::read(std::size_t number, std::byte* into) {
  const Operation& its = at(number);
  if (!its.accumulates()) return get_memory(its, into);
  apply_up_to(number);
  if (its.bytes > 0) std::memcpy(into, its.found.data(), its.bytes);
}

void OneSided::grant_comes(std::size_t number) {
  const auto found = operations_.find(number);
  found->second.grant_came = true;
  if (!found->second.answered) return;
  program_.over_soon(found->second.origin, found->second.over);
  operations_.erase(found);
}

void OneSided::done(std::size_t number) {
  const auto found = operations_.find(number);
  Operation& its = found->second;
  its.answered = true;
  if (its.does == Access::lock && !its.granted && !its.grant_came) return;
  if (its.brings_first()) {
    its.brought = true;
    return program_.send_result(number);
  }
  const described::RequestId over = its.over;
  operations_.erase(found);
  if (over != described::none) program_.over(over);
}

}  // namespace assay::mpirun
