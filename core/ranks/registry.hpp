// The rank programs that were compiled into the core. CMake finds programs/ranks/*.hpp that hold a record and writes
// one small source for each, which defines a Program by describe<ranks::Program>(), and the list of them.
#pragma once

#include <string_view>
#include <vector>

#include "ranks/session.hpp"
#include "ranks/simulated.hpp"

namespace assay::described {

struct Program {
  std::string_view record;
  ranks::Task (*run)(Simulated& comm, ranks::Session& session);
};

template <class P>
Program describe() {
  return {P::record, [](Simulated& comm, ranks::Session& session) { return P::run(comm, session); }};
}

std::vector<Program> programs();  // generated

}  // namespace assay::described
