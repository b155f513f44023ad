// What a native test expects: one line on standard error for each thing that is otherwise.
#pragma once

#include <cstdio>
#include <string>

inline int failures = 0;
inline void expect(bool truth, const std::string& what) {
  if (truth) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  ++failures;
}
