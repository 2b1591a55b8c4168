/* Vectors of LANES numbers of type T. Included once for each T; FN(name) is the name of a function for it. */

typedef T FN(vector) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
typedef INTEGER FN(bits) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
#define V FN(vector)
#define B FN(bits)
#define LANES ((i64)(VECTOR_BYTES / sizeof(T)))
#define AT(p) (*(V *)(p))
#define READ(p) (*(const V *)(p))

typedef T FN(vector_8) __attribute__((vector_size(8 * sizeof(T)), aligned(sizeof(T)), may_alias));
typedef T FN(vector_4) __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));
typedef T FN(vector_2) __attribute__((vector_size(2 * sizeof(T)), aligned(sizeof(T)), may_alias));

/* How many of the nodes that are left come next: they are taken in chunks of at most `most` and of about the same size, of
   whole tiles of 4 where there are several. */
static ALWAYS_INLINE i64 FN(next_chunk)(i64 left, i64 most) {
    const i64 chunks = (left + most - 1) / most;
    return chunks > 1 ? ((left + chunks - 1) / chunks + 3) / 4 * 4 : left;
}

/* EXPRESSION for vectors and then for what is left, in ever smaller ones; in it X is the type and ON(p) the elements of p.
   Sizes such as 50 leave a few elements in every row. */
#define ON(p) (*(X *)((p) + i))
#define FOR_ELEMENTS(n, EXPRESSION) { \
    i64 i = 0; \
    { typedef V X; for (; i + LANES <= (n); i += LANES) { EXPRESSION; } } \
    if (LANES > 8 && i + 8 <= (n)) { typedef FN(vector_8) X; EXPRESSION; i += 8; } \
    if (LANES > 4 && i + 4 <= (n)) { typedef FN(vector_4) X; EXPRESSION; i += 4; } \
    if (LANES > 2 && i + 2 <= (n)) { typedef FN(vector_2) X; EXPRESSION; i += 2; } \
    if (i < (n)) { typedef T X; EXPRESSION; } }

static ALWAYS_INLINE V FN(all)(T x) { return x - (V){0}; }
static ALWAYS_INLINE V FN(choose)(B where, V yes, V no) { return (V)(((B)yes & where) | ((B)no & ~where)); }

/* The first `count` lanes of a vector from memory, the others 0, and back: there in ever smaller parts, since a processor
   waits long for what was stored under a mask. */
static ALWAYS_INLINE V FN(get)(const T *p, i64 count) {
    if (count >= LANES) return READ(p);
#if defined(__AVX512F__) && IS_FLOAT
    return (V)_mm512_maskz_loadu_ps((__mmask16)((1 << count) - 1), p);
#else
    T some[VECTOR_BYTES / sizeof(T)] = {0};
    for (i64 k = 0; k < count; k++) some[k] = p[k];
    return READ(some);
#endif
}

static ALWAYS_INLINE void FN(put)(T *p, i64 count, V v) {
    if (count >= LANES) {
        AT(p) = v;
        return;
    }
    T some[VECTOR_BYTES / sizeof(T)];
    AT(some) = v;
    const T *from = some;
    FOR_ELEMENTS(count, ON(p) = ON(from))
}

static ALWAYS_INLINE T FN(sum)(V v) {
    T parts[VECTOR_BYTES / sizeof(T)];
    AT(parts) = v;
#define HALVES(X, COUNT) if (LANES >= 2 * COUNT) *(X *)parts += *(const X *)(parts + COUNT);
    HALVES(FN(vector_8), 8)
    HALVES(FN(vector_4), 4)
    HALVES(FN(vector_2), 2)
#undef HALVES
    return parts[0] + parts[1];
}

static T FN(dot)(i64 n, const T *a, const T *b) {
    V sums[4] = {{0}};
    i64 i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        UNROLL for (int k = 0; k < 4; k++) sums[k] += READ(a + i + k * LANES) * READ(b + i + k * LANES);
    for (; i + LANES <= n; i += LANES) sums[0] += READ(a + i) * READ(b + i);
    T total = FN(sum)((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < n; i++) total += a[i] * b[i];
    return total;
}

/* Whether any bit of a vector is set. */
static ALWAYS_INLINE int FN(any_bit)(B v) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX__)
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#elif defined(__SSE4_1__)
    return !_mm_testz_si128((__m128i)v, (__m128i)v);
#else
    INTEGER bits = 0;
    for (int k = 0; k < LANES; k++) bits |= v[k];
    return bits != 0;
#endif
}

/* Whether all bits of n numbers are 0. Memory that was never written to is read at the speed of the nearest cache. */
static int FN(is_zero)(i64 n, const T *x) {
    i64 i = 0;
    for (; i + 8 * LANES <= n; i += 8 * LANES) {
        B any = {0};
        UNROLL for (int k = 0; k < 8; k++) any |= (B)READ(x + i + k * LANES);
        if (FN(any_bit)(any)) return 0;
    }
    for (; i < n; i++) {
        INTEGER bits;
        memcpy(&bits, x + i, sizeof(T));
        if (bits) return 0;
    }
    return 1;
}

/* n zeros; what is zero already is not written to. */
static void FN(clear)(i64 n, T *x) {
    for (i64 at = 0; at < n; at += BLOCK) {
        i64 count = n - at < BLOCK ? n - at : BLOCK;
        if (!FN(is_zero)(count, x + at)) memset(x + at, 0, count * sizeof(T));
    }
}

#if IS_FLOAT
/* a < b ? yes : no; at_least and at_most: x cut to a bound, NaN stays; powers: p times 2 to the power of a whole number,
   given as n and in the low bits of `exponent`, where the result is a normal number. The processor's own instructions for
   them give the same numbers as the plain ones. */
#if defined(__AVX512F__)
static ALWAYS_INLINE V FN(less)(V a, V b, V yes, V no) {
    return (V)_mm512_mask_mov_ps((__m512)no, _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ), (__m512)yes);
}
static ALWAYS_INLINE V FN(at_least)(V x, V bound) { return (V)_mm512_max_ps((__m512)bound, (__m512)x); }
static ALWAYS_INLINE V FN(at_most)(V x, V bound) { return (V)_mm512_min_ps((__m512)bound, (__m512)x); }
static ALWAYS_INLINE V FN(powers)(V p, V n, B exponent) {
    (void)exponent;
    return (V)_mm512_scalef_ps((__m512)p, (__m512)n);
}
#else
#if defined(__AVX__)
static ALWAYS_INLINE V FN(less)(V a, V b, V yes, V no) {
    return (V)_mm256_blendv_ps((__m256)no, (__m256)yes, _mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ));
}
static ALWAYS_INLINE V FN(at_least)(V x, V bound) { return (V)_mm256_max_ps((__m256)bound, (__m256)x); }
static ALWAYS_INLINE V FN(at_most)(V x, V bound) { return (V)_mm256_min_ps((__m256)bound, (__m256)x); }
#else
static ALWAYS_INLINE V FN(less)(V a, V b, V yes, V no) { return FN(choose)(a < b, yes, no); }
static ALWAYS_INLINE V FN(at_least)(V x, V bound) { return FN(choose)(x < bound, bound, x); }
static ALWAYS_INLINE V FN(at_most)(V x, V bound) { return FN(choose)(x > bound, bound, x); }
#endif
static ALWAYS_INLINE V FN(powers)(V p, V n, B exponent) {
    (void)n;
    return FN(choose)(p != p, p, (V)((B)p + (exponent << 23)));
}
#endif

/* e^x to 2 units in the last place, after Cephes; x is cut to where the result is a normal number, NaN stays. */
static ALWAYS_INLINE V FN(exp_v)(V x) {
    x = FN(at_most)(FN(at_least)(x, FN(all)(-87.0f)), FN(all)(88.0f));
    V n = x * 1.44269504088896341f + 12582912.0f; /* 1.5 * 2^23: the low bits are the rounded integer */
    B exponent = (B)n;
    n -= 12582912.0f;
    x -= n * 0.693359375f;
    x += n * 2.12194440e-4f;
    V p = x * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * x + 8.3334519073e-3f;
    p = p * x + 4.1665795894e-2f;
    p = p * x + 1.6666665459e-1f;
    p = p * x + 5.0000001201e-1f;
    p = p * (x * x) + x + 1.0f;
    return FN(powers)(p, n, exponent);
}

/* near 0 by a polynomial, where 1 - e^-2x would lose digits */
static ALWAYS_INLINE V FN(tanh_v)(V x) {
    B sign = (B)x & (B)FN(all)(-0.0f);
    V size = (V)((B)x & ~(B)FN(all)(-0.0f)), square = x * x;
    V e = FN(exp_v)(-2.0f * size), large = (1.0f - e) / (1.0f + e);
    V p = square * -5.70498872745e-3f + 2.06390887954e-2f;
    p = p * square - 5.37397155531e-2f;
    p = p * square + 1.33314422036e-1f;
    p = p * square - 3.33332819422e-1f;
    p = p * square * x + x;
    return FN(less)(size, FN(all)(0.625f), p, (V)((B)large | sign));
}
/* e^x / (1 + e^x) or 1 / (1 + e^-x), of e to a power below 0; then one step of Newton takes back what 1 + e and the
   quotient lost by rounding (with fused products; without, it changes nothing of note). */
static ALWAYS_INLINE V FN(sigmoid_v)(V x) {
    V e = FN(exp_v)((V)((B)x | (B)FN(all)(-0.0f)));
    V sum = 1.0f + e, lost = e - (sum - 1.0f), inverse = 1.0f / sum;
    V top = FN(less)(x, FN(all)(0.0f), e, FN(all)(1.0f));
    V y = top * inverse;
    return y + (top - y * sum - y * lost) * inverse;
}
#else
static ALWAYS_INLINE V FN(exp_v)(V x) { for (int k = 0; k < LANES; k++) x[k] = exp(x[k]); return x; }
static ALWAYS_INLINE V FN(tanh_v)(V x) { for (int k = 0; k < LANES; k++) x[k] = tanh(x[k]); return x; }
static ALWAYS_INLINE V FN(sigmoid_v)(V x) { return 1.0 / (1.0 + FN(exp_v)(-x)); }
#endif

/* d = FUNCTION(a) for n elements, every one computed alike: the last vector overlaps the one before, or is padded where
   the function is taken in place or there are too few elements. */
#define UNARY(NAME) \
static void FN(NAME)(i64 n, const T *a, T *d) { \
    i64 i = 0; \
    for (; i + LANES <= n; i += LANES) AT(d + i) = FN(NAME##_v)(READ(a + i)); \
    if (i < n && n >= LANES && (d + n <= a || a + n <= d)) \
        AT(d + n - LANES) = FN(NAME##_v)(READ(a + n - LANES)); \
    else if (i < n) { \
        T rest[VECTOR_BYTES / sizeof(T)] = {0}; \
        memcpy(rest, a + i, (n - i) * sizeof(T)); \
        AT(rest) = FN(NAME##_v)(READ(rest)); \
        memcpy(d + i, rest, (n - i) * sizeof(T)); \
    } \
}
UNARY(tanh)
UNARY(sigmoid)
#undef UNARY
