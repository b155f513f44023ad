// A block of victims measured alone and beside aggressors, and the check of both sides' data.
#pragma once

#include <algorithm>
#include <optional>

#include "ranks/interference/attack.hpp"
#include "ranks/interference/quantile.hpp"
#include "ranks/interference/sides.hpp"
#include "ranks/interference/victims.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

struct InterferenceCase {
  Victim victim;
  Aggressor aggressor;
  std::size_t bytes;
  std::int64_t operations;
};

template <class Program, Grouped C>
  requires OneSided<C>
struct InterferenceKernel {
  using Case = InterferenceCase;
  static constexpr std::string_view record = Program::record;
  static constexpr std::array<std::string_view, 5> metrics{"alone", "beside", "slowdown", "tail_slowdown", "load"};
  const char* cache(const Case&) const { return "same buffer"; }
  const char* ended() const { return "operations made, or the most of their time spent"; }
  Case at(const timing::CaseSettings& settings) const {
    return {named<Victim>(victim_names, settings.at("victim").text),
            named<Aggressor>(aggressor_names, settings.at("aggressor").text),
            static_cast<std::size_t>(settings.at("bytes").integer), settings.at("operations").integer};
  }
  timing::Json label(C& comm, const Case& at) const {
    timing::Json json;
    json.text("victim", victim_names[static_cast<std::size_t>(at.victim)]);
    json.text("aggressor", aggressor_names[static_cast<std::size_t>(at.aggressor)]);
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("ranks", comm.size());
  }

  Task take(C& comm, const Case& at, std::vector<BlockLine>& lines) {
    if (sides_.attacks(comm.rank())) {
      co_await attack(comm, *group_, sides_.head(), at.aggressor, access_, held(at, false));
      co_return;
    }
    std::vector<double> alone, beside;
    co_await measure(comm, at, alone);
    if (comm.rank() == 0) {
      co_await comm.send(nullptr, 0, sides_.head(), begin_tag);
      co_await comm.recv(nullptr, 0, sides_.head(), begin_tag);
    }
    co_await measure(comm, at, beside);
    if (comm.rank() != 0) co_return;
    AggressorTraffic traffic;
    co_await comm.send(nullptr, 0, sides_.head(), round_tag);
    co_await comm.recv(&traffic, sizeof traffic, sides_.head(), arrived_tag);
    const timing::Json named_case = label(comm, at);
    const auto add = [&](std::string_view metric, std::vector<double> values) {
      lines.push_back({metric, named_case, 1, std::move(values)});
    };
    if (at.aggressor != Aggressor::none) {
      if (traffic.bytes <= 0 || traffic.ticks <= 0) {  // then the victims had nobody beside them: no number
        session_.check(named_case, {false, "the aggressors moved nothing while the victims were measured"});
        co_return;
      }
      const auto seconds = static_cast<double>(traffic.ticks) / C::ticks_a_second;
      add("load", {static_cast<double>(traffic.bytes) / seconds});
    }
    const double usual = quantile(alone, 0.5);
    if (usual > 0) add("slowdown", {quantile(beside, 0.5) / usual});
    if (std::min(alone.size(), beside.size()) >= tail_needs && usual > 0)
      add("tail_slowdown", {quantile(beside, 0.99) / quantile(alone, 0.99)});
    add("alone", spread(std::move(alone)));
    add("beside", spread(std::move(beside)));
  }

  // One operation of the victims and one round of the aggressors, with data of their own; at the same time.
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    if (!buffers_.hold(at.bytes)) {
      verdict = {true, not_carried};
      co_return;
    }
    AggressorTraffic found, other;
    if (sides_.attacks(comm.rank())) {
      co_await aggressors_round(*group_, at.aggressor, access_, held(at, true), found);
    } else if (at.victim == Victim::allreduce) {
      word_ = static_cast<std::uint64_t>(comm.rank()) + 1;
      co_await once(at);
      for (std::size_t place = 0; place < sides_.order.size(); place += 2)
        word_ -= static_cast<std::uint64_t>(sides_.order[place]) + 1;
      found.wrong = word_ != 0;
      ++found.messages;
    } else if (const VictimPlace place = VictimPlace::of(*group_); place.partner >= 0) {
      const std::size_t bytes = length(at);
      std::byte* const in = buffers_.in(bytes).next();
      write_pattern(buffers_.out(bytes).next(), bytes, static_cast<std::uint64_t>(group_->rank()), true);
      poison(in, bytes);
      co_await once(at);
      found.wrong = wrong_bytes(in, bytes, static_cast<std::uint64_t>(place.partner), true);
      ++found.messages;
    }
    co_await reduce(comm, comm.size(), &found, &other, 1, AggressorTraffic::join);
    verdict.passed = found.wrong == 0;
    verdict.detail = std::to_string(found.messages) + " messages and sums of both sides";
    if (found.wrong > 0) verdict.detail += ": " + std::to_string(found.wrong) + " wrong";
  }

  explicit InterferenceKernel(Session& session) : session_(session) {}
  // Every rank calls it before and after.
  Task join(C& comm, const VictimsAndAggressors& sides) {
    sides_ = sides;
    const int me = comm.rank();
    group_.emplace(co_await comm.split(sides.attacks(me) ? 1 : 0, sides.place[static_cast<std::size_t>(me)]));
    buffers_ = Buffers(comm, session_, Buffers::Way::same);
    std::size_t exposed = 0;
    for (const auto& each : session_.cases())
      if (const Case case_ = this->at(each); one_sided(case_.aggressor)) exposed = std::max(exposed, case_.bytes);
    std::vector<int> members;
    for (std::size_t place = 1; place < sides.order.size(); place += 2) members.push_back(sides.order[place]);
    co_await access_.expose(comm, exposed, std::move(members));
  }
  Task part(C& comm) {
    co_await access_.withdraw();
    co_await comm.release(*group_);
  }

 private:
  static constexpr std::size_t tail_needs = 368;  // readings: analysis/quantiles.py
  static constexpr auto most = static_cast<std::size_t>(Pace::most);
  static constexpr double most_seconds = 0.5;  // of one of the two measurements

  static std::size_t length(const Case& at) { return at.victim == Victim::bandwidth ? at.bytes : 8; }
  AggressorBuffers held(const Case& at, bool checked) const {
    return {buffers_.out(at.bytes).next(), buffers_.in(at.bytes).next(), at.bytes, checked};
  }

  Task once(const Case& at) {
    if (at.victim != Victim::allreduce) {
      const std::size_t bytes = length(at);
      return exchange_of_pair(*group_, VictimPlace::of(*group_), buffers_.out(bytes).next(), buffers_.in(bytes).next(),
                              bytes);
    }
    auto* const word = reinterpret_cast<std::byte*>(&word_);
    return allreduce_doubling(*group_, {word, word, reinterpret_cast<std::byte*>(&spare_), sizeof word_});
  }

  Task measure(C& comm, const Case& at, std::vector<double>& seconds) {
    VictimLimits limits{at.operations, 16, most_seconds};
    if (comm.is_simulated()) limits = {at.operations, 1, 0};
    return time_victims(*group_, limits, at.victim != Victim::allreduce, [this, &at] { return once(at); }, seconds);
  }

  // Of very many readings some of each stretch, at a place that moves on, so that all pairs are among them.
  static std::vector<double> spread(std::vector<double> readings) {
    const std::size_t step = (readings.size() + most - 1) / most;
    if (step < 2) return readings;
    const std::size_t kept = readings.size() / step;
    for (std::size_t i = 0; i < kept; ++i) readings[i] = readings[i * step + i * 7919 % step];
    readings.resize(kept);
    return readings;
  }

  Session& session_;
  VictimsAndAggressors sides_;
  std::optional<C> group_;
  Buffers buffers_;
  AggressorAccess<C> access_;
  std::uint64_t word_ = 0, spare_ = 0;
};

}  // namespace assay::ranks
