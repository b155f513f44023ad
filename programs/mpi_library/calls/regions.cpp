// Regions that a program marks (include/assay.h).
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_library/transport/transport.hpp"

using namespace assay::abi;

namespace {

constexpr std::size_t longest = 100;

std::vector<std::string>& inside() {
  static auto* const all = new std::vector<std::string>;
  return *all;
}

bool good(std::string_view name) {
  for (const char each : name)
    if (each < ' ' || each > '~') return false;
  return !name.empty() && name.size() <= longest;
}

void check(const char* function) {
  if (!initialized) end_with("%s: MPI is not initialized", function);
}

}  // namespace

extern "C" void assay_mpi_region_begin(const char* name) {
  check("assay_region_begin");
  const std::string_view its(name, name ? strnlen(name, longest + 1) : 0);
  if (!good(its)) end_with("assay_region_begin: a name is 1 to 100 printable ASCII characters");
  inside().emplace_back(its);
  mark_region(Does::begins, its);
}

extern "C" void assay_mpi_region_end(const char* name) {
  check("assay_region_end");
  auto& all = inside();
  if (all.empty()) end_with("assay_region_end: no region has begun; got %.100s", name ? name : "no name");
  if (!name || all.back() != name)
    end_with("assay_region_end: the region that began last is %s; got %.100s", all.back().c_str(),
             name ? name : "no name");
  mark_region(Does::ends, all.back());
  all.pop_back();
}
