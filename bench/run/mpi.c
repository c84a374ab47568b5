/* mpi.c - see mpi.h. */
#include "run/mpi.h"

#ifdef LDPBENCH_MPI

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_UNIT = 1, TAG_FAILURE, TAG_BUSY };

/* A tag of its own, so that rank_receive does not see these messages. */
static MPI_Comm times;

struct header {
    struct unit unit;
    uint32_t done;
};

void ranks_begin(int *argc, char ***argv)
{
    int provided;

    MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED)
        MPI_Abort(MPI_COMM_WORLD, EXIT_MACHINE);
    MPI_Comm_dup(MPI_COMM_WORLD, &times);
}

void ranks_end(void)
{
    MPI_Comm_free(&times);
    MPI_Finalize();
}

int rank_index(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int rank_count(void)
{
    int count;

    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

bool ranks_agree(bool well)
{
    int mine = well, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all != 0;
}

int ranks_share_units(struct unit **units, size_t *count)
{
    enum { PIECE = 1 << 20 };
    unsigned long long n = *count;

    MPI_Bcast(&n, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    if (rank_index() != 0) {
        *units = malloc((n + 1) * sizeof **units);
        *count = n;
        if (!*units)
            return -1;
    }
    for (size_t first = 0; first < n; first += PIECE) {
        size_t piece = n - first < PIECE ? n - first : PIECE;
        MPI_Bcast(*units + first, (int)(piece * sizeof **units), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    return 0;
}

void rank_send(const struct unit *unit, uint32_t done, const double *measured, size_t nmeasured, const double *sums,
               size_t nsums)
{
    struct header header;

    memset(&header, 0, sizeof header);
    header.unit = *unit;
    header.done = done;
    MPI_Send(&header, (int)sizeof header, MPI_BYTE, 0, TAG_UNIT, MPI_COMM_WORLD);
    MPI_Send(measured, (int)nmeasured, MPI_DOUBLE, 0, TAG_UNIT, MPI_COMM_WORLD);
    MPI_Send(sums, (int)nsums, MPI_DOUBLE, 0, TAG_UNIT, MPI_COMM_WORLD);
}

void rank_send_failure(const struct failure *failure)
{
    MPI_Send(failure, (int)sizeof *failure, MPI_BYTE, 0, TAG_FAILURE, MPI_COMM_WORLD);
}

int rank_receive(bool wait, struct unit *unit, uint32_t *done, double **numbers, struct failure *failure)
{
    MPI_Status status, measured_status, sums_status;
    struct header header;
    int there = 1, nmeasured, nsums;

    if (wait)
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    else
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return 0;
    if (status.MPI_TAG == TAG_FAILURE) {
        MPI_Recv(failure, (int)sizeof *failure, MPI_BYTE, status.MPI_SOURCE, TAG_FAILURE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return -1;
    }
    MPI_Recv(&header, (int)sizeof header, MPI_BYTE, status.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Probe(status.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD, &measured_status);
    MPI_Get_count(&measured_status, MPI_DOUBLE, &nmeasured);
    *numbers = malloc(((size_t)nmeasured + 1) * sizeof **numbers);
    if (!*numbers)
        return fail_memory(failure);
    MPI_Recv(*numbers, nmeasured, MPI_DOUBLE, status.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Probe(status.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD, &sums_status);
    MPI_Get_count(&sums_status, MPI_DOUBLE, &nsums);
    {
        double *more = realloc(*numbers, ((size_t)nmeasured + (size_t)nsums + 1) * sizeof **numbers);
        if (!more) {
            free(*numbers);
            return fail_memory(failure);
        }
        *numbers = more;
    }
    MPI_Recv(*numbers + nmeasured, nsums, MPI_DOUBLE, status.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *unit = header.unit;
    *done = header.done;
    return 1;
}

void ranks_busy(double busy, double *all, double *least)
{
    *all = *least = busy;
    if (rank_index() != 0)
        MPI_Send(&busy, 1, MPI_DOUBLE, 0, TAG_BUSY, times);
    for (int rank = 1; rank_index() == 0 && rank < rank_count(); rank++) {
        double other = 0;

        MPI_Recv(&other, 1, MPI_DOUBLE, rank, TAG_BUSY, times, MPI_STATUS_IGNORE);
        *all += other;
        *least = other < *least ? other : *least;
    }
}

void ranks_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

#else

#include <stdlib.h>

void ranks_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

void ranks_end(void)
{
}

int rank_index(void)
{
    return 0;
}

int rank_count(void)
{
    return 1;
}

bool ranks_agree(bool well)
{
    return well;
}

int ranks_share_units(struct unit **units, size_t *count)
{
    (void)units;
    (void)count;
    return 0;
}

void rank_send(const struct unit *unit, uint32_t done, const double *measured, size_t nmeasured, const double *sums,
               size_t nsums)
{
    (void)unit;
    (void)done;
    (void)measured;
    (void)nmeasured;
    (void)sums;
    (void)nsums;
}

void rank_send_failure(const struct failure *failure)
{
    (void)failure;
}

int rank_receive(bool wait, struct unit *unit, uint32_t *done, double **numbers, struct failure *failure)
{
    (void)wait;
    (void)unit;
    (void)done;
    (void)numbers;
    (void)failure;
    return 0;
}

void ranks_busy(double busy, double *all, double *least)
{
    *all = *least = busy;
}

void ranks_abort(int status)
{
    exit(status);
}

#endif
