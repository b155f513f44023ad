// The checksum of a line of JSON and its place in its file, as src/assay/stored/seal.py reads them: CRC-32 (that of
// zlib and IEEE 802.3, polynomial 0xedb88320 reflected) of all bytes before the comma that precedes it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace assay::timing {

inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t rest = byte;
      for (int bit = 0; bit < 8; ++bit) rest = rest & 1 ? 0xedb88320U ^ (rest >> 1) : rest >> 1;
      made[byte] = rest;
    }
    return made;
  }();
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

// `object`: JSON, with its closing brace, which comes again behind the checksum.
inline std::string sealed(std::string object) {
  object.pop_back();
  char text[32];
  std::snprintf(text, sizeof text, ",\"crc\":\"%08x\"}", static_cast<unsigned>(crc32(object)));
  return object += text;
}

}  // namespace assay::timing
