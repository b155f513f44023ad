// The machine's own barrier where it is made of messages ([barrier] algorithm without a step), by the algorithms of
// programs/ranks/algorithms/barriers.hpp, and one more:
//
//   tree-exchange   up a binomial tree in each half of the ranks; the halves' first ranks exchange a message; down
//   again:
//                   2 ceil(log2 ranks) - 1 messages one after the other, where a tree has 2 ceil(log2 ranks)
#include <bit>

#include "ranks/algorithms/barriers.hpp"
#include "ranks/inside.hpp"

namespace assay::described {
namespace {

using Own = Inside<ranks::last_tag + 300>;

ranks::Task tree_exchange(Own& comm, int among) {
  const int half = static_cast<int>(std::bit_ceil(static_cast<unsigned>(among))) / 2, me = comm.rank();
  const int first = me < half ? 0 : half, count = me < half ? half : among - half, mine = me - first;
  int bit = 1;
  for (; bit < count && (mine & bit) == 0; bit *= 2)
    if (mine + bit < count) co_await comm.recv(nullptr, 0, me + bit, ranks::collective_tag);
  if (mine != 0) {
    co_await comm.send(nullptr, 0, me - bit, ranks::collective_tag);
    co_await comm.recv(nullptr, 0, me - bit, ranks::collective_tag);
  } else {
    co_await comm.sendrecv(nullptr, 0, half - first, nullptr, 0, half - first, ranks::collective_tag);
  }
  for (bit /= 2; bit >= 1; bit /= 2)
    if (mine + bit < count) co_await comm.send(nullptr, 0, me + bit, ranks::collective_tag);
}

}  // namespace

ranks::Task Simulated::barrier_by(BarrierBy by, int among) {
  if (among < 2) co_return;
  Own own(*this);
  const ranks::Barriers one{.among = among};
  if (by == BarrierBy::linear)
    co_await ranks::barrier_linear(own, one);
  else if (by == BarrierBy::tree)
    co_await ranks::barrier_binomial(own, one);
  else
    co_await tree_exchange(own, among);
}

}  // namespace assay::described
