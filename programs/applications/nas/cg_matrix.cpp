#include "applications/nas/cg_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "applications/nas/random.hpp"

namespace assay::applications::nas {
namespace {

struct Element {
  std::int32_t place;
  double value;
};

// One of the vectors whose products make the matrix: so many elements at places that are drawn, and 1/2 at its own.
void draw(Random& random, std::int32_t order, int nonzeros, std::int32_t own, std::vector<Element>& vector) {
  std::int32_t power = 1;
  while (power < order) power *= 2;
  vector.clear();
  const auto at = [&](std::int32_t place) {
    return std::find_if(vector.begin(), vector.end(), [place](const Element& each) { return each.place == place; });
  };
  while (vector.size() < static_cast<std::size_t>(nonzeros)) {
    const double value = random.next();
    const auto place = static_cast<std::int32_t>(power * random.next());
    if (place < order && at(place) == vector.end()) vector.push_back({place, value});
  }
  if (const auto found = at(own); found != vector.end())
    found->value = 0.5;
  else
    vector.push_back({own, 0.5});
}

// Elements of a row at the same place become one, in the order in which they were added.
void join(std::vector<Element>& row) {
  std::stable_sort(row.begin(), row.end(), [](const Element& a, const Element& b) { return a.place < b.place; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (kept > 0 && row[kept - 1].place == row[i].place)
      row[kept - 1].value += row[i].value;
    else
      row[kept++] = row[i];
  }
  row.resize(kept);
}

}  // namespace

SparseMatrix cg_matrix(const CgClass& size, const Extent& own) {
  constexpr double condition = 0.1;
  Random random(314159265);
  random.next();  // the specification's program draws one number before the matrix
  const double ratio = std::pow(condition, 1.0 / size.order);
  std::vector<std::vector<Element>> rows(static_cast<std::size_t>(own.row_end - own.row));
  std::vector<Element> vector;
  double weight = 1;
  for (std::int32_t i = 0; i < size.order; ++i, weight *= ratio) {
    draw(random, size.order, size.nonzeros, i, vector);
    for (const Element& of_row : vector) {
      if (of_row.place < own.row || of_row.place >= own.row_end) continue;
      auto& row = rows[static_cast<std::size_t>(of_row.place - own.row)];
      const double scaled = weight * of_row.value;
      for (const Element& of_column : vector) {
        if (of_column.place < own.column || of_column.place >= own.column_end) continue;
        double value = of_column.value * scaled;
        if (of_column.place == of_row.place && of_row.place == i) value += condition - size.shift;
        row.push_back({of_column.place - own.column, value});
      }
    }
  }
  SparseMatrix matrix;
  matrix.begins.push_back(0);
  for (auto& row : rows) {
    join(row);
    for (const Element& each : row) {
      matrix.columns.push_back(each.place);
      matrix.values.push_back(each.value);
    }
    matrix.begins.push_back(static_cast<std::int64_t>(matrix.values.size()));
    std::vector<Element>().swap(row);
  }
  return matrix;
}

void cg_multiply(const SparseMatrix& matrix, const double* vector, double* into) {
  const std::int32_t* const columns = matrix.columns.data();
  const double* const values = matrix.values.data();
  const std::size_t rows = matrix.begins.size() - 1;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t end = matrix.begins[row + 1];
    std::int64_t k = matrix.begins[row];
    double sums[4] = {};  // so that one addition need not wait for the one before it
    for (; k + 4 <= end; k += 4)
      for (int lane = 0; lane < 4; ++lane) sums[lane] += values[k + lane] * vector[columns[k + lane]];
    for (; k < end; ++k) sums[0] += values[k] * vector[columns[k]];
    into[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

double cg_dot(const double* x, const double* y, std::size_t length) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= length; i += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  for (; i < length; ++i) sums[0] += x[i] * y[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double cg_step(double alpha, const double* p, const double* q, double* z, double* r, std::size_t length) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      z[i + lane] += alpha * p[i + lane];
      r[i + lane] -= alpha * q[i + lane];
      sums[lane] += r[i + lane] * r[i + lane];
    }
  }
  for (; i < length; ++i) {
    z[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    sums[0] += r[i] * r[i];
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace assay::applications::nas
