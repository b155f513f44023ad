// Strings that cross the interface: cut to what the ABI allows.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace assay::abi {

// Of at most `room` bytes with the zero at its end.
inline std::string cut(std::string_view text, std::size_t room) { return std::string(text.substr(0, room - 1)); }

inline void write(std::string_view text, char* to, int* length, std::size_t room) {
  const std::size_t bytes = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), bytes);
  to[bytes] = '\0';
  *length = static_cast<int>(bytes);
}

}  // namespace assay::abi
