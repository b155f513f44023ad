// Where I/O nodes sit in a hypercube, and how many there should be: Ghosh, Goveas and Draper, section 3.
//
// Perfect placements are Hamming codes: number the n = 2^m - 1 address bits 1..n from the lowest; a router is in the
// code when the exclusive or of the numbers of its set bits is 0. Any other dimension takes the largest perfect cube
// below it, with m check bits, and bit i (from 0) the number i mod (2^m - 1) + 1: cubes with a perfect code put
// together, each code shifted so that they do not lie above each other (the paper's 0, 7, 9, 14 in the 4-cube).
#pragma once
#include <cstdint>
#include <vector>

namespace assay::network {

/// Routers with an I/O node, ascending; the i-th has I/O address i (the code's information bits). Dimension 1 to
/// most_dimensions.
std::vector<std::uint32_t> hamming_placement(unsigned dimension);
/// True where every router is in the code or next to exactly one that is: dimensions 1, 3, 7, 15.
bool perfect_placement(unsigned dimension);
/// ceil(log2(N / (log2 N + 1))): dimension of the I/O nodes' own hypercube.
unsigned io_network_dimension(unsigned dimension);

/// What is known of the smallest set with every router in it or next to it (the covering number K(n, 1)): from Keri's
/// tables of binary covering codes. lower = upper where it is settled.
struct DominationBounds {
  std::uint32_t lower, upper;
};
DominationBounds domination_bounds(unsigned dimension);  // 1 to 15
/// A smallest dominating set by branch and bound; dimension 1 to 5, and 6 (slow to find, so one of 12 is stored), 7, 8.
std::vector<std::uint32_t> minimum_dominating_set(unsigned dimension);
bool dominates(unsigned dimension, const std::vector<std::uint32_t>& routers);

/// Equation 3 and what follows it: by how much the I/O capacity of N processors with memories of M words must exceed
/// that of one, for sorting to stay balanced: N log M / (log N + log M).
double sorting_scaling(double processors, double memory_words);
/// The rule drawn from it: N / log2 N.
double io_scaling(double processors);
/// Matrix multiplication: sqrt N.
double matrix_scaling(double processors);
/// t_comp / t_io of equation 3 for a total I/O bandwidth `io_ratio` times that of one processor; 1 is balanced.
double sorting_balance(double processors, double memory_words, double io_ratio);

}  // namespace assay::network
