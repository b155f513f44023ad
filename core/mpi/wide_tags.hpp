// Words of the World for tags of 64 bits (programs/mpi_library/shared/segment.hpp).
//
// The World compares a word of a context and 15 bits of tag. Each space of wide tags gets a context, and in it each tag
// a number in the order in which they are seen; a space of more tags gets further contexts. A receive of any tag has
// the space's context, which must be its only one then.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "mpi_library/shared/segment.hpp"

namespace assay::mpirun {

class WideTags {
 public:
  // Throw InputFault where there are more tags or spaces than the World can tell from each other.
  int word(std::uint64_t tag);
  int any_word(std::uint64_t tag);

 private:
  struct Space {
    int context = 0;  // the last one
    int used = 0;     // tags in it
    bool several = false, any = false;
  };
  Space& space(std::uint64_t tag);
  int fresh_context();

  std::unordered_map<std::uint64_t, int> words_;
  std::unordered_map<std::uint64_t, Space> spaces_;
  int next_ = abi::first_context + 1;  // the first one is the provider's own
};

}  // namespace assay::mpirun
