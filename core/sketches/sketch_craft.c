/* sketch_craft.c - malicious users of a sketch: in each row they craft the row oracle's reports of their targets'
 * symbols. Their support counts add up row by row. */
#include "protocol/craft.h"
#include "random/rng.h"
#include "sketches/sketch.h"

void ldp_sketch_add(const struct ldp_protocol *protocol, const double *more, double *support)
{
    struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const size_t r = (size_t)sketch.shape.rows;
    for (size_t j = 0; j < r; j++) {
        const size_t at = 2 + r + j * sketch.row.support_size;
        if (support[2 + j] > 0 && more[2 + j] > 0)
            ldp_support_add(&sketch.row, more + at, support + at);
        else if (more[2 + j] > 0)
            memcpy(support + at, more + at, sketch.row.support_size * sizeof *support);
        support[2 + j] += more[2 + j];
    }
}

size_t ldp_sketch_craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const size_t most = ldp_craft_most(&sketch.row, craft);
    return most >= sketch.row.d || most > LDP_SKETCH_CHUNK ? LDP_SKETCH_CHUNK
                                                           : most; /* targets share the row's symbols */
}

/* The symbols of the targets in row j, each once. With opposites, those of the sign that more of them have. */
static size_t symbols_of(const struct ldp_protocol *protocol, const struct ldp_craft *craft, uint32_t j,
                         uint32_t symbols[LDP_SKETCH_CHUNK], bool *negative)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const size_t r = craft->r < LDP_SKETCH_CHUNK ? craft->r : LDP_SKETCH_CHUNK;
    uint32_t rows[LDP_SKETCH_CHUNK], cells[LDP_SKETCH_CHUNK];
    bool signs[LDP_SKETCH_CHUNK];
    for (size_t i = 0; i < r; i++)
        rows[i] = j;
    ldp_sketch_hash(&sketch.shape, ldp_sketch_current_family(protocol, &sketch), craft->target, r, rows, cells, signs);
    size_t minus = 0;
    for (size_t i = 0; i < r; i++)
        minus += signs[i];
    *negative = sketch.shape.opposites && 2 * minus > r;
    size_t count = 0;
    for (size_t i = 0; i < r; i++) {
        if (sketch.shape.opposites && signs[i] != *negative)
            continue;
        const uint32_t symbol = cells[i] + (signs[i] && !sketch.shape.opposites && sketch.shape.signs != LDP_SIGNS_NONE
                                                ? (uint32_t)sketch.shape.columns
                                                : 0);
        size_t k = 0;
        while (k < count && symbols[k] != symbol)
            k++;
        symbols[k] = symbol;
        count += k == count;
    }
    return count;
}

/* Malicious users take the rows in turn, and craft the row oracle's reports of their targets' symbols. */
void ldp_sketch_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                      uint64_t *reports)
{
    struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const uint64_t r = sketch.shape.rows, first = rng_below(rng, r);
    const size_t words = protocol->report_words, own = words - 1;
    for (uint64_t k = 0, done = 0; k < r && done < m; k++) {
        const uint64_t j = (first + k) % r;
        const size_t size = (size_t)((k + 1) * m / r - done + (r > m)), count = size < m - done ? size : m - done;
        uint64_t *const report = reports + done * words, *const packed = report + count;
        uint32_t symbols[LDP_SKETCH_CHUNK];
        bool negative;
        struct ldp_craft of_row = *craft;
        of_row.target = symbols;
        of_row.r = symbols_of(protocol, craft, (uint32_t)j, symbols, &negative);
        ldp_sketch_enter(protocol, j, &sketch.row);
        ldp_craft(&sketch.row, &of_row, count, rng, packed);
        for (size_t i = 0; i < count; i++) {
            memmove(report + i * words + 1, packed + i * own, own * sizeof *report);
            report[i * words] = j;
            if (negative)
                sketch.row.oracle->negate(&sketch.row, report + i * words + 1);
        }
        done += count;
    }
}
