/* What a change saves: one formula for every hint, from what is known of the run and what changes.
 * No rule makes a gain in another way, `spmodel explain` derives it again from the record, and no
 * promise passes its floor: the time that the bytes take at the roof of the level where they then
 * live, and the execution of the changed kernel [docs/advice.md]. */
#ifndef SP_MODEL_HINT_GAIN_H
#define SP_MODEL_HINT_GAIN_H

#include <stdbool.h>

#include "base/reading.h"

struct sp_gain {
    double lo, hi; /* share of the time saved, 0 <= lo <= hi < 1 */
};

/* The run. SP_NONE: not known. */
struct sp_now {
    struct sp_value time_s;      /* measured; SP_NONE: gains refer to the modelled time */
    struct sp_value V_B;         /* through the level that holds the data */
    struct sp_value roof_Bps;    /* of that level */
    struct sp_value core_s;      /* W/P_core, with mispredicted row ends and the start of the team */
    struct sp_value linear_s;    /* with all gathers from the innermost cache */
    bool has_row_ends, has_team; /* for the derivation's words */
};

/* The run after a change. SP_NONE and 0: as now, or not looked at. */
struct sp_then {
    /* its two terms, and where its data live */
    struct sp_value V_B;      /* through the level that counts now, for the work of the run */
    struct sp_value roof_Bps; /* of that level */
    struct sp_value core_s;   /* W/P_core */
    struct sp_value set_B;    /* matrix, operands and result */
    char inner[8]; /* the next level inward, or one farther in that then holds it all; "": unknown */
    struct sp_value inner_Bps; /* its roof: set_B crosses it in each execution */
    /* or its time: measured on the arrays of the run; or of a model that gives instead_s now */
    struct sp_value time_s, instead_s;
    char time_how[96]; /* what time_s was made of; "": it is given */
    /* or a share of the time that was seen elsewhere */
    struct sp_value stated;
    /* how that is carried over to the measured time */
    struct sp_value gone; /* share of the waiting that goes; SP_NONE: none */
    double shows; /* the shorter term shows beside the longer one to this share at least, upper end of time */
    double faster;         /* share of the time that goes besides, lower end of time */
    struct sp_value keeps; /* shares of the gain that trials left: lo of its upper end becomes the lower one,
                              hi the upper one */
    bool held;             /* trials held large promises where gathers wait for memory: see SP_GAIN_HELD */
    double error;          /* SP_GAIN_ERROR or SP_GAIN_ERROR_IN_CACHES; 0: the former */
    struct sp_value least_s; /* no version of it takes less */
    const char *least_why;   /* ", all gathers from L1" */
    const char *doubt;       /* why nothing of it is certain; NULL: the lower end stands */
};

/* Where gathers wait for memory, a change that lets them wait less or together and promises
 * SP_GAIN_LARGE or more keeps this share of it: 12 of 14 did [docs/results, advice scored]. */
#define SP_GAIN_HELD  0.6
#define SP_GAIN_LARGE 0.3
/* Another set of arrays, another minute: share of the new time. Where data live in caches,
 * execution and gathers decide, and the model knows less of them: of 129 such predictions 88 % held
 * with this [docs/results/2026-11-25-verdicts.md]. */
#define SP_GAIN_ERROR           0.05
#define SP_GAIN_ERROR_IN_CACHES 0.12

/* A line of the derivation. */
struct sp_gain_line {
    char what[72], how[176]; /* "transfers then", "V/b = 4.1 MB/76.0 GB/s"; how "": given */
    double lo, hi;
    const char *unit;      /* "s", "B", "B/s", "1" */
    enum sp_origin origin; /* SP_NONE: it is not one number's */
};
enum { SP_MAX_GAIN_LINES = 24 };
struct sp_gain_lines {
    int n;
    struct sp_gain_line line[SP_MAX_GAIN_LINES];
};

/* lines NULL: not wanted; the last one is the gain. {0, 0}: nothing is saved, or not known. */
struct sp_gain sp_gain_derive(const struct sp_now *now, const struct sp_then *then,
                              struct sp_gain_lines *lines);

/* The least time that the change can reach, as above [s]; 0: not known. */
double sp_gain_floor(const struct sp_now *now, const struct sp_then *then);

/* Share of the measured time that gathers wait, by a run with all of them from the innermost cache;
 * 0: none, or not known. */
double sp_gain_waits(const struct sp_now *now);
bool sp_gain_is_waiting(const struct sp_now *now); /* for more than a tenth of it */

#endif
