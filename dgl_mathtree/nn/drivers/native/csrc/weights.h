/* The gradient of a map's weights: a product over the nodes of a type. */

/* dw, ROWS x (COLUMNS vectors), = the sum over nodes of x^T g; the nodes' rows are given by pointers */
#define WEIGHT_TILE(NAME_, ROWS_, COLUMNS) \
static ALWAYS_INLINE void FN(NAME_)(i64 nodes, const T *const *x, const T *const *g, i64 k, i64 j, T *dw, i64 outputs) { \
    V sum[ROWS_][COLUMNS]; \
    UNROLL for (int i = 0; i < ROWS_; i++) UNROLL for (int v = 0; v < COLUMNS; v++) sum[i][v] = (V){0}; \
    for (i64 node = 0; node < nodes; node++) { \
        const T *x_node = x[node] + k, *g_node = g[node] + j; \
        V row[COLUMNS]; \
        UNROLL for (int v = 0; v < COLUMNS; v++) row[v] = READ(g_node + v * LANES); \
        UNROLL for (int i = 0; i < ROWS_; i++) { \
            T factor = x_node[i]; \
            UNROLL for (int v = 0; v < COLUMNS; v++) sum[i][v] += factor * row[v]; \
        } \
    } \
    UNROLL for (int i = 0; i < ROWS_; i++) \
        UNROLL for (int v = 0; v < COLUMNS; v++) AT(dw + (k + i) * outputs + j + v * LANES) = sum[i][v]; \
}
#if MANY_REGISTERS
#define WEIGHT_ROWS 8
#else
#define WEIGHT_ROWS 4
#endif
WEIGHT_TILE(weight_many_x3, WEIGHT_ROWS, 3)
WEIGHT_TILE(weight_many_x1, WEIGHT_ROWS, 1)
WEIGHT_TILE(weight_1x3, 1, 3)
WEIGHT_TILE(weight_1x1, 1, 1)
#undef WEIGHT_TILE

/* rows first to last of dw (inputs, outputs) = the sum over nodes of x^T g */
static void FN(product_weight)(i64 nodes, const T *const *x, const T *const *g, i64 first, i64 last, i64 outputs, T *dw) {
    if (outputs < LANES) {
        for (i64 k = first; k < last; k++)
            for (i64 j = 0; j < outputs; j++) {
                T sum = 0;
                for (i64 node = 0; node < nodes; node++) sum += x[node][k] * g[node][j];
                dw[k * outputs + j] = sum;
            }
        return;
    }
#define STRIP(COLUMNS) \
    { if (many) FN(weight_many_x##COLUMNS)(nodes, x, g, k, j, dw, outputs); \
      else FN(weight_1x##COLUMNS)(nodes, x, g, k, j, dw, outputs); }
    for (i64 k = first; k < last;) {
        int many = last - k >= WEIGHT_ROWS;
        for (i64 j = 0; j < outputs;) {
            const i64 left = outputs - j;
            if (left >= 3 * LANES) {
                STRIP(3)
                j += 3 * LANES;
            } else {
                if (left < LANES) j = outputs - LANES;
                STRIP(1)
                j += LANES;
            }
        }
        k += many ? WEIGHT_ROWS : 1;
    }
#undef STRIP
}

enum { FN(NODES_AT_ONCE) = 512 / sizeof(T) }; /* so that their rows stay in a near cache while dw goes by */

/* product_weight for any number of nodes; part: as large as dw, needed where there are more than NODES_AT_ONCE */
static void FN(product_weight_in_parts)(i64 nodes, const T *const *x, const T *const *g, i64 first, i64 last,
                                        i64 outputs, T *dw, T *part) {
    i64 count = FN(next_chunk)(nodes, FN(NODES_AT_ONCE));
    FN(product_weight)(count, x, g, first, last, outputs, dw);
    T *to = dw + first * outputs;
    const T *from = part + first * outputs;
    for (i64 at = count; at < nodes; at += count) {
        count = FN(next_chunk)(nodes - at, FN(NODES_AT_ONCE));
        FN(product_weight)(count, x + at, g + at, first, last, outputs, part);
        FOR_ELEMENTS((last - first) * outputs, ON(to) += ON(from))
    }
}
#undef WEIGHT_ROWS
