// Fetches a line of memory that will be wanted soon.
#pragma once

namespace assay::events {

/// The empty statement keeps a function that does nothing else from being taken for one without effect, and left out
/// (GCC's ipa-pure-const).
[[gnu::always_inline]] inline void prefetch(const void* line) {
  __builtin_prefetch(line, 1);
  asm volatile("");
}

}  // namespace assay::events
