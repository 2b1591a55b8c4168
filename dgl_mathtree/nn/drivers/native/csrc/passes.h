/* A pass over all segments of a plan, from the leaves up, and its adjoint from the roots down. */

/* A segment while a pass runs: its program, and where its numbers are among those of all nodes. */
typedef struct {
    const Program *program;
    i64 type, first_row, rows, values_at, kept_at;
} FN(Segment);

/* Where the values of some nodes of a segment are, from its node `at` on. */
static void FN(place)(FN(Chunk) *x, const Pass *pass, const FN(Segment) *segment, i64 at) {
    const Program *p = x->program = segment->program;
    i64 row = segment->first_row + at, left = segment->rows - at;
    const i64 most = pass->keep_values ? CHUNK : p->chunk;
    x->nodes = FN(next_chunk)(left, most);
    x->type = segment->type;
    x->children = pass->children + (row - 1) * pass->slots;
    const i64 needed = pass->keep_values ? p->needed : p->total;
    T *values = (T *)pass->values + (pass->keep_values ? segment->values_at + at * needed : 0);
    for (i64 v = p->arity; v < p->values; v++) {
        const i64 place = p->place[v];
        x->value[v] = place < 0 ? 0 : place < needed ? values + place * x->nodes
                    : (T *)pass->values + (place - needed) * x->nodes;
    }
    x->value[p->out] = x->states + row * pass->state_size;
    if (p->mask >= 0) x->value[p->mask] = (T *)pass->mask + (row - 1) * pass->mask_size;
}

static void FN(place_adjoints)(FN(Chunk) *x, const Pass *pass, const FN(Segment) *segment, i64 at) {
    const Program *p = x->program;
    T *kept = (T *)pass->kept + segment->kept_at + at * p->kept_total;
    T *adjoints = pass->adjoints;
    memset(kept, 0, p->kept_zeroed * x->nodes * sizeof(T));
    memset(adjoints, 0, p->zeroed * x->nodes * sizeof(T));
    for (i64 v = p->arity; v < p->values; v++)
        x->adjoint[v] = p->kept_place[v] >= 0 ? kept + p->kept_place[v] * x->nodes
                      : p->adjoint_place[v] >= 0 ? adjoints + p->adjoint_place[v] * x->nodes : 0;
    x->adjoint[p->out] = x->state_gradients + (segment->first_row + at) * pass->state_size;
}

static FN(Chunk) FN(chunk)(const Pass *pass) {
    FN(Chunk) x;
    x.slots = pass->slots;
    x.state_size = pass->state_size;
    x.keep_values = pass->keep_values;
    x.states = pass->states;
    x.state_gradients = pass->state_gradients;
    x.parameter = (const T *const *)pass->parameter;
    x.parameter_gradient = (T *const *)pass->parameter_gradient;
    return x;
}

/* All segments, to be freed; NULL if there is no memory. The values of a chunk that no gradient needs come first. */
static FN(Segment) *FN(arrange)(const Pass *pass) {
    FN(Segment) *segments = malloc((pass->segments + 1) * sizeof(FN(Segment)));
    i64 values = pass->passing, kept = 0;
    for (i64 s = 0; segments && s < pass->segments; s++) {
        const i64 *given = pass->segment + s * SEGMENT_FIELDS;
        const Program *p = pass->program + pass->number[given[ARITY]];
        segments[s] = (FN(Segment)){p, given[TYPE], given[FIRST_ROW], given[ROWS], values, kept};
        values += given[ROWS] * p->needed;
        kept += given[ROWS] * p->kept_total;
    }
    return segments;
}

/* The states of the leaves, from vectors that stand for themselves or in a table. */
static int FN(place_leaves)(const Pass *pass) {
    const i64 size = pass->state_size, width = pass->leaf_size;
    T *to = pass->states;
    memset(to, 0, size * sizeof(T)); /* row 0 is the empty state */
    for (i64 k = 0; k < pass->leaves; k++) {
        const i64 from = pass->leaf_index ? pass->leaf_index[k] : k;
        if (from < 0 || from >= pass->leaf_rows) return BAD_LEAF;
        to += size;
        memcpy(to, (const T *)pass->leaf_states + from * width, width * sizeof(T));
        memset(to + width, 0, (size - width) * sizeof(T));
    }
    return FINE;
}

/* What is asked for of the states. */
static void FN(give)(const Pass *pass) {
    const i64 size = pass->state_size, n = pass->pair_size;
    const T *states = pass->states;
    T *result = pass->result;
    if (!n) {
        for (i64 k = 0; k < pass->wanted_count; k++)
            memcpy(result + k * size, states + pass->wanted[k] * size, size * sizeof(T));
        return;
    }
    for (i64 k = 0; k < pass->wanted_count / 2; k++)
        result[k] = FN(dot)(n, states + pass->wanted[2 * k] * size, states + pass->wanted[2 * k + 1] * size);
}

/* Its adjoint. */
static void FN(give_adjoint)(const Pass *pass) {
    const i64 size = pass->state_size, n = pass->pair_size;
    const T *given = pass->result_gradient;
    T *gradients = pass->state_gradients;
    if (!n) {
        for (i64 k = 0; k < pass->wanted_count; k++) {
            T *to = gradients + pass->wanted[k] * size;
            const T *from = given + k * size;
            FOR_ELEMENTS(size, ON(to) += ON(from))
        }
        return;
    }
    for (i64 k = 0; k < pass->wanted_count; k++) {
        const T factor = given[k / 2], *from = (const T *)pass->states + pass->wanted[k ^ 1] * size;
        T *to = gradients + pass->wanted[k] * size;
        FOR_ELEMENTS(n, ON(to) += factor * ON(from))
    }
}

int FN(forward)(const Pass *pass) {
    for (i64 k = 0; k < pass->wanted_count; k++)
        if (pass->wanted[k] < 0 || pass->wanted[k] > pass->nodes) return BAD_ROW;
    if (FN(place_leaves)(pass) != FINE) return BAD_LEAF;
    FN(Segment) *segments = FN(arrange)(pass);
    if (!segments) return NO_MEMORY;
    FN(Chunk) x = FN(chunk)(pass);
    for (i64 s = 0; s < pass->segments; s++) {
        const FN(Segment) *segment = segments + s;
        for (i64 at = 0; at < segment->rows; at += x.nodes) {
            FN(place)(&x, pass, segment, at);
            for (i64 k = 0; k < x.program->operations; k++) FN(run)(&x, x.program->operation + k);
        }
    }
    FN(give)(pass);
    free(segments);
    return FINE;
}

/* Adds to a list the inputs and the results' gradients of all uses of a map by the nodes of a segment. */
static i64 FN(uses)(const Pass *pass, const FN(Segment) *segment, const Map *map, i64 row, const T **x, const T **g, i64 count) {
    const Program *p = segment->program;
    for (i64 k = 0; k < p->operations; k++) {
        const Operation *o = p->operation + k;
        if (o->code != PRODUCT || o->weight != map->weight || o->inputs <= row) continue;
        for (i64 at = 0, nodes; at < segment->rows; at += nodes) {
            nodes = FN(next_chunk)(segment->rows - at, CHUNK);
            const T *inputs = o->in == p->out
                ? (const T *)pass->states + (segment->first_row + at) * pass->state_size
                : (const T *)pass->values + segment->values_at + at * p->needed + p->place[o->in] * nodes;
            const T *gradients = (const T *)pass->kept + segment->kept_at + at * p->kept_total + p->kept_place[o->out] * nodes;
            for (i64 i = 0; i < nodes * o->rows; i++, count++) {
                x[count] = inputs + o->in_at + i * o->in_step;
                g[count] = gradients + o->out_at + i * o->out_step;
            }
        }
        T *bias = row || o->bias < 0 ? 0 : ((T *const *)pass->parameter_gradient)[o->bias];
        if (!bias) continue;
        bias += segment->type * o->outputs;
        for (i64 i = count - segment->rows * o->rows; i < count; i++) {
            const T *from = g[i];
            FOR_ELEMENTS(o->outputs, ON(bias) += ON(from))
        }
    }
    return count;
}

/* The gradients of the maps, for each type over all of its nodes at once: every number of them is written once, or once
   for every NODES_AT_ONCE nodes where there are more. */
static int FN(weight_gradients)(const Pass *pass, const FN(Segment) *segments) {
    i64 largest = 1;
    for (i64 m = 0; m < pass->maps; m++) largest = pass->map[m].weight_size > largest ? pass->map[m].weight_size : largest;
    T *part = malloc(largest * sizeof(T));
    i64 *first = malloc((pass->types + pass->segments) * sizeof(i64)), *next = first + pass->types; /* segments of a type */
    const T **x = malloc((pass->nodes * pass->most_rows + 1) * 2 * sizeof(T *)), **g = x + pass->nodes * pass->most_rows + 1;
    if (!x || !part || !first) {
        free(x);
        free(part);
        free(first);
        return NO_MEMORY;
    }
    for (i64 type = 0; type < pass->types; type++) first[type] = -1;
    for (i64 s = pass->segments - 1; s >= 0; s--) {
        next[s] = first[segments[s].type];
        first[segments[s].type] = s;
    }
    for (i64 m = 0; m < pass->maps; m++) {
        const Map *map = pass->map + m;
        T *gradient = ((T *const *)pass->parameter_gradient)[map->weight];
        for (i64 type = 0; type < pass->types; type++)
            for (i64 k = map->first; k < map->first + map->count; k++) {
                i64 from = pass->cut[k], to = pass->cut[k + 1], count = 0;
                for (i64 s = first[type]; s >= 0; s = next[s]) count = FN(uses)(pass, segments + s, map, from, x, g, count);
                if (!gradient) continue;
                T *dw = gradient + type * map->weight_size;
                if (count) FN(product_weight_in_parts)(count, x, g, from, to, map->outputs, dw, part);
                else FN(clear)((to - from) * map->outputs, dw + from * map->outputs);
            }
    }
    free(x);
    free(part);
    free(first);
    return FINE;
}

/* The gradient of what the leaves' states were made of. */
static void FN(leaf_gradients)(const Pass *pass) {
    const i64 size = pass->state_size, width = pass->leaf_size;
    const T *from = pass->state_gradients;
    T *all = pass->leaf_gradient;
    if (pass->leaf_index) memset(all, 0, pass->leaf_rows * width * sizeof(T));
    for (i64 k = 0; k < pass->leaves; k++) {
        from += size;
        if (!pass->leaf_index) {
            memcpy(all + k * width, from, width * sizeof(T));
            continue;
        }
        T *to = all + pass->leaf_index[k] * width;
        FOR_ELEMENTS(width, ON(to) += ON(from))
    }
}

int FN(backward)(const Pass *pass) {
    memset(pass->state_gradients, 0, (pass->nodes + 1) * pass->state_size * sizeof(T));
    FN(give_adjoint)(pass);
    FN(Segment) *segments = FN(arrange)(pass);
    if (!segments) return NO_MEMORY;
    FN(Chunk) x = FN(chunk)(pass);
    for (i64 s = pass->segments - 1; s >= 0; s--) {
        const FN(Segment) *segment = segments + s;
        for (i64 at = 0; at < segment->rows; at += x.nodes) {
            FN(place)(&x, pass, segment, at);
            FN(place_adjoints)(&x, pass, segment, at);
            for (i64 k = x.program->operations - 1; k >= 0; k--) FN(run_adjoint)(&x, x.program->operation + k);
        }
    }
    if (pass->leaf_gradient) FN(leaf_gradients)(pass);
    int code = FN(weight_gradients)(pass, segments);
    free(segments);
    return code;
}
