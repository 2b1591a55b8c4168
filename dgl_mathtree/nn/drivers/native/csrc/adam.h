/* Clipping and Adam: one pass over the gradients for their norm, and one over all four arrays for the step. */

/* The sum of the squares, in double, over stretches that are summed as they are. */
static double FN(square_norm)(i64 n, const T *g) {
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

/* The same over several arrays, given as pairs of a size and an address, added to a sum in their order. */
double FN(square_norms)(i64 arrays, const i64 *array, double total) {
    for (; arrays; arrays--, array += 2) total += FN(square_norm)(array[0], (const T *)array[1]);
    return total;
}

/* One step with the gradient times `clip`. `shrink` is what decoupled decay multiplies a weight with, `l2` what is
   added to its gradient for each unit of it; `rate` and `root` hold the corrections of the moments' bias.
   awake: of each BLOCK numbers whether a moment may be other than 0. Where none is and the gradient is 0, a step would
   leave the moments as they are and the weights but for their decay, so that only this is done. */
static void FN(adam_step)(i64 n, T *restrict weight, const T *restrict gradient, T *restrict mean, T *restrict square,
              unsigned char *restrict awake, const double *settings) {
    const T clip = (T)settings[0], rate = (T)settings[1], root = (T)settings[2], first = (T)settings[3];
    const T second = (T)settings[4], epsilon = (T)settings[5], shrink = (T)settings[6], l2 = (T)settings[7];
    for (i64 at = 0; at < n; at += BLOCK, awake++) {
        const i64 end = n - at < BLOCK ? n : at + BLOCK;
        if (!*awake && l2 == 0 && FN(is_zero)(end - at, gradient + at)) {
            if (shrink != 1)
                for (i64 i = at; i < end; i++) weight[i] *= shrink;
            continue;
        }
        *awake = 1;
        for (i64 i = at; i < end; i++) {
            T g = gradient[i] * clip + l2 * weight[i];
            T m = mean[i] + first * (g - mean[i]);
            T v = square[i] + second * (g * g - square[i]);
            mean[i] = m;
            square[i] = v;
            weight[i] = weight[i] * shrink - rate * m / (SQRT(v) * root + epsilon);
        }
    }
}

/* One step for each of some parameters. Settings: what gradients are multiplied with, the learning rate, how much of the
   first and of the second moment is kept, epsilon, and what decay is to a weight and to its gradient, see above. */
void FN(adam)(i64 steps, const AdamStep *step) {
    for (; steps; steps--, step++) {
        const double *given = step->settings, number = ++*step->number;
        const double rate = given[1] / (1 - pow(given[2], number)), root = 1 / sqrt(1 - pow(given[3], number));
        const double settings[] = {given[0], rate, root, 1 - given[2], 1 - given[3], given[4], given[5], given[6]};
        FN(adam_step)(step->count, step->weight, step->gradient, step->mean, step->square, step->awake, settings);
    }
}

/* Which stretches of two moments are awake. */
void FN(find_awake)(i64 n, const T *mean, const T *square, unsigned char *awake) {
    for (i64 at = 0; at < n; at += BLOCK) {
        const i64 count = n - at < BLOCK ? n - at : BLOCK;
        awake[at / BLOCK] = !(FN(is_zero)(count, mean + at) && FN(is_zero)(count, square + at));
    }
}
