// Cholesky factorisation of a dense matrix (Dunigan 1995, section 3, Table 3.4: 1K x 1K), right-looking by blocks of
// columns: one thread factors a panel's diagonal block, all solve the rows below and update what is right of it, tiles
// dealt out in turn; three barriers a panel.
#include <algorithm>
#include <cmath>
#include <map>

#include "processor/cycles_beside.hpp"
#include "threads/crew.hpp"

constexpr std::string_view record = R"record(
name = "cholesky"
title = "Cholesky factorisation"
part = "kernels"
kind = "node"
from = "kernels/by_threads.hpp"
first_look = true
summary = "Cholesky factorisation of a dense matrix on 1 to p threads, untuned C++"
cost = "n^3/3 flops, multiplications and additions"
check = "the matrix is made from a known factor of small whole numbers, so that the factor found must be that one, exactly"
source = "Dunigan 1995, section 3, Table 3.4"
published = ["kernel.cholesky-c"]
related = ["cholesky"]
slice_standard = 0.02
blocks_standard = 2

[parameter.by]
from = "threads/parameters.hpp"
described = "threads"

[parameter.threads]
from = "threads/parameters.hpp"

[parameter.size]
type = "integer"
default = 1024
quick = 512
min = 64
max = 16384
unit = "1"
sweep = true
help = "rows of the matrix, a multiple of 64"

[described]
kernel = "cholesky"
memory = "8 * size ** 2"
only = { by = ["threads"] }
metric = { time = "unit * size ** 3 / 3" }

[metric.time]
unit = "s"
help = "time of a factorisation, the copy of the matrix into place included"

[metric.clock]
from = "processor/cycles_beside.hpp"

[figure.clock]
from = "processor/cycles_beside.hpp"
help = "cycles per second of one thread right after what is measured, from which the bound of arithmetic follows; stated with the first case"

[headline.compute]
figure = "rate"
where = "by=threads"
most = "threads"
title = "Cholesky factorisation of {size} (threads: {threads})"
says = "factorises at up to"
bound = "peak_measured"
advice = "`assay run gemm` shows what a tuned library reaches: this is untuned C++"
order = 2

[roof]
clock = "clock"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of a factorisation"

[figure.rate]
metric = "time"
formula = "size ** 3 / 3 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "n^3/3 flops"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::int64_t tile = 64;

struct Matrix {  // L with whole numbers from -2 to 2 below a diagonal of 1 and 2; A = L L^T, whole numbers too
  explicit Matrix(std::int64_t rows) : n(rows), given(static_cast<std::size_t>(n * n)), work(given.size()) {
    std::vector<std::int8_t> factor(given.size());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j <= i; ++j)
        factor[static_cast<std::size_t>(i * n + j)] = static_cast<std::int8_t>(known(i, j));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        std::int32_t sum = 0;
        const std::int8_t *a = &factor[static_cast<std::size_t>(i * n)], *b = &factor[static_cast<std::size_t>(j * n)];
        for (std::int64_t k = 0; k <= j; ++k) sum += a[k] * b[k];
        given[static_cast<std::size_t>(i * n + j)] = sum;
      }
  }
  static int known(std::int64_t i, std::int64_t j) {
    return static_cast<int>(i == j ? 1 + i % 2 : (i * 7 + j * 13 + i * j) % 5 - 2);
  }
  std::int64_t n;
  std::vector<double> given, work;
};

void factor_diagonal(double* a, std::int64_t n) {
  for (std::int64_t j = 0; j < tile; ++j) {
    for (std::int64_t k = 0; k < j; ++k)
      for (std::int64_t i = j; i < tile; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    const double root = std::sqrt(a[j * n + j]);
    for (std::int64_t i = j; i < tile; ++i) a[i * n + j] /= root;
  }
}

void solve_rows(const double* diagonal, double* rows, std::int64_t n) {
  for (std::int64_t i = 0; i < tile; ++i)
    for (std::int64_t j = 0; j < tile; ++j) {
      double sum = rows[i * n + j];
      for (std::int64_t k = 0; k < j; ++k) sum -= rows[i * n + k] * diagonal[j * n + k];
      rows[i * n + j] = sum / diagonal[j * n + j];
    }
}

void update(const double* left, const double* right, double* target, std::int64_t n) {  // target -= left right^T
  double turned[tile][tile];
  for (std::int64_t j = 0; j < tile; ++j)
    for (std::int64_t k = 0; k < tile; ++k) turned[k][j] = right[j * n + k];
  for (std::int64_t i = 0; i < tile; ++i) {
    double row[tile];
    for (std::int64_t j = 0; j < tile; ++j) row[j] = target[i * n + j];
    for (std::int64_t k = 0; k < tile; ++k) {
      const double factor = left[i * n + k];
      for (std::int64_t j = 0; j < tile; ++j) row[j] -= factor * turned[k][j];
    }
    for (std::int64_t j = 0; j < tile; ++j) target[i * n + j] = row[j];
  }
}

template <class Member>
void factor(Matrix& matrix, const Member& member) {
  const std::int64_t n = matrix.n, tiles = n / tile;
  double* const a = matrix.work.data();
  const auto at = [&](std::int64_t row, std::int64_t column) { return a + row * tile * n + column * tile; };
  std::copy(matrix.given.begin() + member.from(n) * n, matrix.given.begin() + member.to(n) * n,
            matrix.work.begin() + member.from(n) * n);
  member.together();
  for (std::int64_t k = 0; k < tiles; ++k) {
    if (k % member.count == member.rank) factor_diagonal(at(k, k), n);
    member.together();
    for (std::int64_t i = k + 1; i < tiles; ++i)
      if (i % member.count == member.rank) solve_rows(at(k, k), at(i, k), n);
    member.together();
    std::int64_t dealt = 0;
    for (std::int64_t i = k + 1; i < tiles; ++i)
      for (std::int64_t j = k + 1; j <= i; ++j)
        if (dealt++ % member.count == member.rank) update(at(i, k), at(j, k), at(i, j), n);
#ifndef ASSAY_BREAK
    member.together();
#else
    if (k + 1 < tiles && member.rank == 0) *at(k + 1, k + 1) += 1;
    member.together();
#endif
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::map<std::int64_t, std::shared_ptr<Matrix>> kept;
  return run_program(record, argc, argv, [&](Case& at) __attribute__((cold)) {
    const std::int64_t n = at.integer("size");
    if (n % tile) throw refused_value("size", "is no multiple of a tile", n, "multiples of 64");
    threads::with_crew(at, team, [&](const auto& crew) __attribute__((cold)) {
      auto& matrix = kept[n];
      if (!matrix) matrix = std::make_shared<Matrix>(n);
      const auto work = [crew, own = matrix](std::int64_t operations) {
        for (; operations > 0; --operations) crew->run([&](const auto& member) { factor(*own, member); });
      };
      at.measure("time", work, {.reading = threads::least_reading});
      processor::observe_clock_once(at);
      at.check([=, own = matrix]() __attribute__((cold)) {
        std::fill(own->work.begin(), own->work.end(), 0);
        work(1);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j <= i; ++j)
            wrong += own->work[static_cast<std::size_t>(i * n + j)] != Matrix::known(i, j);
        return Check{wrong == 0,
                     std::to_string(n * (n + 1) / 2) + " elements of the factor, " + std::to_string(wrong) + " wrong"};
      });
    });
  });
}
