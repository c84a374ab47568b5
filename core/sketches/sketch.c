/* sketch.c - see sketch.h: client, server and estimate of a sketch, for any row oracle and decoder.
 *
 * It has over 500 lines: every entry of an oracle, each of which hands most of its work to the rows' oracle. */
#include "sketches/sketch.h"

#include "protocol/pure.h"
#include "protocol/tally.h"
#include "sketches/absent.h"

#include <assert.h>
#include <inttypes.h>

/* The largest number of reports that a server sorts by row at once. */
enum { BATCH = 4096, BATCH_BYTES = 1 << 15 };

/* The seed of the fixed hash functions. */
static const uint64_t FIXED_FAMILY = UINT64_C(0x5eed0f51de7c4e5);

const char *const ldp_sketch_decoders[] = {"mean", "median", "min", "nnls", "amp", NULL};
const char *const ldp_sketch_mean_or_amp[] = {"mean", "amp", NULL};
const char *const ldp_sketch_families[] = {"fresh", "fixed", NULL};

struct own {
    struct ldp_sketch_shape shape;
    struct ldp_inner row;
};
LDP_OWN(struct own);

struct ldp_sketch ldp_sketch_of(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    return (struct ldp_sketch){own.shape, ldp_inner_protocol(&own.row, 0)};
}

/* ---- Seeds ---- */

enum { OF_CELL, OF_SIGN, OF_ROW, PURPOSES };

uint64_t ldp_sketch_cell_seed(uint64_t family, uint64_t j)
{
    return ldp_hash_seed(family, PURPOSES * j + OF_CELL);
}

uint64_t ldp_sketch_sign_seed(uint64_t family, uint64_t j)
{
    return ldp_hash_seed(family, PURPOSES * j + OF_SIGN);
}

uint64_t ldp_sketch_current_family(const struct ldp_protocol *protocol, const struct ldp_sketch *sketch)
{
    return sketch->shape.fixed ? FIXED_FAMILY : protocol->public_seed;
}

void ldp_sketch_enter(const struct ldp_protocol *protocol, uint64_t j, struct ldp_protocol *row)
{
    row->public_seed = ldp_hash_seed(protocol->public_seed, PURPOSES * j + OF_ROW);
}

/* ---- Configuration ---- */

/* The server's state: users of each row; a batch of reports sorted by row; the rows' own states. */
struct state {
    uint64_t *users;  /* [r] */
    uint64_t *sorted; /* [batch][report words of the row oracle] */
    uint32_t *count;  /* [r] reports of the batch; 0 between batches */
    uint32_t *end;    /* [r] where the reports of the row that are sorted so far end */
    uint32_t *order;  /* [batch] the rows of a batch */
    char *rows;       /* [r][row_bytes] */
    size_t batch, row_bytes, bytes;
};

static struct state state_in(const struct ldp_sketch *sketch, void *bytes)
{
    const struct ldp_protocol *const row = &sketch->row;
    const size_t r = (size_t)sketch->shape.rows, batch = ldp_block_reports(row->report_words, BATCH_BYTES, BATCH);
    struct ldp_arena arena = {bytes, 0};
    struct state state = {.batch = batch, .row_bytes = ldp_aligned(row->state_bytes)};
    state.users = ldp_take(&arena, r * sizeof *state.users);
    state.sorted = ldp_take(&arena, batch * row->report_words * sizeof *state.sorted);
    state.count = ldp_take(&arena, r * sizeof *state.count);
    state.end = ldp_take(&arena, r * sizeof *state.end);
    state.order = ldp_take(&arena, batch * sizeof *state.order);
    state.rows = ldp_take(&arena, r * state.row_bytes);
    state.bytes = arena.bytes;
    return state;
}

static enum ldp_status configure_row(const struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                     struct own *own, struct ldp_reason *reason)
{
    if (spec->oracle->flags & LDP_ORACLE_SKETCH)
        return ldp_refuse(reason, "row_oracle = %s: expected an oracle that is no sketch", spec->oracle->name);
    if (spec->oracle->flags & LDP_ORACLE_ORDINAL)
        return ldp_refuse(reason, "row_oracle = %s: expected an oracle that uses no order, as cells have none",
                          spec->oracle->name);
    const bool two_symbols = own->shape.signs != LDP_SIGNS_NONE;
    enum ldp_status status = ldp_inner_init(&own->row, spec, (size_t)own->shape.columns, protocol->epsilon, reason);
    /* A row oracle that has a symbol for each sign need not suit c symbols. */
    own->shape.opposites =
        two_symbols && status == LDP_OK && ldp_inner_protocol(&own->row, 0).flags & LDP_ORACLE_NEGATES;
    if (two_symbols && !own->shape.opposites)
        status = ldp_inner_init(&own->row, spec, 2 * (size_t)own->shape.columns, protocol->epsilon, reason);
    return status;
}

enum ldp_status ldp_sketch_configure(struct ldp_protocol *protocol, const struct ldp_sketch_shape *shape,
                                     const struct ldp_oracle_spec *row, struct ldp_reason *reason)
{
    if (shape->rows * shape->columns > LDP_SKETCH_CELLS_MAX)
        return ldp_refuse(reason, "rows = %" PRIu64 ", columns = %" PRIu64 ": expected at most %d cells", shape->rows,
                          shape->columns, LDP_SKETCH_CELLS_MAX);
    struct own own = {.shape = *shape};
    const struct ldp_oracle_spec standard = ldp_spec_default("oue");
    const enum ldp_status status = configure_row(protocol, row ? row : &standard, &own, reason);
    if (status != LDP_OK)
        return status;
    own_set(protocol, own);
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    ldp_sketch_set_noise(protocol, &sketch);
    const bool amp = shape->decode == LDP_DECODE_AMP,
               unbiased = !shape->fixed &&
                          ((amp && shape->rows >= LDP_AMP_ROWS) ||
                           (shape->decode == LDP_DECODE_MEAN && shape->debias == (shape->signs != LDP_SIGNS_FREE)));
    protocol->flags |=
        (amp ? LDP_ORACLE_PREDICTED : 0) |
        (sketch.row.flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED | LDP_ORACLE_JOINT)) |
        (unbiased ? 0 : LDP_ORACLE_BIASED) | LDP_ORACLE_PUBLIC;
    protocol->report_words = 1 + sketch.row.report_words;
    protocol->state_bytes = state_in(&sketch, NULL).bytes;
    protocol->support_size = 2 + (size_t)shape->rows * (1 + sketch.row.support_size);
    return LDP_OK;
}

/* ---- Client and server ---- */

/* Values of the functions with some purpose, of users in their rows. If there are fewer rows than users, each row's
 * seed is made once. */
static void hash_users(uint64_t seed_of(uint64_t, uint64_t), uint64_t family, uint64_t r, const uint32_t *values,
                       size_t m, const uint32_t *rows, uint32_t g, uint64_t *pairs)
{
    if (r < m) {
        uint64_t seeds[LDP_SKETCH_CHUNK] = {0};
        for (size_t j = 0; j < r; j++)
            seeds[j] = seed_of(family, j);
        for (size_t i = 0; i < m; i++)
            pairs[2 * i] = seeds[rows[i]];
    } else {
        for (size_t i = 0; i < m; i++)
            pairs[2 * i] = seed_of(family, rows[i]);
    }
    ldp_hash_clients(values, m, g, pairs);
}

void ldp_sketch_hash(const struct ldp_sketch_shape *shape, uint64_t family, const uint32_t *values, size_t m,
                     const uint32_t *rows, uint32_t *cells, bool *negative)
{
    uint64_t pairs[2 * LDP_SKETCH_CHUNK];
    assert(m <= LDP_SKETCH_CHUNK);
    hash_users(ldp_sketch_cell_seed, family, shape->rows, values, m, rows, (uint32_t)shape->columns, pairs);
    for (size_t i = 0; i < m; i++) {
        cells[i] = (uint32_t)pairs[2 * i + 1];
        negative[i] = shape->signs == LDP_SIGNS_PARITY && cells[i] % 2;
    }
    if (shape->signs != LDP_SIGNS_FREE)
        return;
    hash_users(ldp_sketch_sign_seed, family, shape->rows, values, m, rows, 2, pairs);
    for (size_t i = 0; i < m; i++)
        negative[i] = pairs[2 * i + 1];
}

/* The row oracle's reports of symbols[m], behind the rows' numbers. */
static void report_symbols(const struct ldp_protocol *protocol, struct ldp_protocol *row, const uint32_t *symbols,
                           size_t m, struct ldp_rng *rng, uint64_t *report)
{
    const size_t words = protocol->report_words;
    if (words == 2 && !(row->flags & LDP_ORACLE_PUBLIC)) { /* rows differ in nothing that a client sees */
        uint64_t own[LDP_SKETCH_CHUNK];
        row->oracle->client(row, symbols, m, rng, own);
        for (size_t i = 0; i < m; i++)
            report[2 * i + 1] = own[i];
        return;
    }
    for (size_t i = 0; i < m; i++) {
        ldp_sketch_enter(protocol, report[i * words], row);
        row->oracle->client(row, &symbols[i], 1, rng, report + i * words + 1);
    }
}

/* rows[m], uniform below r, as rng_below gives them. */
static void draw_rows(struct ldp_rng *rng, uint64_t r, size_t m, uint32_t *rows)
{
    uint64_t word[LDP_SKETCH_CHUNK];
    ldp_rng_words(rng, m, word);
    struct ldp_rng_ahead ahead = {word, word + m, rng};
    for (size_t i = 0; i < m; i++)
        rows[i] = (uint32_t)rng_below_ahead(&ahead, r);
}

void ldp_sketch_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                       uint64_t *reports)
{
    struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct ldp_sketch_shape *const shape = &sketch.shape;
    const size_t words = protocol->report_words;
    const uint64_t family = ldp_sketch_current_family(protocol, &sketch);
    const bool two_symbols = shape->signs != LDP_SIGNS_NONE && !sketch.shape.opposites;
    for (size_t start = 0; start < m; start += LDP_SKETCH_CHUNK) {
        const size_t size = m - start < LDP_SKETCH_CHUNK ? m - start : LDP_SKETCH_CHUNK;
        uint64_t *const report = reports + start * words;
        uint32_t rows[LDP_SKETCH_CHUNK], cells[LDP_SKETCH_CHUNK];
        bool negative[LDP_SKETCH_CHUNK];
        draw_rows(rng, shape->rows, size, rows);
        ldp_sketch_hash(shape, family, values + start, size, rows, cells, negative);
        for (size_t i = 0; i < size; i++)
            report[i * words] = rows[i];
        for (size_t i = 0; two_symbols && i < size; i++)
            cells[i] += negative[i] ? (uint32_t)shape->columns : 0;
        report_symbols(protocol, &sketch.row, cells, size, rng, report);
        for (size_t i = 0; sketch.shape.opposites && i < size; i++)
            if (negative[i]) {
                ldp_sketch_enter(protocol, rows[i], &sketch.row);
                sketch.row.oracle->negate(&sketch.row, report + i * words + 1);
            }
    }
}

/* Sorts the reports of one batch by row. Returns the number of rows, which are order[..]; a row's reports end at
 * end[row] and are count[row]. */
static size_t sort_by_row(const struct state *state, const uint64_t *reports, size_t m, size_t words)
{
    const size_t own = words - 1;
    size_t nrows = 0;
    for (size_t i = 0; i < m; i++) { /* without branches; order has room, as nrows <= i */
        const uint64_t j = reports[i * words];
        state->order[nrows] = (uint32_t)j;
        nrows += state->count[j]++ == 0;
    }
    uint32_t end = 0;
    for (size_t k = 0; k < nrows; k++) {
        state->end[state->order[k]] = end;
        end += state->count[state->order[k]];
    }
    for (size_t i = 0; i < m && own == 1; i++)
        state->sorted[state->end[reports[2 * i]]++] = reports[2 * i + 1];
    for (size_t i = 0; i < m && own > 1; i++)
        memcpy(state->sorted + state->end[reports[i * words]]++ * own, reports + i * words + 1, own * sizeof *reports);
    return nrows;
}

/* Adds the reports of one batch to the states of their rows. */
static void serve(const struct ldp_protocol *protocol, struct ldp_protocol *row, const struct state *state,
                  const uint64_t *reports, size_t m)
{
    const size_t own = protocol->report_words - 1, nrows = sort_by_row(state, reports, m, own + 1);
    for (size_t k = 0; k < nrows; k++) {
        const size_t j = state->order[k], size = state->count[j];
        ldp_sketch_enter(protocol, j, row);
        row->oracle->server(row, state->sorted + (state->end[j] - size) * own, size,
                            state->rows + j * state->row_bytes);
        state->users[j] += size;
        state->count[j] = 0;
    }
}

void ldp_sketch_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *bytes)
{
    struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct state state = state_in(&sketch, bytes);
    assert(state.count && state.order);
    for (size_t done = 0; done < m; done += state.batch)
        serve(protocol, &sketch.row, &state, reports + done * protocol->report_words,
              m - done < state.batch ? m - done : state.batch);
}

void ldp_sketch_tally(const struct ldp_protocol *protocol, void *bytes, uint64_t n, struct ldp_tally *tally)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct state state = state_in(&sketch, bytes);
    const size_t r = (size_t)sketch.shape.rows;
    ldp_tally_sum(tally, state.users, r, n);
    for (size_t j = 0; j < r; j++)
        ldp_tally(&sketch.row, state.rows + j * state.row_bytes, state.users[j], tally);
}

void ldp_sketch_support(const struct ldp_protocol *protocol, void *bytes, uint64_t n, double *support)
{
    struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct state state = state_in(&sketch, bytes);
    const size_t r = (size_t)sketch.shape.rows;
    assert(state.users);
    ldp_seed_write(ldp_sketch_current_family(protocol, &sketch), support);
    for (size_t j = 0; j < r; j++) {
        double *const of_row = support + 2 + r + j * sketch.row.support_size;
        support[2 + j] = (double)state.users[j];
        ldp_sketch_enter(protocol, j, &sketch.row);
        if (state.users[j] > 0)
            sketch.row.oracle->support(&sketch.row, state.rows + j * state.row_bytes, state.users[j], of_row);
        else
            memset(of_row, 0, sketch.row.support_size * sizeof *of_row);
    }
}

size_t ldp_sketch_rows(const struct ldp_protocol *protocol)
{
    return (size_t)own_of(protocol).shape.rows;
}

/* ---- Estimate ---- */

/* Scratch: cells of all rows; the row oracle's estimate of all its symbols, and its own scratch; the decoder's. */
struct buffers {
    double *cells;   /* [r][ldp_sketch_symbols] */
    double *symbols; /* [row's d] */
    char *of_row, *decode;
    size_t bytes;
};

static struct buffers lay_out(const struct ldp_sketch *sketch, size_t d, void *scratch)
{
    const struct ldp_protocol *const row = &sketch->row;
    struct ldp_arena arena = {scratch, 0};
    struct buffers buffers = {.bytes = 0};
    buffers.cells =
        ldp_take(&arena, (size_t)sketch->shape.rows * ldp_sketch_symbols(&sketch->shape) * sizeof *buffers.cells);
    buffers.symbols = ldp_take(&arena, row->d * sizeof *buffers.symbols);
    buffers.of_row = ldp_take(&arena, ldp_estimate_scratch(row));
    const size_t absent = ldp_absent_suits(&sketch->shape) ? ldp_absent_bytes(&sketch->shape) : 0,
                 decode = ldp_decode_bytes(&sketch->shape, d);
    buffers.decode = ldp_take(&arena, absent > decode ? absent : decode);
    buffers.bytes = arena.bytes;
    return buffers;
}

size_t ldp_sketch_estimate_bytes(const struct ldp_protocol *protocol)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    return lay_out(&sketch, protocol->d, NULL).bytes;
}

/* Estimates the content of each cell, in users; with signs, positive minus negative, or each if the decoder takes
 * symbols.
 */
static void cells_of(const struct ldp_sketch *sketch, double n, const double *support, const struct buffers *buffers)
{
    const struct ldp_protocol *const row = &sketch->row;
    const size_t r = (size_t)sketch->shape.rows, c = (size_t)sketch->shape.columns,
                 symbols = ldp_sketch_symbols(&sketch->shape);
    assert(buffers->cells && buffers->symbols);
    for (size_t j = 0; j < r; j++) {
        const double users = support[2 + j];
        double *const cell = buffers->cells + j * symbols;
        if (users == 0) {
            memset(cell, 0, symbols * sizeof *cell);
            continue;
        }
        ldp_estimate(row, (uint64_t)users, support + 2 + r + j * row->support_size, buffers->of_row, buffers->symbols);
        const bool pairs = row->d == 2 * c;
        const double whole = sketch->shape.decode == LDP_DECODE_AMP ? n / (double)r : users; /* as if rows were equal */
        for (size_t x = 0; x < symbols; x++)
            cell[x] = whole * (x >= row->d                 ? -buffers->symbols[x - c]
                               : pairs && symbols < row->d ? buffers->symbols[x] - buffers->symbols[c + x]
                                                           : buffers->symbols[x]);
    }
}

/* decoded: all values have just been decoded. */
static struct ldp_sketch_scale scale_of(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                        bool decoded, void *scratch)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct ldp_sketch_shape *const shape = &sketch.shape;
    const double users = (double)n, c = (double)shape->columns;
    if (!shape->debias || shape->decode == LDP_DECODE_NNLS || shape->decode == LDP_DECODE_AMP)
        return (struct ldp_sketch_scale){1 / users, 0};
    const struct buffers buffers = lay_out(&sketch, protocol->d, scratch);
    const double load = ldp_decode_is_centred(shape)
                            ? ldp_decode_centre(shape, ldp_seed_read(support), buffers.cells, decoded, buffers.decode)
                            : users / c;
    return (struct ldp_sketch_scale){c / (c - 1) / users, load};
}

struct ldp_sketch_scale ldp_sketch_scale(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                         void *scratch)
{
    return scale_of(protocol, n, support, false, scratch);
}

void ldp_sketch_estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch,
                         double *est)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct buffers buffers = lay_out(&sketch, protocol->d, scratch);
    const struct ldp_sketch_shape *const shape = &sketch.shape;
    const uint64_t family = ldp_seed_read(support);
    cells_of(&sketch, (double)n, support, &buffers);
    if (shape->decode == LDP_DECODE_AMP)
        ldp_amp(shape, family, (double)n, sketch.row.s1, buffers.cells, protocol->d, buffers.decode, est);
    else
        ldp_decode(shape, family, buffers.cells, protocol->d, buffers.decode, est);
    const struct ldp_sketch_scale frequency = scale_of(protocol, n, support, true, scratch);
    for (size_t v = 0; v < protocol->d; v++)
        est[v] = frequency.scale * (est[v] - frequency.load);
}

/* ---- Noise ---- */

/* For a value with zero frequency, its cell in each row is like any other cell: its error is that of decoding random
 * cells, which includes both noise and collisions. */
void ldp_sketch_observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const support = collection->support;
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct buffers buffers = lay_out(&sketch, protocol->d, scratch);
    const struct ldp_sketch_shape *const shape = &sketch.shape;
    const double users = (double)collection->n, c = (double)shape->columns;
    const bool amp = shape->decode == LDP_DECODE_AMP;
    observed->tf = amp ? sketch.row.tf : protocol->tf; /* of amp, what falls into the same cells is in s1 */
    if (!amp)                                          /* a value does not collide with itself */
        observed->law.square = -users * ldp_sketch_collision(shape) / (double)shape->rows;
    if (!support)
        return;
    observed->law.decoded = scratch;
    const double variance =
        ldp_decode_noise(shape, ldp_seed_read(support), buffers.cells,
                         shape->signs == LDP_SIGNS_NONE ? support + 2 : NULL, protocol->d, buffers.decode);
    const double scale = shape->debias && shape->decode != LDP_DECODE_NNLS && !amp ? c / (c - 1) : 1;
    observed->s1 = scale * scale * variance / users;
    if (amp) {
        const struct ldp_amp found = ldp_amp_found(buffers.decode);
        observed->law.known = found.converged && found.excess <= LDP_AMP_EXCESS_MOST;
    }
}

double ldp_sketch_threshold(const struct ldp_collection *collection, double share)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    void *const scratch = protocol->law.decoded;
    if (!scratch || !collection->support || !ldp_absent_suits(&sketch.shape))
        return NAN;
    const struct buffers buffers = lay_out(&sketch, protocol->d, scratch);
    const struct ldp_sketch_scale frequency = scale_of(protocol, collection->n, collection->support, false, scratch);
    const struct ldp_absent absent = ldp_absent_init(&sketch.shape, buffers.cells, buffers.decode);
    return frequency.scale * (ldp_absent_threshold(&absent, share) - frequency.load);
}

/* ---- Valid reports, privacy, costs ---- */

/* Where the row oracle is not private, some of these reports are those of cells that no value has. */
enum ldp_status ldp_sketch_valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const char *const own = (const char *)protocol->own;
    uint64_t rows;
    memcpy(&rows, own + offsetof(struct own, shape.rows), sizeof rows);
    if (report[0] >= rows)
        return ldp_refuse(reason, "expected a row below %" PRIu64 ", got %" PRIu64, rows, report[0]);
    return ldp_inner_check(own + offsetof(struct own, row), report + 1, reason);
}

bool ldp_sketch_all_valid(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    bool valid = true;
    for (const uint64_t *report = reports; valid && m > 0; m--, report += protocol->report_words)
        valid = report[0] < sketch.shape.rows && ldp_reports_valid(&sketch.row, report + 1, 1);
    return valid;
}

double ldp_sketch_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    enum { TURNED_MAX = 16 };
    struct ldp_sketch sketch = ldp_sketch_of(protocol);
    if (ldp_sketch_valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const uint32_t j = (uint32_t)report[0];
    uint32_t symbol;
    bool negative;
    uint64_t turned[TURNED_MAX];
    ldp_sketch_hash(&sketch.shape, ldp_sketch_current_family(protocol, &sketch), &value, 1, &j, &symbol, &negative);
    const uint64_t *own = report + 1;
    if (negative && sketch.shape.opposites) {
        assert(sketch.row.report_words <= TURNED_MAX);
        memcpy(turned, own, sketch.row.report_words * sizeof *turned);
        sketch.row.oracle->negate(&sketch.row, turned);
        own = turned;
    } else if (negative) {
        symbol += (uint32_t)sketch.shape.columns;
    }
    ldp_sketch_enter(protocol, j, &sketch.row);
    return sketch.row.oracle->log_likelihood(&sketch.row, symbol, own) - ldp_log((double)sketch.shape.rows);
}

/* The row says nothing about the value. */
size_t ldp_sketch_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    return sketch.row.oracle->odds ? sketch.row.oracle->odds(&sketch.row, factor) : 0;
}

void ldp_sketch_cost(const struct ldp_protocol *protocol, struct ldp_cost *cost)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const double r = (double)sketch.shape.rows;
    *cost = (struct ldp_cost){0};
    if (sketch.row.oracle->cost)
        sketch.row.oracle->cost(&sketch.row, cost);
    cost->report_bits += ldp_code_bits(sketch.shape.rows);
    cost->collection_operations = r * (cost->collection_operations + (double)protocol->d);
}
