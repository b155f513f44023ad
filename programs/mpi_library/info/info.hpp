// Info objects: keys with values, in the order in which they were set.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mpi_library/objects/object.hpp"

namespace assay::abi {

struct Info : Object {
  static constexpr Kind kind_of = Kind::info;
  Info() : Object(kind_of) {}
  std::vector<std::pair<std::string, std::string>> entries;

  const std::string* find(const std::string& key) const;
};
inline Info& info(MPI_Info handle) { return object<Info>(handle); }
// A copy for an object that keeps one; null for MPI_INFO_NULL.
Info* kept(MPI_Info handle);
MPI_Info copy_of(const Info* kept);

}  // namespace assay::abi
