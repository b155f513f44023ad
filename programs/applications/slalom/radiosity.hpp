// Radiosity of a room: the scene is read from a file, form factors make a symmetric positive definite system for each
// of three bands, which is factorised by Cholesky's method, and the answer is written to a file.
//
// Panels of columns are dealt out to the ranks in turn. A factorised panel goes to all of them down a binomial tree,
// and each subtracts it from the panels it has; the owner of the next one does that one first, factorises it and sends
// it off before it goes on (fan-out with look-ahead). The right side is one more row. The solution is found from the
// last panel back, and each rank has all of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "applications/application.hpp"
#include "applications/slalom/columns.hpp"
#include "applications/slalom/physics.hpp"
#include "applications/slalom/room.hpp"
#include "ranks/files.hpp"

namespace assay::applications::slalom {

struct Size {
  std::int64_t patches, block, io_nodes;
  bool furnished, ring;
  bool operator==(const Size&) const = default;
};

template <ranks::Files C>
class Radiosity final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  // Of a form factor sixteen corners of two roots and two angles (4 and 10) or so, and a logarithm (10).
  static constexpr double flops_coupling = 16 * 48;

  Radiosity(C& comm, Size size, bool carries)
      : Charged<C>(comm, "slalom", carries),
        size_(size),
        patches_(static_cast<std::size_t>(size.patches)),
        block_(static_cast<std::size_t>(size.block)),
        panels_((patches_ + block_ - 1) / block_) {
    const auto me = static_cast<std::size_t>(comm.rank()), all = static_cast<std::size_t>(comm.size());
    own_.resize(panels_ > me ? (panels_ - me - 1) / all + 1 : 0);
    if (!carries) return;
    for (std::size_t at = 0; at < own_.size(); ++at) own_[at].resize(values(me + at * all));
    for (auto& each : coming_) each.resize(values(0));
    solution_.resize(bands * patches_);
  }

  // Half of the pairs, three factorisations with the right side as a row, and their substitutions.
  static double operations(const Size& size) {
    const auto n = static_cast<double>(size.patches);
    return n * (n - 1) / 2 * flops_coupling + bands * (n * n * n / 3 + 3 * n * n);
  }

  ranks::Task prepare() override {
    scene_ = size_.furnished ? furnished() : uniform_room();
    if (comm_.rank() != 0) co_return;
    typename C::File file;
    co_await comm_.open(file, input, 0, sizeof scene_);
    co_await comm_.write(file, reinterpret_cast<const std::byte*>(&scene_), sizeof scene_, 0);
    co_await comm_.close(file);
    if (carries_) scene_ = {};
  }

  ranks::Task run() override {
    co_await read();
    co_await set_up();
    co_await factorise_all();
    co_await substitute_all();
    co_await write();
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    const std::size_t all = static_cast<std::size_t>(comm_.size());
    Physics found = physics(scene_, patches_of_, solution_, static_cast<std::size_t>(comm_.rank()), all);
    Physics room;
    co_await ranks::reduce(comm_, comm_.size(), &found, &room, 1, Together());
    if (comm_.rank() != 0) co_return;
    bool written = true;
    co_await read_back(written);
    verdict = judged(found, scene_, patches_, written);
  }

 private:
  static constexpr const char* input = "scene";
  static constexpr const char* output = "answer";
  static constexpr int panel_tag = 31, part_tag = 32;
  using Answer = std::vector<double>;

  std::size_t first(std::size_t panel) const { return panel * block_; }
  std::size_t width(std::size_t panel) const { return std::min(block_, patches_ - first(panel)); }
  std::size_t rows(std::size_t panel) const { return patches_ - first(panel) + 1; }
  std::size_t values(std::size_t panel) const { return bands * width(panel) * rows(panel); }
  int owner(std::size_t panel) const { return static_cast<int>(panel % static_cast<std::size_t>(comm_.size())); }
  bool mine(std::size_t panel) const { return panel < panels_ && owner(panel) == comm_.rank(); }
  std::vector<double>& own(std::size_t panel) { return own_[panel / static_cast<std::size_t>(comm_.size())]; }

  ranks::Task read() {
    if (comm_.rank() == 0) {
      typename C::File file;
      co_await comm_.open(file, input, static_cast<int>(size_.io_nodes), 0);
      co_await comm_.read(file, reinterpret_cast<std::byte*>(&scene_), sizeof scene_, 0);
      co_await comm_.close(file);
    }
    co_await ranks::broadcast(comm_, &scene_, sizeof scene_);
    if (carries_) patches_of_ = divided(scene_, patches_);
  }

  // Band by band (area / reflected) on the diagonal, less the couplings; to the right area * emission / reflected.
  ranks::Task set_up() {
    for (std::size_t panel = 0; panel < panels_; ++panel) {
      if (!mine(panel)) continue;
      const std::size_t wide = width(panel), high = rows(panel), from = first(panel);
      co_await work(static_cast<double>(wide) * static_cast<double>(high - 1) * flops_coupling,
                    [this, panel, wide, high, from] { fill(own(panel).data(), wide, high, from); });
    }
  }
  void fill(double* panel, std::size_t wide, std::size_t high, std::size_t from) {
    for (std::size_t column = 0; column < wide; ++column) {
      const Patch& patch = patches_of_[from + column];
      for (std::size_t row = column; row + 1 < high; ++row) {
        const double passes = coupling(scene_, patch, patches_of_[from + row]);
        for (std::size_t band = 0; band < bands; ++band) panel[(band * wide + column) * high + row] = -passes;
      }
      for (std::size_t band = 0; band < bands; ++band) {
        double* const into = panel + (band * wide + column) * high;
        const double weight = patch.area() / scene_.reflected[patch.face][band];
        into[column] += weight;
        into[high - 1] = weight * scene_.emission[patch.face][band];
      }
    }
  }

  ranks::Task factorise_all() {
    if (mine(0)) co_await factorise_own(0);
    for (std::size_t panel = 0; panel < panels_; ++panel) {
      const double* here = nullptr;
      if (mine(panel)) {
        here = data(own(panel));
      } else {
        auto& into = coming_[panel % 2];
        co_await receive(panel, data(into));
        here = data(into);
      }
      if (mine(panel + 1)) {
        co_await subtract_from(panel + 1, panel, here);
        co_await factorise_own(panel + 1);
      }
      for (std::size_t next = panel + 1; next < panels_; ++next)
        if (mine(next) && next != panel + 1) co_await subtract_from(next, panel, here);
      for (auto& each : sent_) co_await comm_.wait(each);
      sent_.clear();
    }
  }
  ranks::Task factorise_own(std::size_t panel) {
    const std::size_t wide = width(panel), high = rows(panel);
    double* const values_of = data(own(panel));
    co_await work(static_cast<double>(bands * wide * wide * high), [=] { factorise(values_of, wide, high); });
    co_await pass_on(panel, values_of);
  }
  ranks::Task subtract_from(std::size_t next, std::size_t panel, const double* here) {
    const std::size_t wide = width(next), high = rows(next), from_wide = width(panel), from_high = rows(panel);
    double* const values_of = data(own(next));
    co_await work(
        static_cast<double>(2 * bands * wide * from_wide) * (static_cast<double>(high) - static_cast<double>(wide) / 2),
        [=] { subtract(values_of, wide, high, here, from_wide, from_high); });
  }

  // From its owner, place 0, a panel goes round all ranks, each of which passes it on, or down a binomial tree, whose
  // edges are channels of a hypercube where the ranks are a power of two.
  bool by_differences() const { return !size_.ring && (comm_.size() & (comm_.size() - 1)) == 0; }
  int place_of(int rank, int root) const {
    return by_differences() ? rank ^ root : (rank - root + comm_.size()) % comm_.size();
  }
  int rank_of(int place, int root) const { return by_differences() ? place ^ root : (place + root) % comm_.size(); }
  ranks::Task receive(std::size_t panel, double* into) {
    const int place = place_of(comm_.rank(), owner(panel)), above = size_.ring ? place - 1 : place & (place - 1);
    co_await comm_.recv(into, values(panel) * sizeof(double), rank_of(above, owner(panel)), panel_tag);
    co_await pass_on(panel, into);
  }
  ranks::Task pass_on(std::size_t panel, const double* from) {
    const int place = place_of(comm_.rank(), owner(panel));
    for (int bit = size_.ring ? 1 : greatest_bit(place); bit > 0; bit /= 2) {
      if (place + bit >= comm_.size()) continue;
      const int to = rank_of(place + bit, owner(panel));
      typename C::SendRequest sent = co_await comm_.isend(from, values(panel) * sizeof(double), to, panel_tag);
      sent_.push_back(std::move(sent));
    }
  }
  // Of a binomial tree: half of a place's lowest bit, or of the first power of two that is no place.
  int greatest_bit(int place) const {
    int bit = 1;
    while (place == 0 ? bit < comm_.size() : (place & bit) == 0) bit *= 2;
    return bit / 2;
  }

  ranks::Task substitute_all() {
    std::vector<double> part(bands * block_);
    for (std::size_t panel = panels_; panel-- > 0;) {
      const std::size_t wide = width(panel), high = rows(panel), from = first(panel);
      const int root = owner(panel), all = comm_.size(), place = (comm_.rank() - root + all) % all;
      if (place == 0) {
        const double* const values_of = data(own(panel));
        co_await work(static_cast<double>(2 * bands * wide * high), [&, this] {
          substitute(values_of, wide, high, solution_.data() + from + wide, patches_, part.data());
        });
      } else {
        const int above = ((place & (place - 1)) + root) % all;
        co_await comm_.recv(data(part), bands * wide * sizeof(double), above, part_tag);
      }
      for (int bit = greatest_bit(place); bit > 0; bit /= 2)
        if (place + bit < all)
          co_await comm_.send(data(part), bands * wide * sizeof(double), (place + bit + root) % all, part_tag);
      if (!carries_) continue;
      for (std::size_t band = 0; band < bands; ++band)
        std::copy_n(part.data() + band * wide, wide, solution_.data() + band * patches_ + from);
    }
  }

  // Rank 0 writes the radiosities, band by band.
  ranks::Task write() {
    if (comm_.rank() != 0) co_return;
    typename C::File file;
    co_await comm_.open(file, output, static_cast<int>(size_.io_nodes), 0);
    co_await comm_.write(file, reinterpret_cast<const std::byte*>(data(solution_)), bands * patches_ * sizeof(double),
                         0);
    co_await comm_.close(file);
  }
  ranks::Task read_back(bool& same) {
    Answer answer(bands * patches_);
    typename C::File file;
    co_await comm_.open(file, output, static_cast<int>(size_.io_nodes), 0);
    co_await comm_.read(file, reinterpret_cast<std::byte*>(answer.data()), answer.size() * sizeof(double), 0);
    co_await comm_.close(file);
    same = answer == solution_;
  }

  Size size_;
  std::size_t patches_, block_, panels_;
  Scene scene_{};
  std::vector<Patch> patches_of_;
  std::vector<std::vector<double>> own_;  // this rank's panels
  std::vector<double> coming_[2];         // others' panels: one is sent on while the next one comes
  std::vector<typename C::SendRequest> sent_;
  std::vector<double> solution_;  // radiosity, band by band
};

}  // namespace assay::applications::slalom
