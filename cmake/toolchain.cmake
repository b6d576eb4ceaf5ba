# Compiler settings shared by every target. ccache and mold are used when they are installed and
# never required.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# O3: the filter and score loops over node columns are written to be vectorised.
set(CMAKE_CXX_FLAGS_RELEASE "-O3")

# Scores use doubles in two places. Contracting a*b+c into one rounding would make the answer depend
# on the machine's instruction set.
add_compile_options(-ffp-contract=off)
# Nobody reads the floating-point exception flags; keeping them exact would forbid vectorising every
# loop with a comparison. Results are the same either way.
add_compile_options(-fno-trapping-math)

# What every x86 server of the last fifteen years has; without it bits of a set are counted one byte
# at a time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  add_compile_options(-march=x86-64-v2)
endif()

add_library(tutti_warnings INTERFACE)
target_compile_options(tutti_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these falsely inside std::string and std::variant at -O3 (GCC PR 105329, 105562).
  target_compile_options(tutti_warnings INTERFACE
    -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  # A batch includes its sources, whose file-local types g++ then takes for those of a header.
  if(TUTTI_BATCH)
    target_compile_options(tutti_warnings INTERFACE -Wno-subobject-linkage)
  endif()
endif()

if(TUTTI_SANITIZE)
  add_compile_options(
    -fsanitize=${TUTTI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Three checks before every access cost a third of the build. The address sanitizer finds what the
  # first two are for, and x86 reads from any address.
  if(TUTTI_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,object-size,alignment)
  endif()
  add_link_options(-fsanitize=${TUTTI_SANITIZE})
endif()

find_program(TUTTI_CCACHE ccache)
if(TUTTI_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TUTTI_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${TUTTI_CCACHE})
endif()
find_program(TUTTI_MOLD mold)
if(TUTTI_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Objects, strings and map nodes come and go by the million: the allocator decides a third of the
# time of a run. It takes the place of malloc by being linked; sanitizers bring their own.
find_library(TUTTI_MIMALLOC mimalloc)
function(tutti_use_allocator target)
  if(TUTTI_MIMALLOC AND NOT TUTTI_SANITIZE)
    target_link_libraries(${target} PRIVATE
      -Wl,--no-as-needed ${TUTTI_MIMALLOC} -Wl,--as-needed)
  endif()
endfunction()
