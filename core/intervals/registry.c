/* registry.c - the table of intervals. */
#include "protocol/registry.h"
#include "laws/interval.h"

#define LDP_INTERVAL(id) extern const struct ldp_interval ldp_interval_##id;
#include "intervals.def"
#undef LDP_INTERVAL

#define LDP_INTERVAL(id) &ldp_interval_##id,
const struct ldp_interval *const ldp_intervals[] = {
#include "intervals.def"
    NULL};

LDP_FIND(interval, ldp_intervals)
