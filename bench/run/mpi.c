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

/* A unit travels as one message of doubles: the header, then its numbers. The bytes of the header are copied, so it may
 * hold integers. */
enum { HEADER = (sizeof(struct header) + sizeof(double) - 1) / sizeof(double), MOST_SENDS = 8 };

/* Messages on their way from this rank, the oldest first. A rank goes on with its work while they travel; it waits only
 * where MOST_SENDS are on their way. */
static struct {
    MPI_Request request[MOST_SENDS];
    double *message[MOST_SENDS];
    int count;
} sending;

/* The message that rank 0 takes in while it works. */
static struct {
    MPI_Request request;
    double *message;
    int length;
} coming;

static void forget_oldest(void)
{
    free(sending.message[0]);
    sending.count--;
    memmove(sending.message, sending.message + 1, (size_t)sending.count * sizeof *sending.message);
    memmove(sending.request, sending.request + 1, (size_t)sending.count * sizeof *sending.request);
}

void ranks_sent(void)
{
    while (sending.count > 0) {
        MPI_Wait(&sending.request[0], MPI_STATUS_IGNORE);
        forget_oldest();
    }
}

int rank_send(const struct unit *unit, uint32_t done, const double *measured, size_t nmeasured, const double *sums,
              size_t nsums, struct failure *failure)
{
    const size_t length = HEADER + nmeasured + nsums;
    double *const message = length <= INT_MAX ? calloc(length, sizeof *message) : NULL;
    int arrived = 1;

    if (!message)
        return fail_memory(failure);
    memcpy(message, &(struct header){.unit = *unit, .done = done}, sizeof(struct header));
    memcpy(message + HEADER, measured, nmeasured * sizeof *message);
    if (nsums > 0)
        memcpy(message + HEADER + nmeasured, sums, nsums * sizeof *message);
    while (sending.count > 0 && arrived) {
        if (sending.count == MOST_SENDS)
            MPI_Wait(&sending.request[0], MPI_STATUS_IGNORE);
        else
            MPI_Test(&sending.request[0], &arrived, MPI_STATUS_IGNORE);
        if (arrived)
            forget_oldest();
    }
    sending.message[sending.count] = message;
    MPI_Isend(message, (int)length, MPI_DOUBLE, 0, TAG_UNIT, MPI_COMM_WORLD, &sending.request[sending.count]);
    sending.count++;
    return 0;
}

void rank_send_failure(const struct failure *failure)
{
    MPI_Send(failure, (int)sizeof *failure, MPI_BYTE, 0, TAG_FAILURE, MPI_COMM_WORLD);
}

/* Begins to take in a message: 1, 0 if there is none, -1 with a failure set. */
static int begin_to_receive(bool wait, struct failure *failure)
{
    MPI_Status status;
    int there = 1;

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
    MPI_Get_count(&status, MPI_DOUBLE, &coming.length);
    coming.message = malloc((size_t)coming.length * sizeof *coming.message);
    if (!coming.message)
        return fail_memory(failure);
    MPI_Irecv(coming.message, coming.length, MPI_DOUBLE, status.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD, &coming.request);
    return 1;
}

int rank_receive(bool wait, struct unit *unit, uint32_t *done, double **numbers, struct failure *failure)
{
    const int begun = coming.message ? 1 : begin_to_receive(wait, failure);
    struct header header;
    int whole = 1;

    if (begun <= 0)
        return begun;
    if (wait)
        MPI_Wait(&coming.request, MPI_STATUS_IGNORE);
    else
        MPI_Test(&coming.request, &whole, MPI_STATUS_IGNORE);
    if (!whole)
        return 0;
    memcpy(&header, coming.message, sizeof header);
    memmove(coming.message, coming.message + HEADER, (size_t)(coming.length - HEADER) * sizeof *coming.message);
    *numbers = coming.message;
    *unit = header.unit;
    *done = header.done;
    coming.message = NULL;
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

#endif
