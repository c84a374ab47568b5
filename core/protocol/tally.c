/* tally.c - see tally.h. */
#include "protocol/tally.h"
#include "protocol/bits.h"
#include "protocol/pure.h"

uint64_t ldp_tally_next(struct ldp_tally *tally, uint64_t value, uint64_t most)
{
    if (tally->in)
        value = *tally->in++;
    if (tally->out)
        *tally->out++ = value;
    tally->size++;
    tally->impossible |= value > most;
    return value;
}

void ldp_tally_each(struct ldp_tally *tally, uint64_t *counter, size_t size, uint64_t most)
{
    for (size_t i = 0; i < size; i++)
        counter[i] = ldp_tally_next(tally, counter[i], most);
}

void ldp_tally_sum(struct ldp_tally *tally, uint64_t *counter, size_t size, uint64_t sum)
{
    for (size_t i = 0; i < size; i++) {
        counter[i] = ldp_tally_next(tally, counter[i], sum);
        sum -= counter[i] < sum ? counter[i] : sum;
    }
    tally->impossible |= sum > 0;
}

void ldp_tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    if (oracle->tally)
        oracle->tally(protocol, state, n, tally);
    else if (oracle->server == ldp_counters_server)
        ldp_tally_sum(tally, state, (size_t)protocol->report_limit, n);
    else if (oracle->server == ldp_planes_server)
        ldp_planes_tally(protocol, state, n, tally);
    else
        tally->unknown = true;
}
