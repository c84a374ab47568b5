/* shortest.h - the digits of a number without the C library's general conversion, which takes most of the time of
 * writing large tables. */
#ifndef LDPBENCH_SHORTEST_H
#define LDPBENCH_SHORTEST_H

#include "support/numbers.h"

/* Writes the shortest of 1 to 15, 16 or 17 digits that reads back as the same double, as printf's %g would with that
 * many digits. False, with nothing written, for the undecided cases: subnormal and very large numbers, powers of two,
 * numbers next to the middle of two decimals. */
bool shortest_number(double value, char text[NUMBER_TEXT]);

#endif
