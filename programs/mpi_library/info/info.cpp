#include "mpi_library/info/info.hpp"

#include <algorithm>
#include <cstring>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/text.hpp"

namespace assay::abi {
namespace {

[[gnu::constructor]] void define_environment() {
  static Info environment;
  predefine(reinterpret_cast<std::uintptr_t>(MPI_INFO_ENV), environment);
}

std::string key_in(const char* key) {
  const std::size_t length = key ? std::strlen(key) : 0;
  if (length == 0 || length >= MPI_MAX_INFO_KEY)
    fail(MPI_ERR_INFO_KEY, "a key has 1 to " + std::to_string(MPI_MAX_INFO_KEY - 1) + " characters");
  return key;
}
Info& changeable(MPI_Info handle) {
  Info& found = info(handle);
  if (found.predefined) fail(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
  return found;
}

}  // namespace

const std::string* Info::find(const std::string& key) const {
  const auto found = std::ranges::find(entries, key, &std::pair<std::string, std::string>::first);
  return found == entries.end() ? nullptr : &found->second;
}
Info* kept(MPI_Info handle) {
  if (handle == MPI_INFO_NULL) return nullptr;
  auto* copy = new Info;
  copy->entries = info(handle).entries;
  return copy;
}
MPI_Info copy_of(const Info* kept) {
  auto* copy = new Info;
  if (kept) copy->entries = kept->entries;
  return handle_of<MPI_Info>(*copy);
}

}  // namespace assay::abi

using namespace assay::abi;

MPI_FUNCTION(MPI_Info_create, (MPI_Info * out)) {
  return call(__func__, [&] { *out = copy_of(nullptr); });
}
MPI_FUNCTION(MPI_Info_create_env, (int, char**, MPI_Info* out)) {
  return call(__func__, [&] { *out = copy_of(nullptr); });
}
MPI_FUNCTION(MPI_Info_dup, (MPI_Info handle, MPI_Info* out)) {
  return call(__func__, [&] { *out = copy_of(&info(handle)); });
}
MPI_FUNCTION(MPI_Info_free, (MPI_Info * handle)) {
  return call(__func__, [&] {
    release(changeable(*handle));
    *handle = MPI_INFO_NULL;
  });
}
MPI_FUNCTION(MPI_Info_set, (MPI_Info handle, const char* key, const char* value)) {
  return call(__func__, [&] {
    Info& of = changeable(handle);
    const std::string name = key_in(key);
    if (!value || std::strlen(value) >= MPI_MAX_INFO_VAL)
      fail(MPI_ERR_INFO_VALUE, "a value has at most " + std::to_string(MPI_MAX_INFO_VAL - 1) + " characters");
    const auto found = std::ranges::find(of.entries, name, &std::pair<std::string, std::string>::first);
    if (found == of.entries.end())
      of.entries.emplace_back(name, value);
    else
      found->second = value;
  });
}
MPI_FUNCTION(MPI_Info_delete, (MPI_Info handle, const char* key)) {
  return call(__func__, [&] {
    Info& of = changeable(handle);
    const std::string name = key_in(key);
    if (std::erase_if(of.entries, [&](const auto& each) { return each.first == name; }) == 0)
      fail(MPI_ERR_INFO_NOKEY, "no key " + name);
  });
}
MPI_FUNCTION(MPI_Info_get_nkeys, (MPI_Info handle, int* count)) {
  return call(__func__, [&] { *count = static_cast<int>(info(handle).entries.size()); });
}
MPI_FUNCTION(MPI_Info_get_nthkey, (MPI_Info handle, int n, char* key)) {
  return call(__func__, [&] {
    const Info& of = info(handle);
    check_argument(n >= 0 && n < std::ssize(of.entries), "no key of that number");
    std::strcpy(key, of.entries[static_cast<std::size_t>(n)].first.c_str());
  });
}
MPI_FUNCTION(MPI_Info_get_valuelen, (MPI_Info handle, const char* key, int* length, int* flag)) {
  return call(__func__, [&] {
    const std::string* found = info(handle).find(key_in(key));
    *flag = found != nullptr;
    if (found) *length = static_cast<int>(found->size());
  });
}
MPI_FUNCTION(MPI_Info_get, (MPI_Info handle, const char* key, int room, char* value, int* flag)) {
  return call(__func__, [&] {
    const std::string* found = info(handle).find(key_in(key));
    *flag = found != nullptr;
    int length = 0;
    if (found) write(*found, value, &length, static_cast<std::size_t>(std::max(room, 0)) + 1);
  });
}
MPI_FUNCTION(MPI_Info_get_string, (MPI_Info handle, const char* key, int* room, char* value, int* flag)) {
  return call(__func__, [&] {
    const std::string* found = info(handle).find(key_in(key));
    *flag = found != nullptr;
    if (!found) return;
    int length = 0;
    if (*room > 0) write(*found, value, &length, static_cast<std::size_t>(*room));
    *room = static_cast<int>(found->size()) + 1;
  });
}
