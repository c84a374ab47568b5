/* mpi.h - one run over several processes (MPI), in the program that make mpi builds, if started by mpirun; otherwise
 * there is one rank and these functions do nothing.
 *
 * Rank 0 owns the store, the tables and all that is printed. The list of units is known to every rank, unit i belongs
 * to rank i mod size, and results travel to rank 0. All calls are made under one lock: MPI_THREAD_SERIALIZED. */
#ifndef LDPBENCH_RANKS_H
#define LDPBENCH_RANKS_H

#include "run/store.h"

#include <stdlib.h>

#ifdef LDPBENCH_MPI

void ranks_begin(int *argc, char ***argv);
void ranks_end(void);

int rank_index(void);
int rank_count(void);

/* True if no rank has failed; called by all ranks at the same point. */
bool ranks_agree(bool well);

/* Rank 0's units to every rank; the others' array is malloc'd. -1 if out of memory. */
int ranks_share_units(struct unit **units, size_t *count);

/* Sends a finished unit to rank 0: numbers are measured, then sums. Returns before it has arrived; the arrays may be
 * used again. -1 if out of memory. */
int rank_send(const struct unit *unit, uint32_t done, const double *measured, size_t nmeasured, const double *sums,
              size_t nsums, struct failure *failure);

/* Waits until all units that this rank sent have arrived. */
void ranks_sent(void);

/* A rank other than 0 stops and sends the reason to rank 0. */
void rank_send_failure(const struct failure *failure);

/* At rank 0: a message from another rank, if one has come whole or wait is set. Returns 1 with a unit (numbers
 * malloc'd), 0 without, -1 with a failure set. */
int rank_receive(bool wait, struct unit *unit, uint32_t *done, double **numbers, struct failure *failure);

/* Seconds that threads of a rank were busy: at rank 0, of all ranks together, and of the one that was busy least.
 * Called by every rank after its work, where none has failed. */
void ranks_busy(double busy, double *all, double *least);

/* Ends every rank at once. */
void ranks_abort(int status);

#else

#define ranks_begin(argc, argv) ((void)(argc), (void)(argv))
#define ranks_end() ((void)0)
#define rank_index() 0
#define rank_count() 1
#define ranks_agree(well) (well)
#define ranks_share_units(units, count) ((void)(units), (void)(count), 0)
#define rank_send(unit, done, measured, nmeasured, sums, nsums, failure)                                               \
    ((void)(unit), (void)(done), (void)(measured), (void)(nmeasured), (void)(sums), (void)(nsums), (void)(failure), 0)
#define ranks_sent() ((void)0)
#define rank_send_failure(failure) ((void)(failure))
#define rank_receive(wait, unit, done, numbers, failure)                                                               \
    ((void)(wait), (void)(unit), (void)(done), (void)(numbers), (void)(failure), 0)
#define ranks_busy(busy, all, least) ((void)(*(all) = *(least) = (busy)))
#define ranks_abort(status) exit(status)

#endif

#endif
