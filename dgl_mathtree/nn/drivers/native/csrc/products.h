/* Two matrix products of a map y = x W + b: of its value, and of its input's gradient; weights.h has that of its weights'.
   Matrices have few rows (the nodes of one type in one level), so each is read as seldom as can be. */

/* A tile of y, ROWS x (COLUMNS vectors X of STEP numbers), stays in registers while x and W go by. adds: NULL, or in which
   columns it is added to what y holds, the others of which stay as they are. */
#define VALUE_TILE(NAME_, ROWS_, COLUMNS, X, BITS, STEP) \
static ALWAYS_INLINE void FN(NAME_)(const T *x, i64 x_step, i64 inputs, const T *w, i64 w_step, \
                                    const T *bias, T *y, i64 y_step, int ahead, const INTEGER *adds) { \
    X sum[ROWS_][COLUMNS]; \
    UNROLL for (int i = 0; i < ROWS_; i++) \
        UNROLL for (int v = 0; v < COLUMNS; v++) sum[i][v] = bias ? *(const X *)(bias + v * STEP) : (X){0}; \
    for (i64 k = 0; k < inputs; k++) { \
        X row[COLUMNS]; \
        if (ahead) UNROLL for (int v = 0; v < COLUMNS; v++) __builtin_prefetch(w + k * w_step + (COLUMNS + v) * STEP); \
        UNROLL for (int v = 0; v < COLUMNS; v++) row[v] = *(const X *)(w + k * w_step + v * STEP); \
        if (ROWS_ > 1) UNROLL for (int v = 0; v < COLUMNS; v++) IN_REGISTER(row[v]); \
        UNROLL for (int i = 0; i < ROWS_; i++) { \
            T factor = x[i * x_step + k]; \
            UNROLL for (int v = 0; v < COLUMNS; v++) sum[i][v] += factor * row[v]; \
        } \
    } \
    UNROLL for (int i = 0; i < ROWS_; i++) \
        UNROLL for (int v = 0; v < COLUMNS; v++) { \
            X *to = (X *)(y + i * y_step + v * STEP); \
            if (adds) *to = (X)(((BITS)(*to + sum[i][v]) & *(const BITS *)adds) | ((BITS)*to & ~*(const BITS *)adds)); \
            else *to = sum[i][v]; \
        } \
}
#define WHOLE_TILE(ROWS_, COLUMNS) VALUE_TILE(value_##ROWS_##x##COLUMNS, ROWS_, COLUMNS, V, B, LANES)
#if MANY_REGISTERS
#define MOST_WIDE_ROWS 2
WHOLE_TILE(8, 3)
WHOLE_TILE(8, 1)
WHOLE_TILE(7, 3)
WHOLE_TILE(7, 1)
WHOLE_TILE(6, 3)
WHOLE_TILE(6, 1)
WHOLE_TILE(5, 3)
WHOLE_TILE(5, 1)
WHOLE_TILE(2, 6)
#else
#define MOST_WIDE_ROWS 1
#endif
WHOLE_TILE(4, 3)
WHOLE_TILE(4, 1)
WHOLE_TILE(3, 3)
WHOLE_TILE(3, 1)
WHOLE_TILE(2, 3)
WHOLE_TILE(2, 1)
WHOLE_TILE(1, 6)
WHOLE_TILE(1, 3)
WHOLE_TILE(1, 1)
/* Where fewer columns are left than half of a long vector has, half of one takes half the time. */
#if VECTOR_BYTES == 64
#define HALF ((i64)(VECTOR_BYTES / sizeof(T) / 2))
typedef T FN(half) __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(T)), may_alias));
typedef INTEGER FN(half_bits) __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(T)), may_alias));
#define HALF_TILE(ROWS_) VALUE_TILE(value_##ROWS_##xh, ROWS_, 1, FN(half), FN(half_bits), HALF)
HALF_TILE(8)
HALF_TILE(7)
HALF_TILE(6)
HALF_TILE(5)
HALF_TILE(4)
HALF_TILE(3)
HALF_TILE(2)
HALF_TILE(1)
#undef HALF_TILE
#endif
#undef WHOLE_TILE
#undef VALUE_TILE

/* A vector from FN(last) + k on selects the last k of its lanes. */
static const INTEGER FN(last)[2 * VECTOR_BYTES / sizeof(T)] = {
    [VECTOR_BYTES / sizeof(T) ... 2 * VECTOR_BYTES / sizeof(T) - 1] = -1,
};

/* y (rows, outputs) = or, if it adds, += x (rows, inputs) w (inputs, outputs) + bias, or without if that is NULL. ahead:
   whether the first rows call for the columns of w that come next. */
static ALWAYS_INLINE void FN(product_value_tiles)(i64 rows, const T *x, i64 x_step, i64 inputs, const T *w, i64 w_step,
                                                  i64 outputs, const T *bias, T *y, i64 y_step, int adds, const int ahead) {
    if (outputs < LANES) {
        for (i64 i = 0; i < rows; i++) {
            T *to = y + i * y_step;
            for (i64 j = 0; j < outputs; j++) to[j] = (adds ? to[j] : 0) + (bias ? bias[j] : 0);
            for (i64 k = 0; k < inputs; k++)
                for (i64 j = 0; j < outputs; j++) to[j] += x[i * x_step + k] * w[k * w_step + j];
        }
        return;
    }
#define STRIP(ROWS_, COLUMNS) \
    { FN(value_##ROWS_##x##COLUMNS)(x + i * x_step, x_step, inputs, w + j, w_step, bias ? bias + j : 0, \
                                    y + i * y_step + j, y_step, ahead, given); i += ROWS_; }
#if MANY_REGISTERS
/* The rows in as few tiles as can be, of about the same height. */
#define ALL_ROWS(COLUMNS) \
    for (i64 tiles = (rows + 7) / 8; tiles; tiles--) \
        switch ((rows - i + tiles - 1) / tiles) { \
        case 8: STRIP(8, COLUMNS) break; \
        case 7: STRIP(7, COLUMNS) break; \
        case 6: STRIP(6, COLUMNS) break; \
        case 5: STRIP(5, COLUMNS) break; \
        case 4: STRIP(4, COLUMNS) break; \
        case 3: STRIP(3, COLUMNS) break; \
        case 2: STRIP(2, COLUMNS) break; \
        case 1: STRIP(1, COLUMNS) break; \
        }
#else
#define ALL_ROWS(COLUMNS) \
    while (rows - i >= 4 && rows - i != 5) STRIP(4, COLUMNS) \
    if (rows - i >= 3) STRIP(3, COLUMNS) \
    if (rows - i >= 2) STRIP(2, COLUMNS) \
    if (rows - i >= 1) STRIP(1, COLUMNS)
#endif
    for (i64 j = 0; j < outputs;) {
        i64 left = outputs - j, i = 0, width;
        const INTEGER *given = adds ? FN(last) + (left < LANES ? left : LANES) : 0;
        if (rows <= MOST_WIDE_ROWS && left >= 6 * LANES) {
            width = 6 * LANES;
#if MANY_REGISTERS
            if (rows == 2) STRIP(2, 6)
#endif
            if (rows == 1) STRIP(1, 6)
        } else if (left >= 3 * LANES) {
            width = 3 * LANES;
            ALL_ROWS(3)
#if VECTOR_BYTES == 64
        } else if (left <= HALF) {
            width = HALF;
            j = outputs - HALF;
            given = adds ? FN(last) + LANES - HALF + left : 0;
            ALL_ROWS(h)
#endif
        } else {
            width = LANES;
            if (left < LANES) j = outputs - LANES; /* some columns are computed twice */
            ALL_ROWS(1)
        }
        j += width;
    }
#undef ALL_ROWS
#undef STRIP
}

/* Rows of a wide w are far apart, where no processor expects the next. With more registers there is enough to do. */
enum { FN(WIDE) = 2048 / sizeof(T) };

/* The same for some columns of w, whose rows are w_step apart. */
static void FN(product_columns)(i64 rows, const T *x, i64 x_step, i64 inputs, const T *w, i64 w_step, i64 outputs,
                                const T *bias, T *y, i64 y_step, int adds) {
#if !MANY_REGISTERS
    if (w_step >= FN(WIDE)) {
        FN(product_value_tiles)(rows, x, x_step, inputs, w, w_step, outputs, bias, y, y_step, adds, 1);
        return;
    }
#endif
    FN(product_value_tiles)(rows, x, x_step, inputs, w, w_step, outputs, bias, y, y_step, adds, 0);
}

static void FN(product_value)(i64 rows, const T *x, i64 x_step, i64 inputs, const T *w, i64 outputs,
                              const T *bias, T *y, i64 y_step, int adds) {
    FN(product_columns)(rows, x, x_step, inputs, w, outputs, outputs, bias, y, y_step, adds);
}

/* One vector with the sums of LANES vectors. */
static ALWAYS_INLINE V FN(sums)(V *v) {
#if defined(__AVX512F__) && IS_FLOAT
/* First within quarters of the vectors, so that no shuffle needs a table. */
#define HALVE(count, shuffle) UNROLL for (int i = 0; i < count / 2; i++) \
    v[i] = (V)shuffle((__m512)v[2 * i], (__m512)v[2 * i + 1], 0x88) \
         + (V)shuffle((__m512)v[2 * i], (__m512)v[2 * i + 1], 0xdd);
    HALVE(16, _mm512_shuffle_ps)
    HALVE(8, _mm512_shuffle_ps)
    HALVE(4, _mm512_shuffle_f32x4)
    HALVE(2, _mm512_shuffle_f32x4)
#undef HALVE
    return v[0];
#elif HAS_SHUFFLE
#define HALVE(count) UNROLL for (int i = 0; i < count / 2; i++) \
    v[i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], EVEN_LANES) \
         + __builtin_shufflevector(v[2 * i], v[2 * i + 1], ODD_LANES);
#if VECTOR_BYTES / BYTES >= 16
    HALVE(16)
#endif
#if VECTOR_BYTES / BYTES >= 8
    HALVE(8)
#endif
#if VECTOR_BYTES / BYTES >= 4
    HALVE(4)
#endif
    HALVE(2)
#undef HALVE
    return v[0];
#else
    V all;
    for (int i = 0; i < LANES; i++) all[i] = FN(sum)(v[i]);
    return all;
#endif
}

/* dx += g W^T for ROWS rows and LANES / ROWS columns: no more sums than a vector has lanes. `tail` is the last vector of
   each row of g, with 0 where its columns were counted already; from: where it begins, or -1 if there is none. */
#define INPUT_TILE(ROWS_) \
static ALWAYS_INLINE void FN(input_##ROWS_)(const T *g, i64 g_step, i64 full, const V *tail, i64 from, \
                                            const T *w, i64 outputs, i64 columns, T *dx, i64 x_step) { \
    enum { COLUMNS = VECTOR_BYTES / sizeof(T) / ROWS_ }; \
    V sum[VECTOR_BYTES / sizeof(T)]; \
    const T *line[COLUMNS]; \
    UNROLL for (int k = 0; k < COLUMNS; k++) line[k] = w + (k < columns ? k : columns - 1) * outputs; \
    UNROLL for (int k = 0; k < LANES; k++) sum[k] = (V){0}; \
    for (i64 j = 0; j < full; j += LANES) { \
        V row[ROWS_]; \
        UNROLL for (int i = 0; i < ROWS_; i++) row[i] = READ(g + i * g_step + j); \
        UNROLL for (int i = 0; i < ROWS_; i++) IN_REGISTER(row[i]); \
        UNROLL for (int k = 0; k < COLUMNS; k++) { \
            V weight = READ(line[k] + j); \
            if (ROWS_ > 1) IN_REGISTER(weight); \
            UNROLL for (int i = 0; i < ROWS_; i++) sum[i * COLUMNS + k] += row[i] * weight; \
        } \
    } \
    if (from >= 0) \
        UNROLL for (int k = 0; k < COLUMNS; k++) { \
            V weight = READ(line[k] + from); \
            UNROLL for (int i = 0; i < ROWS_; i++) sum[i * COLUMNS + k] += tail[i] * weight; \
        } \
    V sums = FN(sums)(sum); \
    if (columns >= COLUMNS && ROWS_ != 3) \
        UNROLL for (int i = 0; i < ROWS_; i++) { \
            typedef T part __attribute__((vector_size((ROWS_ == 3 ? 1 : COLUMNS) * sizeof(T)), aligned(sizeof(T)), may_alias)); \
            *(part *)(dx + i * x_step) += *(const part *)((const T *)&sums + i * COLUMNS); \
        } \
    else \
        for (int i = 0; i < ROWS_; i++) \
            for (int k = 0; k < (columns < COLUMNS ? columns : COLUMNS); k++) dx[i * x_step + k] += sums[i * COLUMNS + k]; \
}
#if VECTOR_BYTES == 64 && IS_FLOAT
INPUT_TILE(4)
INPUT_TILE(3)
#define MOST_INPUT_ROWS 4
#elif VECTOR_BYTES / BYTES >= 8
#define MOST_INPUT_ROWS 2
#else
#define MOST_INPUT_ROWS 1
#endif
#if MOST_INPUT_ROWS >= 2
INPUT_TILE(2)
#endif
INPUT_TILE(1)
#undef INPUT_TILE

enum { FN(PANEL) = 8192 / sizeof(T) }; /* columns of g at a time, so that some rows of it stay in the nearest cache */

enum { FN(INPUT_BLOCK) = 16 };

/* columns k to last of dx += some columns of g times those of w^T, from `first` on: `full` of them in whole vectors, and
   what is left over in the vector at `from`, or nothing if that is -1 */
static void FN(input_block)(i64 rows, const T *g, i64 g_step, i64 first, i64 full, i64 from, i64 outputs, const T *w,
                            i64 start, i64 last, T *dx, i64 x_step) {
    for (i64 i = 0, height; i < rows; i += height) {
        height = rows - i < MOST_INPUT_ROWS ? rows - i : MOST_INPUT_ROWS;
        V tail[MOST_INPUT_ROWS] = {{0}};
        if (from >= 0)
            for (i64 r = 0; r < height; r++) {
                tail[r] = READ(g + (i + r) * g_step + from);
                for (i64 lane = 0; lane < first + full - from; lane++) tail[r][lane] = 0; /* counted already */
            }
        const T *rows_g = g + i * g_step + first;
        const i64 width = LANES / height, tail_at = from >= 0 ? from - first : -1;
        for (i64 k = start; k < last; k += width) {
            const T *w_k = w + first + k * outputs;
            T *to = dx + i * x_step + k;
#define PART(ROWS_) FN(input_##ROWS_)(rows_g, g_step, full, tail, tail_at, w_k, outputs, last - k, to, x_step)
#if MOST_INPUT_ROWS >= 4
            if (height == 4) { PART(4); continue; }
            if (height == 3) { PART(3); continue; }
#endif
#if MOST_INPUT_ROWS >= 2
            if (height == 2) { PART(2); continue; }
#endif
            PART(1);
#undef PART
        }
    }
}

/* dx (rows, inputs) += g (rows, outputs) w^T */
static void FN(product_input)(i64 rows, const T *g, i64 g_step, i64 outputs, const T *w, i64 inputs, T *dx, i64 x_step) {
    if (outputs < LANES) {
        for (i64 i = 0; i < rows; i++)
            for (i64 k = 0; k < inputs; k++) {
                T sum = 0;
                for (i64 j = 0; j < outputs; j++) sum += g[i * g_step + j] * w[k * outputs + j];
                dx[i * x_step + k] += sum;
            }
        return;
    }
    for (i64 first = 0; first < outputs; first += FN(PANEL)) {
        i64 n = outputs - first < FN(PANEL) ? outputs - first : FN(PANEL);
        i64 full = n / LANES * LANES;
        i64 from = full < n ? outputs - LANES : -1;
        /* Rows of a wide W are taken a few at a time, so that they are near while all rows of g go by. */
        const i64 block = n * sizeof(T) > 2048 ? FN(INPUT_BLOCK) : inputs;
        for (i64 start = 0, last; start < inputs; start = last) {
            last = inputs - start < block ? inputs : start + block;
            FN(input_block)(rows, g, g_step, first, full, from, outputs, w, start, last, dx, x_step);
        }
    }
}
#undef MOST_INPUT_ROWS
#undef MOST_WIDE_ROWS
#undef HALF
