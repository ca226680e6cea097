/* FROZEN: this file and its compile options must never change, or times of years stop being
 * comparable. A better control kernel is another file with another SP_CONTROL_VERSION.
 *
 * Each step waits for the one before it, so the chain takes the latencies of the operations as
 * written, whatever a compiler makes of the loop around them: cycles a step are the processor's,
 * and what changes on one processor is its clock, or how much of the time it is given. */
#include "kernels/control.h"

double sp_control_chain(int64_t steps)
{
    double x = 0.37;
    for (int64_t i = 0; i < steps; i++)
        x = 3.75 * x * (1 - x); /* never leaves (0, 1), never settles */
    return x;
}
