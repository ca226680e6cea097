/* The steps of an analysis that were taken, whatever it runs on. The tables are in session/analyze.c and
 * analyze_gpu.c, the loop over them in steps.inc. */
#ifndef SP_SESSION_STEPS_H
#define SP_SESSION_STEPS_H

enum { SP_MAX_STEPS = 16 };
enum { SP_COMPUTES = -1 }; /* a step without measurements; else enum sp_spending */

struct sp_step_taken {
    const char *name, *adds;
    double allowed_s; /* for its measurements, by the plan [s]; 0: it measures nothing */
    double took_s;    /* in all [s] */
};

struct sp_steps_taken {
    int n;
    struct sp_step_taken step[SP_MAX_STEPS];
};

#endif
