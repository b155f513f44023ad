// The search for a pivot among the ranks of a grid's column: all of them get the row with the greatest element and the
// row whose place it takes, by exchanges along the edges of a cube.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "applications/dense/trees.hpp"

namespace assay::applications::dense {

// What is exchanged: a candidate with its row of the panel, and the row that will be replaced, of whom that has it.
template <class Real>
class Candidate {
 public:
  explicit Candidate(std::size_t wide = 0) : wide_(wide), words_(3 + (2 * wide * sizeof(Real) + 7) / 8) {}
  double& size() { return words_[0]; }
  double& row() { return words_[1]; }
  double& has_replaced() { return words_[2]; }
  Real* values() { return reinterpret_cast<Real*>(words_.data() + 3); }
  Real* replaced() { return values() + wide_; }
  void* data() { return words_.data(); }
  std::size_t wide() const { return wide_; }
  static std::size_t bytes(std::size_t wide) { return (3 + (2 * wide * sizeof(Real) + 7) / 8) * sizeof(double); }

  // Of two equal ones the one with the lower row.
  void join(Candidate& other) {
    if (other.size() > size() || (other.size() == size() && other.row() < row())) {
      size() = other.size(), row() = other.row();
      std::memcpy(values(), other.values(), wide_ * sizeof(Real));
    }
    if (other.has_replaced() != 0) {
      has_replaced() = 1;
      std::memcpy(replaced(), other.replaced(), wide_ * sizeof(Real));
    }
  }

 private:
  std::size_t wide_;
  std::vector<double> words_;
};

// `mine` becomes that of all; `room` is as large. Both null where there are no data.
template <ranks::Communicator C, class Real>
ranks::Task best_of(C& comm, Line line, Candidate<Real>* mine, Candidate<Real>* room, std::size_t wide, int tag) {
  const std::size_t bytes = Candidate<Real>::bytes(wide);
  void* const out = mine ? mine->data() : nullptr;
  void* const in = room ? room->data() : nullptr;
  int cube = 1;
  while (2 * cube <= line.count) cube *= 2;
  const int beyond = line.count - cube;  // these have a partner in the cube, which speaks for them
  if (line.me >= cube) {
    co_await comm.send(out, bytes, line.rank(line.me - cube), tag);
    co_await comm.recv(out, bytes, line.rank(line.me - cube), tag);
    co_return;
  }
  if (line.me < beyond) {
    co_await comm.recv(in, bytes, line.rank(line.me + cube), tag);
    if (mine) mine->join(*room);
  }
  for (int bit = 1; bit < cube; bit *= 2) {
    const int other = line.rank(line.me ^ bit);
    co_await comm.sendrecv(out, bytes, other, in, bytes, other, tag);
    if (mine) mine->join(*room);
  }
  if (line.me < beyond) co_await comm.send(out, bytes, line.rank(line.me + cube), tag);
}

}  // namespace assay::applications::dense
