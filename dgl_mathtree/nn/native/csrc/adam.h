/* Clipping and Adam: one pass over the gradients for their norm, and one over all four arrays for the step. */

/* The sum of the squares, in double, over stretches that are summed as they are. */
double FN(square_norm)(i64 n, const T *g) {
    double total = 0;
    for (i64 at = 0; at < n; at += 4096) {
        i64 end = n - at < 4096 ? n : at + 4096, i = at;
        V sums[4] = {{0}};
        for (; i + 4 * LANES <= end; i += 4 * LANES)
            for (int k = 0; k < 4; k++) sums[k] += READ(g + i + k * LANES) * READ(g + i + k * LANES);
        T rest = FN(sum)((sums[0] + sums[1]) + (sums[2] + sums[3]));
        for (; i < end; i++) rest += g[i] * g[i];
        total += rest;
    }
    return total;
}

/* One step with the gradient times `clip`. `shrink` is what decoupled decay multiplies a weight with, `l2` what is
   added to its gradient for each unit of it; `rate` and `root` hold the corrections of the moments' bias. */
void FN(adam)(i64 n, T *restrict weight, const T *restrict gradient, T *restrict mean, T *restrict square,
              const double *settings) {
    const T clip = (T)settings[0], rate = (T)settings[1], root = (T)settings[2], first = (T)settings[3];
    const T second = (T)settings[4], epsilon = (T)settings[5], shrink = (T)settings[6], l2 = (T)settings[7];
    for (i64 i = 0; i < n; i++) {
        T g = gradient[i] * clip + l2 * weight[i];
        T m = mean[i] + first * (g - mean[i]);
        T v = square[i] + second * (g * g - square[i]);
        mean[i] = m;
        square[i] = v;
        weight[i] = weight[i] * shrink - rate * m / (SQRT(v) * root + epsilon);
    }
}
