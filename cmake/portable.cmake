# For a wheel: what it needs of the C library is of 2018 (glibc 2.28), and libstdc++ is inside, under no name that others
# could meet. libgcc_s stays shared, so that exceptions pass between the core and a person's own programs.
target_compile_options(assay_options INTERFACE -include ${CMAKE_SOURCE_DIR}/cmake/glibc_2_28.hpp)
if(NOT ASSAY_CORE)
  target_sources(assay_core PRIVATE ${CMAKE_SOURCE_DIR}/cmake/glibc_2_28.cpp)
endif()
target_link_options(assay_options INTERFACE -static-libstdc++ -Wl,--exclude-libs,libstdc++.a
                    -Wl,--wrap=pthread_once,--wrap=pthread_create,--wrap=pthread_join,--wrap=hypot -Wl,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0 -Wl,--as-needed)
