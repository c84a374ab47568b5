/* subsets.c - column sums of random rows of fixed sizes.
 *
 * A row is a uniform k-set of d columns (free), or its own column and a uniform (k-1)-set of the others (forced).
 * Columns are halved repeatedly. For a node of the tree, which is a block of columns, a row matters only by the number
 * of its positions there: rows with the same number are exchangeable. So a node keeps a histogram, other[r] rows with r
 * positions, and
 *
 *     a row with r positions in left + right columns has x of them on the left, x ~ Hypergeometric(r; left, right):
 *     a multinomial for each r, added to other_left[x] and other_right[r - x].
 *
 * Nothing is drawn for a row's own column, and the other positions are uniform over d - 1 columns, a different set of
 * columns for each own column. These rows are followed upwards, from the own column to the root: own[s] rows have their
 * own column in the block, s of the other positions in it, and k-1-s outside, a uniform set of the columns there. So
 *
 *     x ~ Hypergeometric(k-1-s; sibling, d - block - sibling) of these are in the sibling block, a uniform set of its
 *     columns: the draw is added to own_parent[s + x] and other_sibling[x].
 *
 * After that, such a row is treated in the sibling's block like a free one, and in the parent's block as before in the
 * block. So the upward pass draws, for each row, the positions in the sibling blocks along its path to the root. These
 * blocks and its own column are all columns, so by the chain rule of hypergeometrics the result is a uniform set of the
 * others. The downward pass then halves all blocks, and at single columns the result is other[1] plus the own rows. The
 * joint law is exact up to double precision: probabilities below 1e-30 are treated as 0, in the tails of a law and
 * beyond the windows of the histograms (Bernstein's inequality).
 *
 * Multinomials are chains of binomials, the likeliest outcome first, until few rows are left, which are placed one by
 * one. The chains of a level are drawn in parallel, so that many binomials are drawn at once (binomials.h).
 *
 * Cost: a histogram has about 5 sqrt(block) relevant entries, and a level about 5 binomials per column, so O(d log d),
 * almost independent of the number of rows; about 200 bytes per column. */
#include "sampling/subsets.h"
#include "random/rng.h"
#include "sampling/binomials.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    LANES = LDP_BINOMIALS_MAX,
    REFILL = LANES * 5 / 8, /* lanes that are left when new ones are taken in */
    FEW = 6,                /* rows that are placed one by one */
    LOOK = 4,               /* outcomes that are examined together for that */
    OUTCOMES = 8192,        /* of all laws that are ready, at least */
    LEVELS = 64
};

/* Weights relative to the largest that are left out; the exponent that windows allow for. */
static const double TINY = 1e-30, EXPONENT = 70;

/* ---- The tree ---- */

/* Level l has 2^l blocks, block i from floor(i d / 2^l) on, until a block has one column or none. */
static size_t block_start(size_t d, unsigned level, size_t i)
{
    return (size_t)(((ldp_uint128)i * d) >> level);
}

static unsigned last_level(size_t d)
{
    unsigned level = 0;
    while (d > (size_t)1 << level)
        level++;
    return level;
}

/* The histograms of a level: of blocks of at most `most` columns, positions first .. first + width - 1. */
struct window {
    size_t first, width;
};

static struct window window_of(size_t d, size_t k, unsigned level)
{
    const size_t least = d >> level, most = least + (d > least << level);
    const double share = (double)k / (double)d, variance = (double)most * share * (1 - share);
    const double reach = 2 + EXPONENT / 3 + sqrt(EXPONENT * EXPONENT / 9 + 2 * EXPONENT * variance);
    const double low = floor((double)least * share - reach), high = ceil((double)most * share + reach);
    const size_t all = k < most ? k : most, first = low > 0 ? (size_t)low : 0;
    const size_t last = high < (double)all ? (size_t)high : all;
    return (struct window){first, last - first + 1};
}

/* ---- Chains ---- */

/* An outcome of a law: x less the least x, and its share of the weight of it and all outcomes after it. */
struct outcome {
    double share;
    ptrdiff_t x;
};

/* Multinomials under way, one a lane: the next outcome, rows left and its share of them, where rows with x go: a[x]
 * and b[x] or b[-x], of which a and b themselves are those of the least x. */
struct lanes {
    size_t m, at[LANES];
    double *a[LANES], *b[LANES], rows[LANES], share[LANES];
};

/* Laws that are ready and the multinomials that are under way. */
struct chains {
    struct ldp_rng *rng;
    struct outcome *outcome;
    double *tail; /* of an outcome: the weight of it and all after it; each law is followed by LOOK zeros */
    size_t used, room;
    double *weight; /* of the law under construction */
    int turn;       /* 1 for b[x], -1 for b[-x] */
    struct lanes lanes;
};

/* Blocks that are divided in the same way. */
struct split {
    size_t r, good, bad, lo, hi; /* of r positions lo .. hi in the good columns */
    bool made;
    size_t law; /* its first outcome, once it is made */
};

/* weight[x - lo] of the law of x, relative to the mode, from there to `first` and to `last`, where it ends or is below
 * TINY. Ratios of neighbours come first, in loops that vectorise. */
static void law_weights(const struct split *split, size_t mode, double *weight, size_t *first, size_t *last)
{
    enum { BLOCK = 16 };
    const double r = (double)split->r, good = (double)split->good, bad = (double)split->bad;
    double ratio[BLOCK], w = 1;
    size_t low = mode, high = mode;
    weight[mode - split->lo] = w;
    for (double next = (double)mode; high < split->hi && w > TINY; next += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            const double x = next + i;
            ratio[i] = (r - x) * (good - x) / ((x + 1) * (bad - r + x + 1));
        }
        for (int i = 0; i < BLOCK && high < split->hi && w > TINY; i++)
            weight[++high - split->lo] = w *= ratio[i];
    }
    w = 1;
    for (double next = (double)mode; low > split->lo && w > TINY; next -= BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            const double x = next - i;
            ratio[i] = x * (bad - r + x) / ((r - x + 1) * (good - x + 1));
        }
        for (int i = 0; i < BLOCK && low > split->lo && w > TINY; i++)
            weight[--low - split->lo] = w *= ratio[i];
    }
    *first = low;
    *last = high;
}

/* The law of x: from the mode outwards to both sides in turn. Tails are summed from their ends, so that small ones keep
 * their digits. */
static size_t law_new(struct chains *chains, const struct split *split)
{
    double *const weight = chains->weight;
    const size_t lo = split->lo, hi = split->hi;
    const double r = (double)split->r, good = (double)split->good, bad = (double)split->bad;
    size_t mode = (size_t)((r + 1) * (good + 1) / (good + bad + 2)), first, last;
    mode = mode < lo ? lo : mode > hi ? hi : mode;
    law_weights(split, mode, weight, &first, &last);
    const size_t outcomes = last - first + 1, up = last - mode, down = mode - first, both = up < down ? up : down;
    const size_t start = chains->used;
    struct outcome *const law = chains->outcome + start;
    double *const tail = chains->tail + start;
    chains->used += outcomes + LOOK;
    const ptrdiff_t middle = (ptrdiff_t)(mode - lo);
    law[0].x = middle;
    for (size_t i = 1; i <= both; i++) {
        law[2 * i - 1].x = middle + (ptrdiff_t)i;
        law[2 * i].x = middle - (ptrdiff_t)i;
    }
    for (size_t i = both + 1; i <= up; i++)
        law[both + i].x = middle + (ptrdiff_t)i;
    for (size_t i = both + 1; i <= down; i++)
        law[both + i].x = middle - (ptrdiff_t)i;
    double sum = 0;
    for (size_t i = outcomes; i-- > 0;) {
        sum += weight[law[i].x];
        tail[i] = sum;
    }
    for (size_t i = 0; i < outcomes; i++)
        law[i].share = weight[law[i].x] / tail[i];
    for (size_t i = outcomes; i < outcomes + LOOK; i++)
        tail[i] = 0;
    return start;
}

/* Places few rows: each at the last outcome, from `at` on, whose tail is above a uniform number, found without
 * branches. */
static void place_few(struct chains *chains, size_t at, double rows, double *a, double *b)
{
    const double *const tail = chains->tail + at;
    const struct outcome *const outcome = chains->outcome + at;
    for (size_t row = 0; row < (size_t)rows; row++) {
        const double u = rng_uniform(chains->rng) * tail[0];
        size_t found = 0, further;
        do {
            further = 0;
            for (size_t i = 1; i <= LOOK; i++)
                further += u < tail[found + i];
            found += further;
        } while (further == LOOK);
        const ptrdiff_t x = outcome[found].x;
        a[x]++;
        b[chains->turn * x]++;
    }
}

/* One outcome further in every lane; lanes that have few rows after it end. */
static void step(struct chains *chains)
{
    const ptrdiff_t turn = chains->turn;
    const struct outcome *const outcome = chains->outcome;
    struct lanes *const lanes = &chains->lanes;
    double drawn[LANES], rows[LANES], *a[LANES], *b[LANES];
    size_t at[LANES], m = 0, ended = 0;
    ldp_binomials(chains->rng, lanes->m, lanes->rows, lanes->share, drawn);
    for (size_t i = 0; i < lanes->m; i++) {
        const size_t now = lanes->at[i];
        const ptrdiff_t x = outcome[now].x;
        double *const to_a = lanes->a[i], *const to_b = lanes->b[i];
        const double left = lanes->rows[i] - drawn[i];
        to_a[x] += drawn[i];
        to_b[turn * x] += drawn[i];
        at[ended] = lanes->at[m] = now + 1;
        a[ended] = lanes->a[m] = to_a;
        b[ended] = lanes->b[m] = to_b;
        rows[ended] = lanes->rows[m] = left;
        lanes->share[m] = outcome[now + 1].share;
        m += left > FEW;
        ended += (left <= FEW) & (left > 0);
    }
    lanes->m = m;
    for (size_t i = 0; i < ended; i++)
        place_few(chains, at[i], rows[i], a[i], b[i]); /* NOLINT */
}

/* Continues until at most `most` lanes are left, none of which has few rows. */
static void run(struct chains *chains, size_t most)
{
    while (chains->lanes.m > most)
        step(chains);
}

static void begin(struct chains *chains, int turn)
{
    chains->used = 0;
    chains->turn = turn;
}

static void end(struct chains *chains)
{
    run(chains, 0);
    chains->used = 0;
}

/* a and b: where rows with the least x go. */
static void divide(struct chains *chains, struct split *split, double rows, double *a, double *b)
{
    if (split->lo == split->hi) {
        *a += rows;
        *b += rows;
        return;
    }
    if (!split->made) {
        if (chains->used + (split->hi - split->lo + 1 + LOOK) > chains->room)
            end(chains);
        split->made = true;
        split->law = law_new(chains, split);
    }
    if (rows <= FEW) {
        place_few(chains, split->law, rows, a, b);
        return;
    }
    if (chains->lanes.m == LANES)
        run(chains, REFILL);
    struct lanes *const lanes = &chains->lanes;
    const size_t i = lanes->m++;
    lanes->at[i] = split->law;
    lanes->a[i] = a;
    lanes->b[i] = b;
    lanes->rows[i] = rows;
    lanes->share[i] = chains->outcome[split->law].share;
}

/* ---- Up and down ---- */

struct tree {
    size_t d, k;
    unsigned last;
    struct window window[LEVELS + 1];
    double *other[LEVELS + 1]; /* [blocks of the level][width] */
    double *own, *own_above;   /* of two levels, the same */
    uint32_t *order;           /* blocks of a level */
    struct chains chains;
};

static size_t columns(const struct tree *tree, unsigned level, size_t i)
{
    return block_start(tree->d, level, i + 1) - block_start(tree->d, level, i);
}

/* Sorts pairs of blocks of a level so that those with equal numbers of columns are adjacent: pairs of kind 2 (left has
 * one more than the least) + (so has right), those of kind c from start[c] on. */
static void sort_pairs(struct tree *tree, unsigned level, size_t start[5])
{
    const size_t least = tree->d >> level, pairs = (size_t)1 << (level - 1);
    size_t count[4] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < pairs; i++) {
            const size_t kind = 2 * (columns(tree, level, 2 * i) - least) + (columns(tree, level, 2 * i + 1) - least);
            if (pass == 0)
                count[kind]++;
            else
                tree->order[count[kind]++] = (uint32_t)i;
        }
        for (size_t c = 0, sum = 0; pass == 0 && c < 4; c++) {
            start[c] = sum;
            sum += count[c];
            count[c] = start[c];
        }
    }
    start[4] = pairs;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* From own rows of a level's blocks, side 0 or 1 of each pair, to the sibling and the parent. */
static void climb_side(struct tree *tree, unsigned level, size_t side, size_t left, size_t right, const uint32_t *pairs,
                       size_t npairs)
{
    const struct window at = tree->window[level], up = tree->window[level - 1];
    const size_t sibling = side == 0 ? right : left, external = tree->d - left - right;
    for (size_t s = at.first; s < at.first + at.width && s < tree->k; s++) {
        const size_t r = tree->k - 1 - s;
        struct split split = {.r = r, .good = sibling, .bad = external};
        split.lo = larger(r > external ? r - external : 0, larger(at.first, up.first > s ? up.first - s : 0));
        split.hi = lesser(lesser(r, sibling), lesser(at.first + at.width - 1, up.first + up.width - 1 - s));
        for (size_t j = 0; j < npairs; j++) {
            const size_t parent = pairs[j], i = 2 * parent + side;
            const double rows = tree->own[i * at.width + s - at.first];
            if (rows > 0)
                divide(&tree->chains, &split, rows, &tree->own_above[parent * up.width + s + split.lo - up.first],
                       &tree->other[level][(i ^ 1) * at.width + split.lo - at.first]);
        }
    }
}

static void climb(struct tree *tree, const double *forced)
{
    const size_t leaves = (size_t)1 << tree->last, width = tree->window[tree->last].width;
    memset(tree->own, 0, leaves * width * sizeof *tree->own);
    for (size_t i = 0; i < leaves; i++)
        if (columns(tree, tree->last, i) == 1)
            tree->own[i * width] = forced[block_start(tree->d, tree->last, i)];
    for (unsigned level = tree->last; level > 0; level--) {
        size_t start[5];
        memset(tree->own_above, 0, ((size_t)1 << (level - 1)) * tree->window[level - 1].width * sizeof(double));
        sort_pairs(tree, level, start);
        begin(&tree->chains, 1);
        for (size_t kind = 0; kind < 4; kind++) {
            const size_t least = tree->d >> level, left = least + kind / 2, right = least + kind % 2;
            for (size_t side = 0; side < 2 && start[kind + 1] > start[kind]; side++)
                climb_side(tree, level, side, left, right, tree->order + start[kind], start[kind + 1] - start[kind]);
        }
        end(&tree->chains);
        double *const swap = tree->own;
        tree->own = tree->own_above;
        tree->own_above = swap;
    }
}

/* Halves the blocks of level - 1. */
static void halve(struct tree *tree, unsigned level, size_t left, size_t right, const uint32_t *pairs, size_t npairs)
{
    const struct window at = tree->window[level], up = tree->window[level - 1];
    const size_t last = at.first + at.width - 1;
    for (size_t r = up.first; r < up.first + up.width && r <= left + right; r++) {
        struct split split = {.r = r, .good = left, .bad = right};
        split.lo = larger(r > right ? r - right : 0, larger(at.first, r > last ? r - last : 0));
        split.hi = lesser(lesser(r, left), lesser(last, r - lesser(r, at.first)));
        for (size_t j = 0; j < npairs; j++) {
            const size_t parent = pairs[j];
            const double rows = tree->other[level - 1][parent * up.width + r - up.first];
            if (rows > 0)
                divide(&tree->chains, &split, rows, &tree->other[level][2 * parent * at.width + split.lo - at.first],
                       &tree->other[level][(2 * parent + 1) * at.width + r - split.lo - at.first]);
        }
    }
}

static void descend(struct tree *tree)
{
    for (unsigned level = 1; level <= tree->last; level++) {
        size_t start[5];
        sort_pairs(tree, level, start);
        begin(&tree->chains, -1);
        for (size_t kind = 0; kind < 4; kind++) {
            const size_t least = tree->d >> level, left = least + kind / 2, right = least + kind % 2;
            if (start[kind + 1] > start[kind])
                halve(tree, level, left, right, tree->order + start[kind], start[kind + 1] - start[kind]);
        }
        end(&tree->chains);
    }
}

/* ---- All ---- */

/* Places the tree in `memory`; NULL: only counts its bytes. */
static size_t tree_lay(struct tree *tree, size_t d, size_t k, void *memory)
{
    size_t all = 0, most = 0, longest = 0;
    *tree = (struct tree){.d = d, .k = k, .last = last_level(d)};
    for (unsigned level = 0; level <= tree->last; level++) {
        tree->window[level] = window_of(d, k, level);
        const size_t entries = tree->window[level].width << level;
        tree->other[level] = memory ? (double *)memory + all : NULL;
        all += entries;
        most = larger(most, entries);
        longest = larger(longest, tree->window[level].width);
    }
    const size_t room = OUTCOMES + longest + LOOK, blocks = (size_t)1 << tree->last;
    const size_t doubles = all + 2 * most + longest + room;
    if (memory) {
        tree->own = (double *)memory + all;
        tree->own_above = tree->own + most;
        tree->chains.weight = tree->own_above + most;
        tree->chains.tail = tree->chains.weight + longest;
        tree->chains.outcome = (struct outcome *)(void *)(tree->chains.tail + room);
        tree->order = (uint32_t *)(void *)(tree->chains.outcome + room);
        tree->chains.room = room;
        memset(memory, 0, all * sizeof(double)); /* other[] */
    }
    return doubles * sizeof(double) + room * sizeof(struct outcome) + blocks * sizeof(uint32_t);
}

size_t ldp_subsets_bytes(size_t d, size_t k)
{
    struct tree tree;
    return tree_lay(&tree, d, k, NULL);
}

void ldp_subsets(struct ldp_rng *rng, size_t d, size_t k, double rows, const double *forced, void *scratch, double *sum)
{
    assert(k >= 1 && k < d && scratch);
    struct tree tree;
    tree_lay(&tree, d, k, scratch);
    assert(tree.other[0]);
    tree.chains.rng = rng;
    tree.other[0][k - tree.window[0].first] = rows;
    climb(&tree, forced);
    descend(&tree);
    const size_t leaves = (size_t)1 << tree.last;
    const struct window window = tree.window[tree.last];
    for (size_t i = 0; i < leaves; i++) {
        const size_t v = block_start(d, tree.last, i);
        if (columns(&tree, tree.last, i) == 1)
            sum[v] = forced[v] + tree.other[tree.last][i * window.width + 1 - window.first];
    }
}
