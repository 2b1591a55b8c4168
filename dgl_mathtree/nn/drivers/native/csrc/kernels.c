/* Runs recorded steps of recursive cells over the levels of a forest, forward and backward.
   Built once for each kind of processor; VARIANT ends the names of a build's functions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "interface.h"

#define JOIN(a, b, c) a##_##b##_##c
#define NAME(a, b, c) JOIN(a, b, c)
#define FN(name) NAME(name, TYPE_NAME, VARIANT)

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define MANY_REGISTERS 1
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#if defined(__aarch64__)
#define MANY_REGISTERS 1
#endif

/* A vector that is needed several times is read once: compilers like to read it again for every use, at twice the cost
   where it lies across two lines of the cache. */
#if defined(__AVX512F__)
#define IN_REGISTER(v) __asm__("" : "+v"(v))
#elif defined(__x86_64__)
#define IN_REGISTER(v) __asm__("" : "+x"(v))
#else
#define IN_REGISTER(v) (void)(v)
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAS_SHUFFLE 1
#endif
#endif

#if VECTOR_BYTES == 64
#define EVEN_FLOAT 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_FLOAT 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define EVEN_DOUBLE 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_DOUBLE 1, 3, 5, 7, 9, 11, 13, 15
#elif VECTOR_BYTES == 32
#define EVEN_FLOAT 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_FLOAT 1, 3, 5, 7, 9, 11, 13, 15
#define EVEN_DOUBLE 0, 2, 4, 6
#define ODD_DOUBLE 1, 3, 5, 7
#else
#define EVEN_FLOAT 0, 2, 4, 6
#define ODD_FLOAT 1, 3, 5, 7
#define EVEN_DOUBLE 0, 2
#define ODD_DOUBLE 1, 3
#endif

#define T float
#define INTEGER int32_t
#define BYTES 4
#define SQRT sqrtf
#define TYPE_NAME f32
#define IS_FLOAT 1
#define EVEN_LANES EVEN_FLOAT
#define ODD_LANES ODD_FLOAT
#include "passes_of_type.h"

#undef T
#undef INTEGER
#undef BYTES
#undef SQRT
#undef TYPE_NAME
#undef IS_FLOAT
#undef EVEN_LANES
#undef ODD_LANES
#define T double
#define INTEGER int64_t
#define BYTES 8
#define SQRT sqrt
#define TYPE_NAME f64
#define IS_FLOAT 0
#define EVEN_LANES EVEN_DOUBLE
#define ODD_LANES ODD_DOUBLE
#include "passes_of_type.h"
