// A real number as a check says it, three digits: 7.6e-05.
#pragma once

#include <cstdio>
#include <string>

namespace assay::kernels {

inline std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace assay::kernels
