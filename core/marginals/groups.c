/* groups.c - see groups.h.
 *
 * Either one shuffle of the users, cost O(n), or a multivariate hypergeometric draw of each group from the remaining
 * users of every row, cost O(rows) per group. Both have the same law; the choice depends only on the records and the
 * number of groups. */
#include "marginals/groups.h"

#include "rng.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SHUFFLE_USERS_MAX = 1 << 27, ROW_COST = 16 /* cost of a hypergeometric draw, relative to that of a user */ };

enum ldp_status ldp_groups_init(struct groups *groups, const struct ldp_records *records, double count)
{
    *groups = (struct groups){.records = records};
    if (records->n > SHUFFLE_USERS_MAX || (double)records->n > ROW_COST * count * (double)records->rows) {
        groups->left = malloc(records->rows * sizeof *groups->left);
        groups->drawn = malloc(records->rows * sizeof *groups->drawn);
        return groups->left && groups->drawn ? LDP_OK : LDP_ENOMEM;
    }
    groups->user = malloc((size_t)records->n * sizeof *groups->user);
    groups->fresh = malloc((size_t)records->n * sizeof *groups->fresh);
    if (!groups->user || !groups->fresh)
        return LDP_ENOMEM;
    size_t u = 0;
    for (size_t r = 0; r < records->rows; r++)
        for (uint64_t i = 0; i < records->counts[r]; i++)
            groups->fresh[u++] = (uint32_t)r;
    return LDP_OK;
}

void ldp_groups_clear(struct groups *groups)
{
    free(groups->user);
    free(groups->fresh);
    free(groups->left);
    free(groups->drawn);
    *groups = (struct groups){0};
}

void ldp_groups_gather(struct groups *groups)
{
    groups->dealt = 0;
    if (groups->user)
        memcpy(groups->user, groups->fresh, (size_t)groups->records->n * sizeof *groups->user);
    else
        memcpy(groups->left, groups->records->counts, groups->records->rows * sizeof *groups->left);
}

static inline size_t cell_of(const struct ldp_records *records, const struct ldp_set *set, size_t row)
{
    size_t cell = 0;

    for (size_t i = 0; i < set->size; i++)
        cell = cell * records->cardinality[set->attribute[i]] + ldp_records_value(records, row, set->attribute[i]);
    return cell;
}

/* Rows of up to 64 bits, where every value is a bit: by far the most common case. */
static inline size_t bits_of(uint64_t word, const uint8_t *shift, size_t size)
{
    size_t cell = 0;

    for (size_t i = 0; i < size; i++)
        cell = 2 * cell + (word >> shift[i] & 1);
    return cell;
}

static void count_users(const struct groups *groups, const uint32_t *user, uint64_t size, const struct ldp_set *set,
                        uint64_t *cells)
{
    const struct ldp_records *const records = groups->records;
    uint8_t shift[LDP_SET_MAX];
    bool bits = records->words == 1;

    for (size_t i = 0; i < set->size; i++) {
        bits &= records->cardinality[set->attribute[i]] == 2;
        shift[i] = records->field[set->attribute[i]].shift;
    }
    if (bits)
        for (uint64_t u = 0; u < size; u++)
            cells[bits_of(records->row[user[u]], shift, set->size)]++;
    else
        for (uint64_t u = 0; u < size; u++)
            cells[cell_of(records, set, user[u])]++;
}

void ldp_groups_deal(struct groups *groups, struct ldp_rng *rng, uint64_t size, const struct ldp_set *set,
                     uint64_t *cells)
{
    const struct ldp_records *const records = groups->records;
    const size_t ncells = (size_t)ldp_set_cells(set, records->cardinality);

    assert(size <= records->n - groups->dealt);
    memset(cells, 0, ncells * sizeof *cells);
    if (groups->user) {
        uint32_t *const user = groups->user + groups->dealt;
        const uint64_t left = records->n - groups->dealt;

        for (uint64_t u = 0; u < size; u++) {
            const uint64_t other = u + rng_below(rng, left - u);
            const uint32_t held = user[other];

            user[other] = user[u];
            user[u] = held;
        }
        count_users(groups, user, size, set, cells);
    } else {
        ldp_multivariate_hypergeometric(rng, groups->left, records->rows, size, groups->drawn);
        for (size_t r = 0; r < records->rows; r++)
            if (groups->drawn[r] > 0) {
                groups->left[r] -= groups->drawn[r];
                cells[cell_of(records, set, r)] += groups->drawn[r];
            }
    }
    groups->dealt += size;
}
