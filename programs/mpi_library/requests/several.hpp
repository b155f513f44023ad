// Several requests that are waited for or tested.
#pragma once

#include <span>
#include <vector>

#include "mpi_library/requests/request.hpp"

namespace assay::abi {

// Until all that is under way of them is over.
void wait_all(std::span<const MPI_Request> requests);

// Which of them are active, and which of these are over already; the others as the simulator takes them.
class Several {
 public:
  explicit Several(std::span<const MPI_Request> requests);
  ~Several();
  Several(const Several&) = delete;
  Several& operator=(const Several&) = delete;

  bool any_active() const { return !over_.empty() || !listed_.empty(); }
  // Places in the array of those that are over, in order; in vain none. wait() waits until one is.
  const std::vector<int>& over() const { return over_; }
  int active() const { return static_cast<int>(over_.size() + listed_.size()); }
  void wait(TestMode mode);  // any or some
  void test(TestMode mode);

 private:
  void ask(Does does, TestMode mode);

  std::vector<int> over_, listed_;
  Place list_ = 0, result_ = 0;
};

}  // namespace assay::abi
