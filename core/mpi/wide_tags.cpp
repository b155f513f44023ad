#include "mpi/wide_tags.hpp"

#include "timing/faults.hpp"

namespace assay::mpirun {

int WideTags::fresh_context() {
  if (next_ > abi::last_context)
    throw timing::InputFault("--library mpich: more communicators and tags than are told apart: 65,000 times 32,768");
  return next_++;
}

WideTags::Space& WideTags::space(std::uint64_t tag) {
  const auto [found, fresh] = spaces_.try_emplace(tag >> abi::wide_tag_bits);
  if (fresh) found->second.context = fresh_context();
  return found->second;
}

int WideTags::word(std::uint64_t tag) {
  tag &= abi::wide_compared;
  const auto [found, fresh] = words_.try_emplace(tag);
  if (!fresh) return found->second;
  Space& of = space(tag);
  if (of.used > abi::greatest_tag) {
    if (of.any)
      throw timing::InputFault("--library mpich: more than 32,768 tags in a communicator in which any tag is received");
    of = {fresh_context(), 0, true, false};
  }
  return found->second = abi::word_of(of.context, of.used++);
}

int WideTags::any_word(std::uint64_t tag) {
  Space& of = space(tag & abi::wide_compared);
  if (of.several)
    throw timing::InputFault("--library mpich: any tag is received in a communicator with more than 32,768 tags");
  of.any = true;
  return abi::any_tag_word(of.context);
}

}  // namespace assay::mpirun
