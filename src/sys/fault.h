/* Faults put in on purpose, so that tests can show that they are found:
 * SPMODEL_FAULT=pages,straggler:0.2,order. A record of a run with faults has the flag "fault". */
#ifndef SP_SYS_FAULT_H
#define SP_SYS_FAULT_H

#include <stdbool.h>

#include "base/status.h"

/* Is the fault in SPMODEL_FAULT? *level receives its number, else 1; it may be NULL. Known faults:
 * "pages" (no huge pages although they are asked for), "straggler" (one thread is held back by this
 * share of each execution), "order" (rows and columns in a random order although none is asked
 * for). */
bool sp_fault(const char *name, double *level);

/* SP_USAGE where SPMODEL_FAULT names a fault that there is none of. */
enum sp_status sp_fault_check(struct sp_error *err);

/* The variable as it is; "" where it is not set. */
const char *sp_faults(void);

#endif
