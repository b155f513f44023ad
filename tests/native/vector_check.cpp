// Runs each vector kernel once and counts what its check finds wrong: as it is, with each of some places of the output
// damaged, with another result, and with an element left out. One line for each kernel, access and length.
#include "kernels/vector_check.hpp"

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>
#include <vector>

using namespace assay::kernels;

namespace {

void look(const Kernel& kernel, const Loops& loops, std::size_t access, std::int64_t n) {
  const std::int64_t stride = access == 1 ? 3 : access == 2 ? 4 : 1, span = (n + 2) * stride, all = span + 40;
  std::vector<std::int32_t> index(static_cast<std::size_t>(n) + 2);
  std::iota(index.begin(), index.end(), 0);
  for (std::size_t i = index.size() - 1; i > 0; --i) std::swap(index[i], index[(i * 7919 + 13) % (i + 1)]);
  std::vector<double> z(static_cast<std::size_t>(all)), in(static_cast<std::size_t>(4 * all));
  std::array<std::int64_t, 4> offsets{};
  for (std::size_t k = 0; k < 4; ++k) offsets[k] = static_cast<std::int64_t>(k) * all;
  for (std::size_t k = 0; k < in.size(); ++k)  // the numbers as they were first defined
    in[k] = 1 + static_cast<double>((3 * k + k / 11) % 7);
  const Places at{n, stride, all, access == 3 ? index.data() : nullptr};
  const auto input = [&](std::size_t which) { return in.data() + offsets[which]; };
  const auto run = [&](std::int64_t count) {
    OutputBefore(kernel.adds_to).fill(z.data(), all);
    return loops.by_access[access](z.data(), input(0), input(kernel.x), input(2), input(3), Scalars{}, count,
                                   index.data());
  };
  const double result = run(n);
  const auto wrong = [&](double of) { return count_wrong(kernel, at, z.data(), of, offsets); };
  const std::int64_t untouched = wrong(result);
  std::set<std::int64_t> places;
  for (const std::int64_t near : {std::int64_t{0}, 1024 * stride, (n - 1) * stride, n * stride, span, all - 1})
    for (std::int64_t place = near - 4; place <= near + 4; ++place)
      if (place >= 0 && place < all) places.insert(place);
  std::size_t seen = 0;
  for (const std::int64_t place : places) {
    double& one = z[static_cast<std::size_t>(place)];
    const double kept = one;
    one += 0.5;
    seen += wrong(result) == 1;
    one = kept;
  }
  const std::int64_t other = kernel.writes ? -1 : wrong(result + 1);
  const std::int64_t least = wrong(run(n - 1));
  std::printf("%s %zu %lld %lld %zu %zu %lld %lld\n", kernel.name.data(), access, static_cast<long long>(n),
              static_cast<long long>(untouched), places.size(), seen, static_cast<long long>(other),
              static_cast<long long>(least));
}

}  // namespace

int main(int count, char** words) {
  for (const Kernel& kernel : table)
    for (const Loops& loops : vector_loops())
      for (std::size_t access = 0; loops.name == kernel.name && access < accesses.size(); ++access)
        for (int each = 1; each < count; ++each) look(kernel, loops, access, std::atoll(words[each]));
}
