/* pairs.c - see pairs.h. A report supports the values of a hyperplane, and a hyperplane is to points what points are to
 * it: the decoder's sum of a set's points is g, and that of g^2 are the squares. */
#include "geometry/pairs.h"

#include "numerics/arena.h"

#include <string.h>

bool ldp_pairs(const struct ldp_projective *space, const uint32_t *point, size_t d, const uint32_t *member, size_t size,
               const double *f, void *work, size_t bytes, struct ldp_pairs *pairs)
{
    const size_t K = (size_t)space->K[space->t], offset = ldp_aligned(K * sizeof(uint64_t));
    uint64_t *const square = work, all = 0;
    void *const room = (char *)work + offset;
    if (offset > bytes || ldp_projective_work(space) > bytes - offset)
        return false;
    memset(square, 0, K * sizeof *square);
    for (size_t i = 0; i < size; i++)
        square[point[member[i]]] = 1;
    ldp_projective_sum(space, LDP_BY_NUMBER, size, room, square);
    for (size_t u = 0; u < K; u++) {
        square[u] *= square[u];
        all += square[u];
    }
    ldp_projective_sum(space, LDP_BY_NUMBER, all, room, square);
    double in = 0, everywhere = 0, weighted = 0, share_in = 0, share = 0;
    for (size_t i = 0; i < size; i++) {
        in += (double)square[point[member[i]]];
        share_in += f[member[i]];
    }
    for (size_t v = 0; v < d; v++) {
        everywhere += (double)square[point[v]];
        weighted += f[v] * (double)square[point[v]];
        share += f[v];
    }
    pairs->all = (double)all;
    pairs->in = in / (double)size;
    pairs->out = size < d ? (everywhere - in) / (double)(d - size) : pairs->in;
    pairs->excess = weighted - share_in * pairs->in - (share - share_in) * pairs->out;
    return true;
}
