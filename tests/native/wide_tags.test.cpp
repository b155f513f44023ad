// Words of the World for tags of 64 bits: equal for equal tags, different for different ones, of one context for a
// space.
#include "mpi/wide_tags.hpp"

#include <set>

#include "expect.hpp"
#include "ranks/groups.hpp"
#include "timing/faults.hpp"

using namespace assay;

namespace {
constexpr std::uint64_t space(std::uint64_t number) { return number << abi::wide_tag_bits; }
constexpr std::uint64_t beside = std::uint64_t{1} << 55;  // goes along, is not compared

template <class Does>
bool refuses(const Does& does) {
  try {
    does();
  } catch (const timing::InputFault&) {
    return true;
  }
  return false;
}
}  // namespace

int main() {
  mpirun::WideTags tags;
  std::set<int> seen;
  for (std::uint64_t tag = 0; tag < 70'000; ++tag) {
    const int word = tags.word(space(5) | tag);
    expect(word >= 0 && seen.insert(word).second, "a word for each tag");
    expect(tags.word(space(5) | tag | beside) == word, "bits that go along are not compared");
  }
  expect(seen.insert(tags.word(space(6))).second, "spaces differ");
  expect(refuses([&] { tags.any_word(space(5)); }), "any of more tags than a context has");

  mpirun::WideTags few;
  const int any = few.any_word(space(9));
  for (std::uint64_t tag = 0; tag < 32'768; ++tag)
    expect(described::context_of(few.word(space(9) | tag)) == described::context_of(any), "any tag's context");
  expect(refuses([&] { few.word(space(9) | 1'000'000); }), "one tag more");
  return failures == 0 ? 0 : 1;
}
