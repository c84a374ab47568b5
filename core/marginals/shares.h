/* shares.h - of which attributes to ask tables, and of how many users each, by the error that is expected of the
 * requested marginals. Internal to the core. */
#ifndef LDPBENCH_SHARES_H
#define LDPBENCH_SHARES_H

#include "marginals/contrasts.h"
#include "marginals/energies.h"

/* A block that a question shows, and the precision that all users together would give it: n / tau. */
struct shown {
    size_t block;
    double gives;
};

/* What may be asked; of the blocks that it shows, those that count are shown[first .. first + count - 1] of the
 * problem. */
struct question {
    struct digits digits;
    size_t first, count;
    double noise; /* of each of its coefficients, for one user, without choosing users */
    double share; /* of the users */
    double price; /* d_Q, how fast the error falls with the share */
};

/* Blocks are those of the requested marginals (closure). */
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
    struct shown *shown;
    size_t nshown, shown_room;
    double filled[LDP_ATTRIBUTES_MAX]; /* the part of an attribute's values that users have; 1 at first */
    double *noise; /* [CELLS_MAX + 1] by cells, NAN: not known yet; INFINITY: the oracle cannot be used for so many */
    double n;      /* users of the last problem */
    double gap;    /* of the last solution: its expected error is at most this part above the least */
};

enum ldp_status ldp_shares_init(struct shares *shares, struct ldp_pool *pool, const struct ldp_workload *workload);

/* c_s, g_s and what attributes fill, from how uneven they are. */
void ldp_shares_weigh(struct shares *shares, const struct uneven *uneven);

/* Sets the sizes of blocks for n users to answer: v_s, or fewer where non-negativity removes most noise. */
void ldp_shares_size(struct shares *shares, double n);

/* Finds shares that make the expected error of n users least, given importance, size, energy,
 * presence and known precision. Keeps at
 * most `most` questions of at least one user each, with share > 0; they sum to 1. */
enum ldp_status ldp_shares_solve(struct shares *shares, double n, size_t most);

/* The expected error of the requested marginals, their mean. */
double ldp_shares_error(const struct shares *shares);

/* That of a block. */
double ldp_shares_block_error(const struct shares *shares, size_t block);

/* The users of each question that is left, n in all. */
void ldp_shares_users(const struct shares *shares, uint64_t n, uint64_t *users);

/* ---- A first wave of users that costs single attributes little ---- */

/* What a first wave costs if it finds that all attributes are independent. */
struct regret {
    double floor; /* the expected error of single attributes if all users answer for these alone */
    double part;  /* what is added to it, relative, if the first wave has asked for interactions too */
};

/* Solves for `first` users, asking for as much of interactions as is best and adds at most `most_part` to the error of
 * single attributes, as `rest` users answer for these alone afterwards. Importance and energies are those of the first
 * wave; nothing is known. Afterwards importance is lowered, known is 0. most: questions. */
enum ldp_status ldp_regret_solve(struct shares *shares, double first, double rest, double most_part, size_t most,
                                 struct regret *regret);

/* The noise of a coefficient of a question, answered by one user; of it as much as is expected to be left where users
 * are in its cells. INFINITY: it cannot be asked. */
double ldp_shares_question_noise(struct shares *shares, const struct digits *digits);

/* What a block's precision P of users out of many lacks, who are chosen out of those of the records: its noise is
 * 1 / P minus this. */
static inline double ldp_shares_fixed(const struct shares *shares, size_t block)
{
    return shares->spread[block] / (double)shares->workload->records->n;
}

#endif
