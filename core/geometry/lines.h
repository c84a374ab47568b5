/* lines.h - sums over lines of a finite space, and their reverse, fair splits. Decoders and samplers of projective and
 * affine geometry are built from these.
 *
 * An array over k digits has q^(k+1) cells, [s][u_k] .. [u_1] with u_1 running fastest. Its sums over lines are
 *
 *     R[v_k] .. [v_1][w] = sum over all u of a[w - u_1 v_1 - .. - u_k v_k][u_k] .. [u_1]    in GF(q),
 *
 * w running fastest: the total of the q^k cells (s, u) with s + <u, v> = w. One digit after the other takes k q^(k+2)
 * additions in place of q^(2 k + 1). Internal to the core. */
#ifndef LDPBENCH_GEOMETRY_LINES_H
#define LDPBENCH_GEOMETRY_LINES_H

#include "geometry/field.h"
#include "ldp.h"

/* A field with work space. */
struct ldp_lines {
    const struct ldp_field *field;
    const uint8_t *minus; /* of small fields and powers: minus[d q + w] = w - d */
    void *tile;
    uint64_t *share; /* [LDP_MULTINOMIALS_ROOM], of splits */
};

/* Bytes of work space, aligned as by malloc; none for a caller who has no sums over lines. */
size_t ldp_lines_bytes(bool sums, uint32_t q);

/* Returns the memory after the work space. */
void *ldp_lines_init(bool sums, struct ldp_lines *lines, const struct ldp_field *field, void *work);

/* Turns in[q^(k+1)] into out[q^(k+1)], which do not overlap; in is overwritten. Sums are modulo 2^32 or 2^64. */
void ldp_lines_sum32(const struct ldp_lines *lines, unsigned k, uint32_t *in, uint32_t *out);
void ldp_lines_sum64(const struct ldp_lines *lines, unsigned k, uint64_t *in, uint64_t *out);

/* The reverse: in[v_k] .. [v_1][w] users each have a cell (s, u), uniform among the q^k with s + <u, v> = w;
 * out[s][u_k] .. [u_1] is the number of users of each cell. in is overwritten. */
void ldp_lines_split(const struct ldp_lines *lines, unsigned k, struct ldp_rng *rng, uint64_t *in, uint64_t *out);

#endif
