/* interruption.h - SIGINT, SIGTERM and SIGHUP end a run within a second, whatever its units do. */
#ifndef LDPBENCH_INTERRUPTION_H
#define LDPBENCH_INTERRUPTION_H

/* From here to interruption_end a signal asks the run to stop; units that were begun have a moment to end. If they take
 * longer, `give_up` is called from a thread of its own, and the signal then ends the process with all child processes.
 * Does nothing if the caller of the program ignores a signal. */
void interruption_begin(void (*give_up)(void *about), void *about);

/* Where a run is being given up this does not return. */
void interruption_end(void);

/* The signal that came; 0: none. */
int interruption_signal(void);

/* Ends the process by the signal that came, so that its caller sees it. */
_Noreturn void interruption_raise(void);

#endif
