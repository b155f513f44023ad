#include "network/placement.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "network/bounds.hpp"

namespace assay::network {
namespace {

void check(unsigned dimension, unsigned highest) {
  if (dimension < 1 || dimension > highest)
    throw std::invalid_argument("dimension " + std::to_string(dimension) + ": accepted is 1 to " +
                                std::to_string(highest));
}

// Check bits of the largest perfect cube that fits.
unsigned check_bits(unsigned dimension) { return static_cast<unsigned>(std::bit_width(dimension + 1)) - 1; }

// Branch and bound on a graph of at most 32 vertices: the uncovered vertex must be covered by itself or a neighbour.
struct Cover {
  unsigned dimension;
  std::vector<std::uint32_t> ball;
  std::vector<std::uint32_t> chosen, best;

  explicit Cover(unsigned n) : dimension(n) {
    for (std::uint32_t vertex = 0; vertex < 1u << n; ++vertex) {
      std::uint32_t cover = 1u << vertex;
      for (unsigned bit = 0; bit < n; ++bit) cover |= 1u << (vertex ^ 1u << bit);
      ball.push_back(cover);
    }
    best.resize(ball.size() + 1);
    chosen = {0};  // the cube looks alike from every vertex
    descend(ball[0]);
  }

  void descend(std::uint32_t covered) {
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << ball.size()) - 1);
    const auto left = static_cast<unsigned>(std::popcount(all & ~covered));
    if (left == 0) {
      if (chosen.size() < best.size()) best = chosen;
      return;
    }
    if (chosen.size() + (left + dimension) / (dimension + 1) >= best.size()) return;
    const auto vertex = static_cast<std::uint32_t>(std::countr_one(covered));
    for (std::uint32_t other = 0; other < ball.size(); ++other)
      if (ball[vertex] >> other & 1) {
        chosen.push_back(other);
        descend(covered | ball[other]);
        chosen.pop_back();
      }
  }
};

}  // namespace

std::vector<std::uint32_t> hamming_placement(unsigned dimension) {
  check(dimension, most_dimensions);
  const unsigned period = (1u << check_bits(dimension)) - 1;
  std::vector<std::uint32_t> routers;
  for (std::uint32_t router = 0; router < 1u << dimension; ++router) {
    unsigned syndrome = 0;
    for (unsigned bit = 0; bit < dimension; ++bit)
      if (router >> bit & 1) syndrome ^= bit % period + 1;
    if (syndrome == 0) routers.push_back(router);
  }
  return routers;
}

bool perfect_placement(unsigned dimension) { return std::has_single_bit(dimension + 1); }

unsigned io_network_dimension(unsigned dimension) { return dimension - check_bits(dimension); }

DominationBounds domination_bounds(unsigned dimension) {
  check(dimension, 15);
  static constexpr DominationBounds known[] = {{1, 1},     {2, 2},     {2, 2},     {4, 4},       {7, 7},
                                               {12, 12},   {16, 16},   {32, 32},   {57, 62},     {105, 120},
                                               {180, 192}, {342, 380}, {598, 736}, {1172, 1408}, {2048, 2048}};
  return known[dimension - 1];
}

std::vector<std::uint32_t> minimum_dominating_set(unsigned dimension) {
  check(dimension, 8);
  if (dimension >= 7 || dimension == 3) return hamming_placement(dimension);
  if (dimension == 6) return {1, 12, 14, 18, 23, 27, 33, 35, 46, 52, 56, 61};
  return Cover(dimension).best;
}

bool dominates(unsigned dimension, const std::vector<std::uint32_t>& routers) {
  check(dimension, most_dimensions);
  std::vector<bool> covered(std::size_t{1} << dimension);
  for (const auto router : routers) {
    if (router >> dimension) return false;
    covered[router] = true;
    for (unsigned bit = 0; bit < dimension; ++bit) covered[router ^ 1u << bit] = true;
  }
  for (const bool one : covered)
    if (!one) return false;
  return true;
}

double sorting_scaling(double processors, double memory_words) {
  return processors * std::log2(memory_words) / (std::log2(processors) + std::log2(memory_words));
}
double io_scaling(double processors) { return processors / std::log2(processors); }
double matrix_scaling(double processors) { return std::sqrt(processors); }
double sorting_balance(double processors, double memory_words, double io_ratio) {
  return io_ratio / sorting_scaling(processors, memory_words);
}

}  // namespace assay::network
