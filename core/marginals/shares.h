/* shares.h - of which attributes to ask tables, and of how many users each, by the error that is expected of the wanted
 * marginals. Internal to the core. */
#ifndef LDPBENCH_SHARES_H
#define LDPBENCH_SHARES_H

#include "marginals/contrasts.h"
#include "marginals/energies.h"

/* What may be asked; the blocks that it shows are block[first .. first + count - 1] of the problem. */
struct question {
    struct digits digits;
    size_t first, count;
    double noise; /* of each of its coefficients, for one user, without choosing users; INFINITY: cannot be asked */
    double share; /* of the users */
    double price; /* d_Q, how fast the error falls with the share */
};

/* Blocks are those of the wanted marginals (closure). */
struct shares {
    const struct ldp_workload *workload;
    struct closure closure;
    bool has_parities;                 /* whether questions may have them; true at first */
    size_t order;                      /* attributes of the largest block */
    uint64_t near[LDP_ATTRIBUTES_MAX]; /* of each attribute, those of its blocks */
    double *size;                      /* [nblocks] v_s: coefficients, or as many as count */
    double *importance;                /* [nblocks] c_s; 0 of the empty set */
    double *spread;                    /* [nblocks] g_s: the variance of a coefficient of one user's values */
    double *energy;                    /* [nblocks] phi_s: expected squared size of what is not known yet */
    double *presence;                  /* [nblocks] pi_s: the probability that it is not 0 */
    double *known;                     /* [nblocks] P_s of users who have answered */
    double *precision, *slope;
    struct question *question;
    size_t nquestions, room;
    size_t *block;
    size_t nblocks, blocks_room;
    double *noise; /* [CELLS_MAX + 1] by cells, NAN: not known yet; INFINITY: the oracle cannot be used for so many */
    double n;      /* users of the last problem */
    double gap;    /* of the last solution: its expected error is at most this part above the least */
};

/* Must be cleared in every case. */
enum ldp_status ldp_shares_init(struct shares *shares, const struct ldp_workload *workload);
void ldp_shares_clear(struct shares *shares);

/* c_s and g_s, from how uneven attributes are. */
void ldp_shares_weigh(struct shares *shares, const struct uneven *uneven);

/* Sets the sizes of blocks for n users to answer: v_s, or fewer where non-negativity removes most noise. */
void ldp_shares_size(struct shares *shares, double n);

/* Finds shares that make the expected error of n users least, given importance, size, energy,
 * presence and known precision. Keeps at
 * most `most` questions of at least one user each, with share > 0; they sum to 1. */
enum ldp_status ldp_shares_solve(struct shares *shares, double n, size_t most);

/* The expected error of the wanted marginals, their mean. */
double ldp_shares_error(const struct shares *shares);

/* That of a block. */
double ldp_shares_block_error(const struct shares *shares, size_t block);

/* The users of each question that is left, n in all. */
void ldp_shares_users(const struct shares *shares, uint64_t n, uint64_t *users);

#endif
