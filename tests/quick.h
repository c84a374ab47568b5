/* quick.h - which tests `make quick` leaves out. */
#ifndef LDPBENCH_TESTS_QUICK_H
#define LDPBENCH_TESTS_QUICK_H

/* Marks a test that takes more than about 0.4 seconds of a processor: Test(suite, name, SLOW). */
#define SLOW_TEST "slow"
#define SLOW .description = SLOW_TEST

/* Marks one that `make quick` keeps though it takes more than a second: the gate, and what finds a published mistake.
 */
#define KEPT .description = "kept"

#endif
