/* detect.h - a server that looks for malicious users in single reports. Internal to the core and to bench.
 *
 * Only for oracles whose reports support values independently (LDP_ORACLE_INDEPENDENT): a genuine report supports its
 * user's value with probability p and each other value with probability q. */
#ifndef LDPBENCH_DETECT_H
#define LDPBENCH_DETECT_H

#include "ldp.h"

/* Reports and the values that they support. */
struct ldp_detection_sample {
    const struct ldp_protocol *protocol;
    size_t reports, words; /* words: 64-bit words for so many bits */
    uint64_t *support; /* [d][words]: bit i of value v is 1 if report i supports v; no bits behind the last report */
};

/* A detector, ldp_detector_<id> in core/attacks/detect.c. */
struct ldp_detector {
    const char *name;
    const char *title;
    const char *source;

    /* Sets the bits of dropped[words] of the reports that are not to be counted, and returns whether there are any. It
     * is wrong about a sample without malicious users with a probability of at most 5 %. May clear bits of the
     * sample. */
    bool (*find)(struct ldp_detection_sample *sample, void *scratch, uint64_t *dropped);
    size_t (*scratch_bytes)(const struct ldp_detection_sample *sample);
};

extern const struct ldp_detector *const ldp_detectors[]; /* NULL-terminated */

/* LDP_EINVAL, with the reason, if reports of the protocol cannot be looked at so. */
enum ldp_status ldp_detectors_check(const struct ldp_protocol *protocol, struct ldp_reason *reason);

/* Sets the support of the sample's reports, one after another; scratch: state_bytes and then support_size doubles. */
void ldp_sample_fill(struct ldp_detection_sample *sample, const uint64_t *reports, void *scratch);

/* How many reports support a value. */
size_t ldp_sample_count(const struct ldp_detection_sample *sample, size_t v);

#endif
