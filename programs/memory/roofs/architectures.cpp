#include "memory/roofs/architectures.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>

namespace assay::memory::roofs {

namespace {

struct Models {
  std::int64_t from, to;
};
struct Row {
  std::string_view vendor;
  std::int64_t family;
  std::span<const Models> models;
  std::string_view newer;  // an extension that none of these cores has and their successors have; "": none tells
  Architecture of;
};

constexpr std::string_view amd = "AuthenticAMD", intel = "GenuineIntel";
constexpr Models zen1[] = {{0x00, 0x2f}}, zen2[] = {{0x30, 0x4f}, {0x60, 0x7f}, {0x90, 0xaf}},
                 zen3[] = {{0x00, 0x0f}, {0x20, 0x5f}}, zen4[] = {{0x10, 0x1f}, {0x60, 0x7f}, {0xa0, 0xaf}},
                 zen5[] = {{0x00, 0x1f}, {0x40, 0x4f}};  // those whose units have 512 bits
constexpr Models haswell[] = {{0x3c, 0x3d}, {0x3f, 0x3f}, {0x45, 0x47}, {0x4e, 0x4f}, {0x56, 0x56},
                              {0x5e, 0x5e}, {0x8e, 0x8e}, {0x9e, 0x9e}, {0xa5, 0xa6}},
                 skylake_x[] = {{0x55, 0x55}}, ice_lake[] = {{0x7d, 0x7e}, {0x8c, 0x8d}, {0xa7, 0xa7}},
                 ice_lake_x[] = {{0x6a, 0x6a}, {0x6c, 0x6c}},
                 golden_cove[] = {{0x97, 0x97}, {0x9a, 0x9a}, {0xb7, 0xb7}, {0xba, 0xba}, {0xbf, 0xbf}},
                 golden_cove_x[] = {{0x8f, 0x8f}, {0xad, 0xae}, {0xcf, 0xcf}};  // Redwood Cove with them
constexpr Limits with_amx = {{3, 3, 3, 2}, {2, 2, 2, 1}, {2, 2, 2, 1}, {2, 2, 2, 2}, 64};

constexpr Row table[] = {
    {amd, 0x17, zen1, "clwb", {"Zen", {{2, 2, 1}, {1, 1, .5}, {1, 1, .5}, {2, 2, 1}, 32}}},
    {amd, 0x17, zen2, "vaes", {"Zen 2", {{2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {2, 2, 2}, 32}}},
    {amd, 0x19, zen3, "avx512f", {"Zen 3", {{3, 2, 2}, {2, 1, 1}, {1.5, 1, 1}, {2, 2, 2}, 32}}},
    {amd, 0x19, zen4, "avx_vnni", {"Zen 4", {{3, 2, 2, 1}, {2, 1, 1, .5}, {1.5, 1, 1, .5}, {2, 2, 2, 1}, 32}}},
    {amd, 0x1a, zen5, "", {"Zen 5", {{4, 2, 2, 2}, {2, 2, 2, 1}, {2, 2, 2, 1}, {2, 2, 2, 2}, 64}}},
    {intel, 6, haswell, "avx512f", {"Haswell to Skylake", {{2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {2, 2, 2}, 64}}},
    {intel,
     6,
     skylake_x,
     "avx512_vbmi2",
     {"Skylake-SP (two 512-bit units)", {{2, 2, 2, 2}, {1, 1, 1, 1}, {1, 1, 1, 1}, {2, 2, 2, 2}, 64}}},
    {intel,
     6,
     ice_lake,
     "avx_vnni",
     {"Ice Lake to Rocket Lake", {{2, 2, 2, 2}, {2, 2, 2, 1}, {2, 2, 2, 1}, {2, 2, 2, 1}, 64}}},
    {intel, 6, ice_lake_x, "avx_vnni", {"Ice Lake-SP", {{2, 2, 2, 2}, {2, 2, 2, 1}, {2, 2, 2, 1}, {2, 2, 2, 2}, 64}}},
    {intel, 6, golden_cove, "amx_tile", {"Golden Cove", {{3, 3, 3}, {2, 2, 2}, {2, 2, 2}, {2, 2, 2}, 64}}},
    {intel, 6, golden_cove_x, "", {"Golden Cove", with_amx}},
};

}  // namespace

std::string Identity::text() const {
  return vendor.empty() ? "of no stated vendor"
                        : vendor + " family " + std::to_string(family) + " model " + std::to_string(model);
}

bool Identity::has(std::string_view extension) const { return extensions.contains(extension); }

Identity find_identity(const std::string& system) {
  Identity found;
  std::ifstream info(system + "proc/cpuinfo");
  for (std::string line; std::getline(info, line) && !line.empty();) {  // of the first processor
    const std::size_t colon = line.find(':'), end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    const std::string key = line.substr(0, end + 1), value = line.substr(colon + 2);
    if (key == "vendor_id") found.vendor = value;
    if (key == "cpu family") found.family = std::strtoll(value.c_str(), nullptr, 10);
    if (key == "model") found.model = std::strtoll(value.c_str(), nullptr, 10);
    if (key == "flags") {
      std::istringstream words(value);
      for (std::string word; words >> word;) found.extensions.insert(word);
    }
  }
  return found;
}

std::optional<Architecture> find_architecture(const Identity& identity) {
  for (const Row& row : table)
    if (row.vendor == identity.vendor && row.family == identity.family)
      for (const Models& models : row.models)
        if (models.from <= identity.model && identity.model <= models.to && !identity.has(row.newer)) return row.of;
  // Every core of family 6 that has it: Golden Cove, Raptor Cove and Redwood Cove of servers.
  if (identity.vendor == intel && identity.family == 6 && identity.has("amx_tile"))
    return Architecture{"Golden Cove (told by its AMX: the stated model is another core's)", with_amx};
  return std::nullopt;
}

double limit_of(const Limits& limits, std::string_view kernel, std::string_view level, std::int64_t bits) {
  const std::size_t width = bits == 512 ? 3 : bits == 256 ? 2 : bits == 128 ? 1 : 0;
  if (kernel == "multiply_add") return limits.multiply_adds[width];
  if (level != "L1" && level != "L2") return 0;
  const double first = kernel == "load"    ? limits.loads[width]
                       : kernel == "store" ? limits.stores[width]
                                           : limits.copies[width];
  // A line that is stored to comes from the second cache before: a store costs as many bytes from there as a load, a
  // copy twice as many.
  const double vectors = 8 * limits.second_level / static_cast<double>(bits);
  return level == "L1" ? first : std::min(first, kernel == "copy" ? vectors / 2 : vectors);
}

}  // namespace assay::memory::roofs
