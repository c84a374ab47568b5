/* sw_hh.h - the halves of the oracle sw_hh, for its estimators. Internal to the core. */
#ifndef LDPBENCH_SW_HH_H
#define LDPBENCH_SW_HH_H

#include "ldp.h"

/* True if the protocol is sw_hh. */
bool ldp_sw_hh_suits(const struct ldp_protocol *protocol);

/* The protocols of both halves. The support is that of sw, then that of hh. */
struct ldp_sw_hh {
    struct ldp_protocol wave, tree;
};
struct ldp_sw_hh ldp_sw_hh_open(const struct ldp_protocol *protocol);

#endif
