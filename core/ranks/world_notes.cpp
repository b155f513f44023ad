// Notes that go along with messages out of band.
#include "ranks/world.hpp"

namespace assay::described {

void World::pass_note(MessageId id, RequestId receive) {
  const auto found = notes_.find(id);
  if (found == notes_.end()) return;
  passed_[receive] = found->second;
  notes_.erase(found);
}

World::Note World::noted(RequestId receive) {
  const auto found = passed_.find(receive);
  if (found == passed_.end()) return {};
  const Note note = found->second;
  passed_.erase(found);
  return note;
}

World::Note World::noted_at(int rank, int from, int tag) {
  const MessageId id = waiting_message(rank, from, tag, false);
  const auto found = id == none ? notes_.end() : notes_.find(id);
  return found == notes_.end() ? Note{} : found->second;
}

}  // namespace assay::described
