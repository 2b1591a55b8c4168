/* The nodes of some equations of a forest, and the order in which a pass computes them: what batch_graph does on arrays. */
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { CODES = 1 << 12 }; /* pairs of a type and a number of children that can be counted */

/* The place of a node among those whose bits are set; -1 for a missing child, -2 for a node that is not among them. */
static inline i64 rank_of(const uint64_t *bits, const int32_t *before, i64 nodes, i64 node) {
    if (node == -1) return -1;
    if (node < 0 || node >= nodes || !(bits[node >> 6] >> (node & 63) & 1)) return -2;
    return before[node >> 6] + __builtin_popcountll(bits[node >> 6] & ((1ull << (node & 63)) - 1));
}

/* Marks the members of the equations. */
static int mark(const Cut *cut, uint64_t *bits) {
    i64 room = cut->room;
    for (i64 e = 0; e < cut->equations; e++) {
        const i64 equation = cut->chosen[e];
        if (equation < 0 || equation >= cut->all_equations) return UNUSUAL;
        const i64 from = cut->offsets[equation], to = cut->offsets[equation + 1];
        if (from < 0 || to < from || to > cut->all_members || (room -= to - from) < 0) return UNUSUAL;
        for (i64 k = from; k < to; k++) {
            const i64 node = cut->members[k];
            if (node < 0 || node >= cut->nodes) return UNUSUAL;
            bits[node >> 6] |= 1ull << (node & 63);
        }
    }
    return FINE;
}

/* Lists the nodes whose bits are set, with all that is known of them; `code` gets type and number of children. */
static int list(Cut *cut, const uint64_t *bits, int32_t *before, int32_t *code) {
    const i64 words = (cut->nodes + 63) / 64;
    i64 count = 0;
    for (i64 w = 0; w < words; w++) {
        before[w] = (int32_t)count;
        for (uint64_t left = bits[w]; left; left &= left - 1) cut->node[count++] = (int32_t)(w * 64 + __builtin_ctzll(left));
    }
    cut->count = count;
    for (i64 k = 0; k < count; k++) {
        const i64 node = cut->node[k], word = cut->word[node];
        if (word < 0 || word >= cut->words) return UNUSUAL;
        const i64 left = rank_of(bits, before, cut->nodes, cut->children[2 * node]);
        const i64 right = rank_of(bits, before, cut->nodes, cut->children[2 * node + 1]);
        const i64 degree = (left >= 0) + (right >= 0), type = cut->type[word];
        /* Forests are ordered by height; a type is counted where a node is not a leaf. */
        if (left < -1 || right < -1 || left >= k || right >= k) return UNUSUAL;
        if (k && cut->height[node] < cut->height[cut->node[k - 1]]) return UNUSUAL;
        if (degree && (type < 0 || type >= CODES / 4)) return UNUSUAL;
        if ((cut->height[node] > 0) != (degree > 0)) return UNUSUAL;
        cut->node_word[k] = word;
        cut->node_type[k] = type;
        cut->node_children[2 * k] = (int32_t)left;
        cut->node_children[2 * k + 1] = (int32_t)right;
        code[k] = (int32_t)(degree ? 4 * type + degree : 0);
    }
    return FINE;
}

/* The rows of the nodes [from, to) of one height, sorted by code, and their segments. */
static void sort_level(Cut *cut, i64 from, i64 to, const int32_t *code, int32_t *counts) {
    int32_t most = 0;
    for (i64 k = from; k < to; k++) {
        counts[code[k]]++;
        if (code[k] > most) most = code[k];
    }
    i64 row = from;
    for (int32_t c = 0; c <= most; c++) {
        const i64 size = counts[c];
        if (!size) continue;
        if (c) {
            if (c >> 2 > cut->most_type) cut->most_type = c >> 2;
            *((c & 3) == 1 ? &cut->ones : &cut->twos) += size;
            i64 *segment = cut->segment + cut->segments * SEGMENT_FIELDS;
            segment[ARITY] = c & 3;
            segment[TYPE] = c >> 2;
            segment[FIRST_ROW] = row + 1;
            segment[ROWS] = size;
            cut->segment_height[cut->segments++] = cut->height[cut->node[from]];
        } else
            cut->leaves = size;
        counts[c] = (int32_t)row;
        row += size;
    }
    for (i64 k = from; k < to; k++) {
        const i64 at = counts[code[k]]++;
        cut->order[at] = k;
        cut->row[k] = at + 1;
        cut->row_type[at] = code[k] >> 2;
    }
    for (i64 k = from; k < to; k++) counts[code[k]] = 0;
}

static int cut_out(Cut *cut, uint64_t *bits, int32_t *before, int32_t *code, int32_t *counts) {
    if (mark(cut, bits) != FINE || list(cut, bits, before, code) != FINE) return UNUSUAL;
    cut->segments = cut->leaves = cut->ones = cut->twos = 0;
    cut->most_type = -1;
    for (i64 from = 0, to; from < cut->count; from = to) {
        for (to = from + 1; to < cut->count && cut->height[cut->node[to]] == cut->height[cut->node[from]];) to++;
        sort_level(cut, from, to, code, counts);
    }
    for (i64 at = 0; at < cut->count; at++)
        for (int slot = 0; slot < 2; slot++) {
            const i64 child = cut->node_children[2 * cut->order[at] + slot];
            cut->row_children[2 * at + slot] = child < 0 ? 0 : cut->row[child];
        }
    for (i64 at = 0; at < cut->leaves; at++) cut->leaf_word[at] = cut->node_word[cut->order[at]];
    for (i64 k = 0; k < 2 * cut->equations; k++) {
        const i64 side = rank_of(bits, before, cut->nodes, cut->all_sides[2 * cut->chosen[k / 2] + k % 2]);
        if (side < 0) return UNUSUAL;
        cut->side[k] = side;
        cut->side_row[k] = cut->row[side];
    }
    return FINE;
}

/* Fills in what comes out, or returns UNUSUAL for what only the arrays' own code has an answer to. */
int mathtree_cut(Cut *cut) {
    const i64 words = (cut->nodes + 63) / 64;
    uint64_t *bits = calloc(words + 1, sizeof(uint64_t));
    int32_t *before = malloc((words + cut->room + 1) * sizeof(int32_t)), *counts = calloc(CODES, sizeof(int32_t));
    int code = bits && before && counts ? cut_out(cut, bits, before, before + words, counts) : NO_MEMORY;
    free(bits);
    free(before);
    free(counts);
    return code;
}
