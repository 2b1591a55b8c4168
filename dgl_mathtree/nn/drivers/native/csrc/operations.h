/* Every operation of a program, and its adjoint: given the gradient of the result, it adds to those of the operands. */

/* Some nodes of one segment, and where their values and gradients are. */
typedef struct {
    const Program *program;
    i64 nodes, type;
    const i64 *children; /* rows of the children of these nodes */
    i64 slots, state_size, keep_values;
    T *states, *state_gradients;
    T *value[MOST_VALUES], *adjoint[MOST_VALUES]; /* NULL for the children, which are found among all states */
    const T *const *parameter;
    T *const *parameter_gradient;
} FN(Chunk);

/* The row of a value (or of its gradient) that belongs to a node. */
static ALWAYS_INLINE T *FN(row)(const FN(Chunk) *x, T *const *base, T *states, i64 value, i64 node) {
    if (value < x->program->arity) return states + x->children[node * x->slots + value] * x->state_size;
    return base[value] + node * x->program->width[value];
}
#define VALUE(v, node) FN(row)(x, x->value, x->states, v, node)
#define ADJOINT(v, node) FN(row)(x, x->adjoint, x->state_gradients, v, node)

/* Whether a stretch fills whole rows of a value, so that the rows of all nodes are one. */
static ALWAYS_INLINE int FN(whole)(const Program *p, i64 value, i64 n, i64 step) {
    return value < 0 || (value >= p->arity && p->width[value] == n && step);
}

/* CODE for every stretch g of an operation and every node, with n elements. */
#define FOR_STRETCHES(CODE) \
    for (i64 s_ = 0; s_ < o->count; s_++) { \
        const Stretch *g = p->stretch + o->first + s_; \
        i64 n = g->n, nodes = x->nodes; \
        if (g->times == 1 && FN(whole)(p, g->d, n, 1) && FN(whole)(p, g->a, n, g->a_step) && FN(whole)(p, g->b, n, g->b_step)) { \
            n *= nodes; \
            nodes = 1; \
        } \
        for (i64 node = 0; node < nodes; node++) CODE \
    }

#define D_VALUE T *d = VALUE(g->d, node) + g->d_at;
#define A_VALUE const T *a = VALUE(g->a, node) + g->a_at;
#define B_VALUE const T *b = VALUE(g->b, node) + g->b_at;
#define D_ADJOINT const T *dd = ADJOINT(g->d, node) + g->d_at;

/* d = or += a b, where a or b may be one number for all */
#define BINARY(ASSIGN, OPERATOR) \
    FOR_STRETCHES({ \
        D_VALUE A_VALUE B_VALUE \
        for (i64 t = 0; t < g->times; t++) { \
            T *to = d + t * g->d_next; \
            const T *left = a + t * g->a_next; \
            const T *right = b + t * g->b_next; \
            if (g->a_step && g->b_step) FOR_ELEMENTS(n, ON(to) ASSIGN ON(left) OPERATOR ON(right)) \
            else if (g->b_step) { T one = *left; FOR_ELEMENTS(n, ON(to) ASSIGN one OPERATOR ON(right)) } \
            else if (g->a_step) { T one = *right; FOR_ELEMENTS(n, ON(to) ASSIGN ON(left) OPERATOR one) } \
            else { T one = *left OPERATOR *right; for (i64 i = 0; i < n; i++) to[i] ASSIGN one; } \
        } \
    })

enum { FN(HELD) = 4 }; /* rows of a softmax that stay in registers */

static void FN(softmax)(const FN(Chunk) *x, const Operation *o) {
    for (i64 node = 0; node < x->nodes; node++) {
        const T *from = VALUE(o->in, node) + o->in_at;
        T *to = VALUE(o->out, node) + o->out_at;
        for (i64 i = 0; i < o->outputs; i += LANES) {
            const i64 count = o->outputs - i;
            V most = FN(get)(from + i, count), sum = {0}, held[FN(HELD)];
            for (i64 r = 1; r < o->rows; r++) {
                V each = FN(get)(from + r * o->in_step + i, count);
                most = FN(choose)(each > most, each, most);
            }
            for (i64 r = 0; r < o->rows; r++) {
                V power = FN(exp_v)(FN(get)(from + r * o->in_step + i, count) - most);
                sum += power;
                if (r < FN(HELD)) held[r] = power;
                else FN(put)(to + r * o->out_step + i, count, power);
            }
            for (i64 r = 0; r < o->rows; r++) {
                T *d = to + r * o->out_step + i;
                FN(put)(d, count, (r < FN(HELD) ? held[r] : FN(get)(d, count)) / sum);
            }
        }
    }
}

static void FN(softmax_adjoint)(const FN(Chunk) *x, const Operation *o) {
    for (i64 node = 0; node < x->nodes; node++) {
        const T *y = VALUE(o->out, node) + o->out_at, *dd = ADJOINT(o->out, node) + o->out_at;
        T *da = ADJOINT(o->in, node) + o->in_at;
        FOR_ELEMENTS(o->outputs, {
            X mean = ON(y) * ON(dd);
            for (i64 r = 1; r < o->rows; r++) mean += ON(y + r * o->out_step) * ON(dd + r * o->out_step);
            for (i64 r = 0; r < o->rows; r++)
                ON(da + r * o->in_step) += ON(y + r * o->out_step) * (ON(dd + r * o->out_step) - mean);
        })
    }
}

enum { FN(PART) = 1024 / sizeof(T) }; /* columns of a map that are multiplied on at once, about */

/* d = rest + a M, where M = y W + bias is made a few rows at a time: whole, it would not fit into the nearest caches. Every
   sum is that of the two operations one after the other. The memory of M holds its part and the sums so far. */
static void FN(bilinear)(const FN(Chunk) *x, const Operation *o, const Operation *map) {
    const i64 n = o->outputs, most = FN(PART) / n > 0 ? FN(PART) / n : 1;
    const T *weight = x->parameter[map->weight] + x->type * map->weight_size;
    const T *bias = map->bias < 0 ? 0 : x->parameter[map->bias] + x->type * map->outputs;
    T *part = x->value[o->matrix], *sums[2];
    sums[0] = part + x->nodes * most * n;
    sums[1] = sums[0] + x->nodes * n;
    for (i64 k = 0, turn = 0; k < o->inputs; k += most, turn ^= 1) {
        const i64 rows = o->inputs - k < most ? o->inputs - k : most;
        FN(product_columns)(x->nodes, x->value[map->in] + map->in_at, map->in_step, map->inputs, weight + k * n,
                            map->outputs, rows * n, bias ? bias + k * n : 0, part, rows * n, 0);
        for (i64 node = 0; node < x->nodes; node++) {
            const T *before = k ? sums[turn] + node * n : VALUE(o->rest, node) + o->rest_at;
            T *to = k + rows < o->inputs ? sums[turn ^ 1] + node * n : VALUE(o->out, node) + o->out_at;
            FN(product_value)(1, VALUE(o->in, node) + o->in_at + k, 0, rows, part + node * rows * n, n, before, to, 0, 0);
        }
    }
}

static void FN(run)(const FN(Chunk) *x, const Operation *o) {
    const Program *p = x->program;
    const T scale = (T)o->scale, shift = (T)o->shift;
    switch (o->code) {
    case FILL: FOR_STRETCHES({ D_VALUE for (i64 i = 0; i < n; i++) d[i] = shift; }) break;
    case COPY:
        FOR_STRETCHES({
            D_VALUE A_VALUE
            if (g->a_step) FOR_ELEMENTS(n, ON(d) = ON(a)) else for (i64 i = 0; i < n; i++) d[i] = *a;
        })
        break;
    case SCALE:
        FOR_STRETCHES({
            D_VALUE A_VALUE
            if (g->a_step) FOR_ELEMENTS(n, ON(d) = scale * ON(a) + shift)
            else { T one = scale * *a + shift; for (i64 i = 0; i < n; i++) d[i] = one; }
        })
        break;
    case ACCUMULATE:
        FOR_STRETCHES({
            D_VALUE A_VALUE
            if (g->a_step) FOR_ELEMENTS(n, ON(d) += ON(a)) else for (i64 i = 0; i < n; i++) d[i] += *a;
        })
        break;
    case ADD: BINARY(=, +) break;
    case MULTIPLY: BINARY(=, *) break;
    case MULTIPLY_ADD: BINARY(+=, *) break;
    case SIGMOID: FOR_STRETCHES({ D_VALUE A_VALUE FN(sigmoid)(n, a, d); }) break;
    case TANH: FOR_STRETCHES({ D_VALUE A_VALUE FN(tanh)(n, a, d); }) break;
    case SOFTMAX: FN(softmax)(x, o); break;
    case PRODUCT: {
        if (o->partner && !x->keep_values) break;
        const T *weight = x->parameter[o->weight] + x->type * o->weight_size;
        const T *bias = o->bias < 0 ? 0 : x->parameter[o->bias] + x->type * o->outputs;
        FN(product_value)(x->nodes * o->rows, x->value[o->in] + o->in_at, o->in_step, o->inputs, weight, o->outputs,
                          bias, x->value[o->out] + o->out_at, o->out_step, o->adds);
        break;
    }
    case VECTOR: {
        const T *vector = x->parameter[o->weight] + x->type * o->weight_size;
        for (i64 node = 0; node < x->nodes; node++)
            memcpy(VALUE(o->out, node) + o->out_at, vector, o->outputs * sizeof(T));
        break;
    }
    case ROW_PRODUCT:
        if (o->partner && !x->keep_values) {
            FN(bilinear)(x, o, p->operation + o->partner - 1);
            break;
        }
        for (i64 node = 0; node < x->nodes; node++)
            FN(product_value)(1, VALUE(o->in, node) + o->in_at, 0, o->inputs, VALUE(o->matrix, node) + o->matrix_at,
                              o->outputs, VALUE(o->rest, node) + o->rest_at, VALUE(o->out, node) + o->out_at, 0, 0);
        break;
    }
}

/* A gradient that is added to, or set where it is the first of its elements. */
#define GIVE(n, TO, EXPRESSION) \
    { if (first) FOR_ELEMENTS(n, ON(TO) = EXPRESSION) else FOR_ELEMENTS(n, ON(TO) += EXPRESSION) }

/* da += FACTOR dd, or the sum of it where a is one number for all */
static ALWAYS_INLINE void FN(add_scaled)(i64 n, T factor, const T *dd, T *da, i64 step, i64 first) {
    if (step) { GIVE(n, da, factor * ON(dd)) return; }
    T total = 0;
    for (i64 i = 0; i < n; i++) total += dd[i];
    *da = (first ? 0 : *da) + factor * total;
}

/* the same with an elementwise factor b */
static ALWAYS_INLINE void FN(add_product)(i64 n, const T *b, i64 b_step, const T *dd, T *da, i64 step, i64 first) {
    if (!b_step) { FN(add_scaled)(n, *b, dd, da, step, first); return; }
    if (step) { GIVE(n, da, ON(dd) * ON(b)) return; }
    *da = (first ? 0 : *da) + FN(dot)(n, dd, b);
}

/* the same every time that a stretch has its elements */
static ALWAYS_INLINE void FN(add_products)(const Stretch *g, i64 n, const T *dd, const T *b, i64 b_step, i64 b_next,
                                           T *da, i64 step, i64 next, i64 first) {
    for (i64 t = 0; t < g->times; t++)
        FN(add_product)(n, b + t * b_next, b_step, dd + t * g->d_next, da + t * next, step, first && (!t || next));
}

#define HAS_ADJOINT(v) ((v) < p->arity || x->adjoint[v])

static void FN(row_product_adjoint)(const FN(Chunk) *x, const Operation *o) {
    for (i64 node = 0; node < x->nodes; node++) {
        const T *dd = ADJOINT(o->out, node) + o->out_at, *a = VALUE(o->in, node) + o->in_at;
        T *rest = ADJOINT(o->rest, node) + o->rest_at, *dm = ADJOINT(o->matrix, node) + o->matrix_at;
        FOR_ELEMENTS(o->outputs, ON(rest) += ON(dd))
        FN(product_input)(1, dd, 0, o->outputs, VALUE(o->matrix, node) + o->matrix_at, o->inputs,
                          ADJOINT(o->in, node) + o->in_at, 0);
        for (i64 k = 0; k < o->inputs; k++) {
            T factor = a[k], *line = dm + k * o->outputs;
            FOR_ELEMENTS(o->outputs, ON(line) += factor * ON(dd))
        }
    }
}

static void FN(run_adjoint)(const FN(Chunk) *x, const Operation *o) {
    const Program *p = x->program;
    switch (o->code) {
    case COPY: case SCALE: case ACCUMULATE: {
        T factor = o->code == SCALE ? (T)o->scale : 1;
        FOR_STRETCHES({
            if (HAS_ADJOINT(g->a)) { D_ADJOINT FN(add_scaled)(n, factor, dd, ADJOINT(g->a, node) + g->a_at, g->a_step, g->a_first); }
        })
        break;
    }
    case ADD:
        FOR_STRETCHES({
            D_ADJOINT
            if (HAS_ADJOINT(g->a)) FN(add_scaled)(n, 1, dd, ADJOINT(g->a, node) + g->a_at, g->a_step, g->a_first);
            if (HAS_ADJOINT(g->b)) FN(add_scaled)(n, 1, dd, ADJOINT(g->b, node) + g->b_at, g->b_step, g->b_first);
        })
        break;
    case MULTIPLY: case MULTIPLY_ADD:
        FOR_STRETCHES({
            D_ADJOINT A_VALUE B_VALUE
            if (HAS_ADJOINT(g->a))
                FN(add_products)(g, n, dd, b, g->b_step, g->b_next, ADJOINT(g->a, node) + g->a_at,
                                 g->a_step, g->a_next, g->a_first);
            if (HAS_ADJOINT(g->b))
                FN(add_products)(g, n, dd, a, g->a_step, g->a_next, ADJOINT(g->b, node) + g->b_at,
                                 g->b_step, g->b_next, g->b_first);
        })
        break;
    case SIGMOID:
        FOR_STRETCHES({
            D_ADJOINT D_VALUE
            T *da = ADJOINT(g->a, node) + g->a_at;
            const i64 first = g->a_first;
            GIVE(n, da, ON(dd) * ON(d) * (1 - ON(d)))
        })
        break;
    case TANH:
        FOR_STRETCHES({
            D_ADJOINT D_VALUE
            T *da = ADJOINT(g->a, node) + g->a_at;
            const i64 first = g->a_first;
            GIVE(n, da, ON(dd) * (1 - ON(d) * ON(d)))
        })
        break;
    case SOFTMAX: FN(softmax_adjoint)(x, o); break;
    case PRODUCT:
        FN(product_input)(x->nodes * o->rows, x->adjoint[o->out] + o->out_at, o->out_step, o->outputs,
                          x->parameter[o->weight] + x->type * o->weight_size, o->inputs,
                          x->adjoint[o->in] + o->in_at, o->in_step);
        break;
    case VECTOR: {
        T *vector = x->parameter_gradient[o->weight];
        if (!vector) break;
        vector += x->type * o->weight_size;
        for (i64 node = 0; node < x->nodes; node++) {
            const T *dd = ADJOINT(o->out, node) + o->out_at;
            FOR_ELEMENTS(o->outputs, ON(vector) += ON(dd))
        }
        break;
    }
    case ROW_PRODUCT: FN(row_product_adjoint)(x, o); break;
    }
}
