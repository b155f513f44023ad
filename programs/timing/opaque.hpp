// Barriers against the optimiser that cost no instruction: after opaque(x) the compiler knows nothing of x's value,
// but keeps it in its register; after touched() it must take all memory to have changed.
#pragma once

#include <type_traits>

namespace assay::timing {

#if defined(__x86_64__) || defined(__i386__)
#define ASSAY_REAL_REGISTER "+v"
#elif defined(__aarch64__)
#define ASSAY_REAL_REGISTER "+w"
#elif defined(__riscv)
#define ASSAY_REAL_REGISTER "+f"
#else
#define ASSAY_REAL_REGISTER "+m"  // elsewhere through memory: correct, but with a store and a load
#endif

template <class T>
[[gnu::always_inline]] inline void opaque(T& value) {
  if constexpr (std::is_integral_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>) {
    asm volatile("" : "+r"(value));
  } else {
    asm volatile("" : ASSAY_REAL_REGISTER(value));
  }
}

[[gnu::always_inline]] inline void touched() { asm volatile("" : : : "memory"); }

}  // namespace assay::timing
