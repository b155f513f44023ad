// One collective operation that is begun, goes on beside its rank's own work, and is waited for: the library's own, or
// one of the table's algorithms as a Background.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "ranks/algorithms/rows.hpp"
#include "ranks/background.hpp"

namespace assay::ranks {

// Of a communicator that has none of the library's own.
struct NoRequest {};
template <class C>
struct CollectiveRequestOf {
  using Type = NoRequest;
};
template <OwnNonBlocking C>
struct CollectiveRequestOf<C> {
  using Type = typename C::CollectiveRequest;
};

template <Testing C>
class InBackground {
 public:
  InBackground() = default;
  InBackground(const InBackground&) = delete;

  // `levels`: of a two-level algorithm.
  Task begin(C& comm, Levels<C>* levels, Operation operation, Algorithm algorithm, Exchange x) {
    if (algorithm == Algorithm::library) {
      if constexpr (OwnNonBlocking<C>) {
        library_ = co_await comm.start(operation, x.in, x.out, x.block, x.root);
        comm_ = &comm;
      }
      co_return;
    }
    using Behind = Background<C>;
    const Row<Behind>& row = *row_of<Behind>(operation, algorithm);
    own_.emplace(comm, progress_);
    if (row.by_node) {
      levels_.node.emplace(*levels->node, progress_);
      levels_.leaders.emplace(*levels->leaders, progress_);
      levels_.nodes = levels->nodes;
      levels_.kept = levels->kept;
    }
    Task course = row.by_node ? row.by_node(*own_, levels_, x) : row.all(*own_, x);
    co_await own_->begin(std::move(course));
  }
  Task advance(bool& over) {
    if (own_) {
      co_await own_->advance(over);
    } else if constexpr (OwnNonBlocking<C>) {
      if (!over_) over_ = co_await comm_->test(library_);
      over = over_;
    }
  }
  Task finish() {
    if (own_) {
      co_await own_->finish();
    } else if constexpr (OwnNonBlocking<C>) {
      if (!over_) co_await comm_->wait(library_);
    }
  }

 private:
  C* comm_ = nullptr;
  typename CollectiveRequestOf<C>::Type library_;
  bool over_ = false;
  typename Background<C>::Progress progress_;
  std::optional<Background<C>> own_;
  Levels<Background<C>> levels_;
};

// One whose memory and whose steps' frames are made before what is timed, and freed after.
template <Testing C>
struct Prepared {
  Prepared(C& comm, Levels<C>* levels, Operation what, Algorithm by, Exchange x)
      : begin(steps.begin(comm, levels, what, by, x)), finish(steps.finish()) {}
  InBackground<C> steps;
  Task begin, finish;
};

// Begun and waited for at once: the library's two calls, with a body for each operation, so that none is chosen inside
// its time; or an algorithm's steps.
template <Operation what, OwnNonBlocking C>
Task own_at_once(C& comm, Exchange x) {
  auto request = co_await comm.start(what, x.in, x.out, x.block, x.root);
  co_await comm.wait(request);
}
template <Testing C>
Task steps_at_once(std::unique_ptr<Prepared<C>> steps) {
  co_await steps->begin;
  co_await steps->finish;
}
template <Testing C>
Task at_once(C& comm, Levels<C>* levels, Operation what, Algorithm by, Exchange x) {
  if constexpr (OwnNonBlocking<C>) {
    if (by == Algorithm::library) {
      static constexpr auto bodies = []<std::size_t... what>(std::index_sequence<what...>) {
        return std::array{&own_at_once<static_cast<Operation>(what), C>...};
      }(std::make_index_sequence<operation_names.size()>());
      return bodies[static_cast<std::size_t>(what)](comm, x);
    }
  }
  return steps_at_once(std::make_unique<Prepared<C>>(comm, levels, what, by, x));
}

}  // namespace assay::ranks
