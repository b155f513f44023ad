// One-sided congestors: in step k of a round everybody accesses the memory of the aggressor k places on, and goes on
// when that is complete.
//
//   put         writes a message there
//   get         reads one from there
//   accumulate  adds 64-bit words there, where the machine has it (one_sided.hpp)
//
// Nobody receives, so that what moved is found by the first word of each memory, which is zero before: puts write the
// number of the round there, accumulates add one, and gets find what its owner has written there.
#pragma once

#include <cstring>
#include <vector>

#include "ranks/interference/aggressors.hpp"
#include "ranks/one_sided.hpp"

namespace assay::ranks {

inline constexpr bool one_sided(Aggressor pattern) {
  return pattern == Aggressor::put || pattern == Aggressor::get || pattern == Aggressor::accumulate;
}

// Memory of all ranks of `comm`, and which of these each aggressor is.
template <OneSided C>
class AggressorAccess {
 public:
  // Every rank calls it; `bytes`: the longest message of one-sided congestors, or 0.
  Task expose(C& comm, std::size_t bytes, std::vector<int> members) {
    comm_ = &comm;
    members_ = std::move(members);
    exposed_ = bytes > 0;
    if (!exposed_) co_return;
    memory_ = co_await comm.expose(bytes);
    set(memory_.data(), 0);
    co_await barrier(comm);
  }
  Task withdraw() {
    if (exposed_) co_await comm_->withdraw(memory_);
  }

  // Before the first round of many.
  void begin() { rounds_ = 0; }
  Task round(C& group, Aggressor pattern, AggressorBuffers held, AggressorTraffic& traffic) {
    const int me = group.rank(), ranks = group.size();
    ++rounds_;
    if (carries(held)) {
      if (pattern == Aggressor::accumulate) std::memset(held.out, 0, held.bytes);
      set(held.out, pattern == Aggressor::accumulate ? 1 : rounds_);
      if (pattern == Aggressor::get) set(memory_.data(), rounds_);
    }
    const bool seen = pattern == Aggressor::get && carries(held);
    for (int step = 1; step < ranks; ++step) {
      if (seen) set(held.in, 0);
      co_await access(pattern, held, members_[static_cast<std::size_t>((me + step) % ranks)]);
      if (!seen || word(held.in) != 0) traffic.took(moved(pattern, held));
    }
  }
  // After everybody's last round: what nobody brought counts for nothing.
  void end(const C& group, Aggressor pattern, AggressorBuffers held, AggressorTraffic& traffic) {
    if (!carries(held) || !one_sided(pattern)) return;
    const auto others = static_cast<std::uint64_t>(group.size() - 1);
    if (pattern != Aggressor::get && word(memory_.data()) != (pattern == Aggressor::put ? rounds_ : rounds_ * others))
      traffic.bytes = 0;
    set(memory_.data(), 0);
  }

  // A round in which each message carries its pattern, and each is compared.
  Task check(C& group, Aggressor pattern, AggressorBuffers held, AggressorTraffic& traffic) {
    const int me = group.rank(), ranks = group.size();
    const std::size_t bytes = moved(pattern, held);
    for (int step = 1; step < ranks; ++step) {
      const int to = (me + step) % ranks, from = (me - step + ranks) % ranks;
      std::byte* const mine = pattern == Aggressor::get ? memory_.data() : held.out;
      write_pattern(mine, bytes, static_cast<std::uint64_t>(me), true);
      if (pattern == Aggressor::put) poison(memory_.data(), bytes);
      if (pattern == Aggressor::get) held.expect();
      if (pattern == Aggressor::accumulate) std::memset(memory_.data(), 0, bytes);
      co_await barrier(group);
      co_await access(pattern, held, members_[static_cast<std::size_t>(to)]);
      co_await barrier(group);
      traffic.took(bytes);
      const bool got = pattern == Aggressor::get;
      traffic.wrong +=
          wrong_bytes(got ? held.in : memory_.data(), bytes, static_cast<std::uint64_t>(got ? to : from), true);
    }
    set(memory_.data(), 0);
  }

 private:
  static std::size_t moved(Aggressor pattern, const AggressorBuffers& held) {
    return pattern == Aggressor::accumulate ? held.bytes / 8 * 8 : held.bytes;
  }
  static bool carries(const AggressorBuffers& held) { return held.out != nullptr; }
  static void set(std::byte* at, std::uint64_t value) { std::memcpy(at, &value, sizeof value); }
  static std::uint64_t word(const std::byte* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  Task access(Aggressor pattern, AggressorBuffers held, int to) {
    if (pattern == Aggressor::put) co_await comm_->put(memory_, held.out, held.bytes, to, 0);
    if (pattern == Aggressor::get) co_await comm_->get(memory_, held.in, held.bytes, to, 0);
    if constexpr (Accumulates<C>)
      if (pattern == Aggressor::accumulate) co_await comm_->accumulate(memory_, held.out, held.bytes / 8, to, 0);
    co_await comm_->complete(memory_, to);
  }

  C* comm_ = nullptr;
  bool exposed_ = false;
  std::uint64_t rounds_ = 0;
  std::vector<int> members_;
  typename C::Window memory_;
};

}  // namespace assay::ranks
