// The first versions of functions that the C library has changed since glibc 2.28, for a module that starts with that,
// too. Of the mathematical ones the newer version differs in how errors are reported (errno), not in results.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__)
__asm__(".symver exp, exp@GLIBC_2.2.5");
__asm__(".symver exp2, exp2@GLIBC_2.2.5");
__asm__(".symver log, log@GLIBC_2.2.5");
__asm__(".symver log2, log2@GLIBC_2.2.5");
__asm__(".symver pow, pow@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlerror, dlerror@GLIBC_2.2.5");
#endif
