// A node program, whole: run_program reads the command line, lets the body set up every case once, calibrates, and
// measures blocks of all cases in turn, each round in a new seeded random order, so that a disturbance of some seconds
// does not fall on one case alone. Checks come last, over what the measured loops left behind.
//
//     int main(int argc, char** argv) {
//       return assay::timing::run_program(record, argc, argv, [](assay::timing::Case& at) {
//         auto state = std::make_shared<State>(at.integer("size"));
//         at.measure("time", [state](std::int64_t operations) { … });
//         at.check([state] { return assay::timing::Check{state->right(), "1028 primes up to 8190"}; });
//       });
//     }
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "timing/case.hpp"
#include "timing/launch.hpp"

namespace assay::timing {

inline std::uint64_t random_bits(std::uint64_t& state) {  // splitmix64, Steele, Lea and Flood 2014
  std::uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

template <class T>
void shuffle(std::vector<T>& items, std::uint64_t& state) {  // the same order for a seed on every machine
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random_bits(state) % left]);
}

// Runs a program; returns its exit status. `flags`: those that it was compiled with.
int run_program(std::string_view record, int argc, const char* const* argv, const std::function<void(Case&)>& body,
                std::string_view flags = ASSAY_FLAGS);

}  // namespace assay::timing
