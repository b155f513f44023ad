// What an aggressor does: rounds of its pattern, from the word of the first victim until its next one.
#pragma once

#include "ranks/interference/access.hpp"

namespace assay::ranks {

template <OneSided C>
Task aggressors_round(C& group, Aggressor pattern, AggressorAccess<C>& access, AggressorBuffers held,
                      AggressorTraffic& traffic) {
  if (pattern == Aggressor::none) return {};
  if (one_sided(pattern))
    return held.checked ? access.check(group, pattern, held, traffic) : access.round(group, pattern, held, traffic);
  if (pattern == Aggressor::alltoall) return round_of_all(group, held, traffic);
  return round_at_hub(group, pattern == Aggressor::incast, held, traffic);
}

// On every aggressor, from the word of the first victim (rank 0 of `comm`) until its next one. `head` is the rank in
// `comm` of the first aggressor, who answers after a first round that is not counted, and at the end with what arrived
// meanwhile. The word to end comes among those that end each round, by which the others wait for the slowest.
template <OneSided C>
Task attack(C& comm, C& group, int head, Aggressor pattern, AggressorAccess<C>& access, AggressorBuffers held) {
  constexpr int least = 4;  // messages of a rank in a round
  const bool steps = pattern == Aggressor::alltoall || one_sided(pattern);
  const int repeats = steps ? (least + group.size() - 2) / (group.size() - 1) : least;
  const bool leads = group.rank() == 0;
  char going = pattern != Aggressor::none;
  if (leads) co_await comm.recv(nullptr, 0, 0, begin_tag);
  if (!going && leads) {
    co_await comm.send(nullptr, 0, 0, begin_tag);
    co_await comm.recv(nullptr, 0, 0, round_tag);
  }
  AggressorTraffic traffic, other;
  std::int64_t begun = 0;
  access.begin();
  co_await broadcast(group, &going, 1);
  for (std::int64_t turn = 0; going; ++turn) {
    if (turn == 1) {
      traffic = {};
      begun = comm.now();
    }
    for (int left = repeats; left > 0; --left) co_await aggressors_round(group, pattern, access, held, traffic);
    if (leads) {
      for (int due = group.size() - 1; due > 0;) {
        const auto arrived = co_await comm.recv(nullptr, 0, any_source, round_tag);
        if (arrived.source() == 0) {
          going = 0;
        } else {
          --due;
        }
      }
      if (turn == 0) co_await comm.send(nullptr, 0, 0, begin_tag);
    } else {
      co_await comm.send(nullptr, 0, head, round_tag);
    }
    co_await broadcast(group, &going, 1);
  }
  const std::int64_t ticks = comm.now() - begun;
  access.end(group, pattern, held, traffic);
  co_await reduce(group, group.size(), &traffic, &other, 1, AggressorTraffic::join);
  traffic.ticks = ticks;
  if (leads) co_await comm.send(&traffic, sizeof traffic, 0, arrived_tag);
}

}  // namespace assay::ranks
