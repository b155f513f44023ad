// What a core can do at most in a cycle, by its family: vectors loaded from and stored to the first cache,
// multiply-adds.
//
// Sources: AMD's software optimization guides for families 17h, 19h and 1Ah (55723, 56665, 58455); Intel's optimization
// reference manual (248966), chapters on each microarchitecture; Agner Fog, The microarchitecture of Intel, AMD and VIA
// CPUs. What is not listed is not known here, and no share of it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace assay::memory::roofs {

struct Limits {  // per cycle, of scalars and of vectors of 128, 256 and 512 bits; 0: none, or not known
  double loads[4] = {}, stores[4] = {}, copies[4] = {}, multiply_adds[4] = {};
  double second_level = 0;  // bytes that come from the second cache
};

// Who made the core, as /proc/cpuinfo of x86 says it. A guest may see another model than the core's: what the core can
// do, its extensions, is believed before its number.
struct Identity {
  std::string vendor;
  std::int64_t family = -1, model = -1;
  std::set<std::string, std::less<>> extensions;
  bool has(std::string_view extension) const;
  std::string text() const;
};
Identity find_identity(const std::string& system = "/");  // "/" but in tests

struct Architecture {
  std::string_view name;
  Limits limits;
};
// None where no row is of this model, or where the core has an extension that no core of the row has.
std::optional<Architecture> find_architecture(const Identity& identity);

// Vectors of so many bits per cycle: `kernel` is load, store, copy or multiply_add, `level` where it works; 0 where it
// is not known.
double limit_of(const Limits& limits, std::string_view kernel, std::string_view level, std::int64_t bits);

}  // namespace assay::memory::roofs
