/* json_scan.h - a walk over JSON text, for what cJSON does not give: where a value is in the text, and an error
 * wherever the text differs from RFC 8259.
 *
 * Values are numbered in the order of the text, which is also the order of a walk over cJSON's tree; so the number of a
 * node finds its place in the text. */
#ifndef LDPBENCH_JSON_SCAN_H
#define LDPBENCH_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_NUMBER_MAX = 60 }; /* characters of a number; cJSON reads no more than 63 */

struct json_scan {
    const char *p, *end;
    const char *expected;     /* what was missing at p when a scan failed */
    size_t seen;              /* values begun so far */
    size_t wanted;            /* the value whose extent is asked for; SIZE_MAX: none */
    const char *first, *last; /* of the wanted value; last is behind it */
    int depth;
    bool longs; /* some number so far has so many characters that a double may not hold it */
};

/* Walks over one value including its members; false on a syntax error. */
bool json_scan_value(struct json_scan *scan);

/* Walks over white space. */
void json_scan_space(struct json_scan *scan);

#endif
