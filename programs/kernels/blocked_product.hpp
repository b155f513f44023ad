// Our own product of two square matrices, C = A B, rows one after another; compiled apart, so that other flags touch
// nothing but it. Threads take turns at the blocks of rows.
#pragma once

#include <cstdint>

namespace assay::kernels {

template <class T>
struct Operands {
  std::int64_t n;
  const T *a, *b;
  T *c, *panel;  // panel: room for panel_elements(n), which all threads share
};

// One of `count` threads; `meet` returns when all have called it with what is their own in `with`.
struct Seat {
  std::int64_t rank, count;
  void (*meet)(const void* with);
  const void* with;
};

// Elements that a product of this size needs beside its matrices, by the width of the vectors it is compiled for.
std::int64_t panel_elements(std::int64_t n, float);
std::int64_t panel_elements(std::int64_t n, double);

void multiply(const Operands<float>& of, const Seat& seat);
void multiply(const Operands<double>& of, const Seat& seat);

}  // namespace assay::kernels
