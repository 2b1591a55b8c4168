/* Which builds of the kernels are here, and which of them this processor can run. */
#include <stddef.h>

#include "interface.h"

int mathtree_interface(void) { return INTERFACE; }

/* The names of the variants that can be run, the best first, then NULL. */
const char *mathtree_variant(int k) {
#if defined(__x86_64__)
    const char *names[4];
    int count = 0;
    __builtin_cpu_init();
    int v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    int v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (v4) names[count++] = "v4";
    if (v3) names[count++] = "v3";
    if (v2) names[count++] = "v2";
    names[count++] = "generic";
    return k >= 0 && k < count ? names[k] : NULL;
#else
    return k == 0 ? "generic" : NULL;
#endif
}
