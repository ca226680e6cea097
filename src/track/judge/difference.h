/* What two records differ in: what was asked for and where they ran, which decides whether they are
 * comparable, and what was resolved, which may explain a change. */
#ifndef SP_TRACK_DIFFERENCE_H
#define SP_TRACK_DIFFERENCE_H

#include "io/record/record.h"

struct sp_difference {
    char field[64];    /* "request.format", "env.identity.cpu" */
    char a[96], b[96]; /* as JSON; "-": not there */
    bool is_identity;  /* makes them not comparable by the metric that was asked for */
};

/* sp_differences_free(). */
struct sp_differences {
    int n, n_identity;
    struct sp_difference *one; /* [n] */
};

/* What differs, and which of it decides (track/judge/comparable.h): of `request` what series are told apart
 * by; where the metric is simulated the caches, the threads and what simulated bytes are, else the
 * environment. */
enum sp_status sp_differences_find(const struct sp_record *a, const struct sp_record *b, bool is_simulated,
                                   struct sp_differences *out, struct sp_error *err);
void sp_differences_free(struct sp_differences *d);

#endif
