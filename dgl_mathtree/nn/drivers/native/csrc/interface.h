/* What Python hands over. Every field is 8 bytes wide, so that layout.py can describe the structures as plain tables. */
#ifndef MATHTREE_INTERFACE_H
#define MATHTREE_INTERFACE_H

#include <stdint.h>

typedef int64_t i64;

enum { INTERFACE = 8 }; /* to be raised with every change here; Python refuses a library with another number */
enum { MOST_VALUES = 256 }; /* of a program, its children included */
enum { CHUNK = 16 }; /* nodes of a segment that are computed together */
enum { BLOCK = 1024 }; /* numbers of a gradient that are looked at together, whether all are 0 */

/* d, a and b are elements of the result and of the operands. */
enum {
    FILL,         /* d = shift */
    COPY,         /* d = a */
    SCALE,        /* d = scale a + shift */
    ACCUMULATE,   /* d += a */
    ADD,          /* d = a + b */
    MULTIPLY,     /* d = a b */
    MULTIPLY_ADD, /* d += a b */
    SIGMOID,
    TANH,
    SOFTMAX,      /* over `rows` vectors of `outputs` elements */
    PRODUCT,      /* d = or += a W_type + bias_type, for `rows` rows of a node */
    VECTOR,       /* d = the type's row of a parameter */
    ROW_PRODUCT,  /* d = rest + a M, where the matrix M is a value of the node too */
};

/* n elements in a row of an elementwise operation; an operand moves on by 1 or stays where it is. A product may have them
   several times: each time all begin some places further on. */
typedef struct {
    i64 d, d_at, a, a_at, b, b_at; /* values, and places in their rows */
    i64 n, a_step, b_step;
    i64 a_first, b_first;          /* whether the adjoint is the first to give these elements of a, or of b, a gradient */
    i64 times, d_next, a_next, b_next;
} Stretch;

typedef struct {
    i64 code;
    i64 first, count;        /* the stretches of an elementwise operation */
    i64 out, out_at, out_step;
    i64 in, in_at, in_step;
    i64 rest, rest_at, matrix, matrix_at;
    i64 weight, bias;        /* parameters, -1 for none */
    i64 weight_size;         /* numbers that a type has in the parameter */
    i64 rows, inputs, outputs;
    i64 adds;                /* whether a PRODUCT is added to what is there */
    i64 partner;             /* of a PRODUCT whose result only a ROW_PRODUCT reads, and of that one: 1 + the other; or 0 */
    double scale, shift;
} Operation;

/* The step of a cell for one number of children. The values 0 to arity - 1 are the states of the children. */
typedef struct {
    i64 arity, values, operations;
    i64 out, mask;           /* values: the node's state; what dropout multiplies with, or -1 */
    i64 total;               /* numbers of a node in all values that are computed */
    i64 adjoint_total;       /* the same for gradients that are needed for a chunk only */
    i64 chunk;               /* nodes that are computed together where no values are kept */
    i64 kept_total;          /* and for those of products' results, which are kept until the weights' gradients */
    i64 needed;              /* of `total`: the gradient needs these first ones, the others live as long as their chunk */
    i64 zeroed, kept_zeroed; /* of `adjoint_total` and `kept_total`: the first ones, which are added to from the start */
    const i64 *width;        /* of each value */
    const i64 *place;        /* of each value among those of a node, or -1 */
    const i64 *adjoint_place, *kept_place;
    const Operation *operation;
    const Stretch *stretch;
} Program;

/* The maps that have a gradient: rows of their matrices between two cuts are used by the same nodes. */
typedef struct {
    i64 weight, weight_size, outputs;
    i64 first, count;        /* its cuts; one more bounds the last */
} Map;

/* Of a segment, as Python gives it: (segments, SEGMENT_FIELDS) in the order of computation. */
enum { ARITY, TYPE, FIRST_ROW, ROWS, SEGMENT_FIELDS };

enum { FINE, BAD_ROW, BAD_LEAF, NO_MEMORY, UNUSUAL }; /* what is returned */

typedef struct {
    i64 segments, slots, nodes, leaves, state_size, types;
    i64 leaf_size, leaf_rows; /* of leaf_states */
    i64 mask_size, wanted_count;
    i64 pair_size;           /* 0, or how many first numbers of two wanted states are multiplied for their dot product */
    i64 keep_values;         /* whether `values` holds those of all nodes, for the gradient, or of a chunk only */
    i64 passing;             /* numbers at the start of `values` for those of a chunk that no gradient needs */
    i64 maps, most_rows;     /* the rows that a node has in the uses of a map, at most */
    const Program *program;
    const i64 *number;       /* of the program for each number of children, -1 where there is none */
    const i64 *segment;      /* (segments, SEGMENT_FIELDS) */
    const i64 *children;     /* (nodes, slots) rows of the children of each row but row 0 */
    const void *const *parameter;
    const void *leaf_states; /* (leaf_rows, leaf_size), the rest of a leaf's state is 0 */
    const i64 *leaf_index;   /* (leaves) the row of leaf_states that each leaf has, or NULL: one after the other */
    const void *mask;        /* (nodes, mask_size) in the order of rows, or NULL */
    const i64 *wanted;       /* (wanted_count) rows that are asked for */
    void *states;            /* (nodes + 1, state_size) */
    void *values;
    void *result;            /* (wanted_count, state_size), or (wanted_count / 2) dot products */
    /* for the gradient */
    const Map *map;
    const i64 *cut;
    void *const *parameter_gradient; /* NULL where none is asked for */
    const void *result_gradient;
    void *state_gradients, *kept, *adjoints;
    void *leaf_gradient;     /* as leaf_states, or NULL */
} Pass;

/* A step of Adam for one parameter; its type is that of the function. */
typedef struct {
    i64 count;               /* numbers of the parameter, and of all arrays but `awake` */
    void *weight;
    const void *gradient;
    void *mean, *square;     /* the moments */
    unsigned char *awake;    /* of each BLOCK numbers whether a moment may be other than 0 */
    float *number;           /* of steps so far */
    const double *settings;  /* see adam.h */
} AdamStep;

/* Equations of a forest that become a batch. */
typedef struct {
    i64 equations, all_equations, all_members, nodes, words;
    i64 room;                /* numbers that an array for the nodes of the batch can hold */
    const i64 *chosen;       /* (equations) */
    const i64 *offsets;      /* these are the forest's: (all_equations + 1) */
    const int32_t *members, *word, *children, *height, *all_sides;
    const i64 *type;         /* (words) the node type of each word */
    /* what comes out, as EquationBatch and LevelPlan have it */
    i64 count, leaves, segments;
    i64 most_type;           /* of a node that is not a leaf, -1 if there is none */
    i64 ones, twos;          /* nodes with so many children */
    int32_t *node, *node_children;
    i64 *node_word, *node_type, *order, *row, *row_children, *row_type, *leaf_word;
    i64 *segment, *segment_height;
    i64 *side, *side_row;
} Cut;

#endif
