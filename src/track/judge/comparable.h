/* Which records may be compared: one rule for `track` and `compare`. */
#ifndef SP_TRACK_COMPARABLE_H
#define SP_TRACK_COMPARABLE_H

#include "io/record/record.h"
#include "track/store/entry.h"

/* Bytes and alpha, which is made of them alone. */
bool sp_tracked_is_of_bytes(enum sp_tracked metric);

/* Does the metric come from simulated caches, on whatever machine? */
bool sp_entry_is_simulated(const struct sp_entry *entry, enum sp_tracked metric);

/* Is it made of bytes (bytes, alpha, bandwidth, the fraction of the roof), so that it means
 * something else where simulated bytes do? */
bool sp_tracked_uses_bytes(enum sp_tracked metric);

/* May these two of one series be compared by this metric? Simulated bytes belong to the simulated
 * caches, all else to the environment; simulated bytes and measured ones are two things, and so are
 * bytes that different versions of the simulation give. */
bool sp_entries_comparable(const struct sp_entry *a, const struct sp_entry *b, enum sp_tracked metric);
/* An order with those that may be compared side by side, and 0 between them, as strcmp(). */
int sp_entries_order(const struct sp_entry *a, const struct sp_entry *b, enum sp_tracked metric);

/* What two records differ in: what was asked for and where they ran, which decides whether they are
 * comparable, and what was resolved, which may explain a change. */

struct sp_difference {
    char field[64];    /* its path: of the request, of the environment ... */
    char a[96], b[96]; /* as JSON; "-": not there */
    bool is_identity;  /* makes them not comparable by the metric that was asked for */
};

/* The field's name within an object of the record; NULL: it is not of it. */
const char *sp_difference_within(const struct sp_difference *one, enum sp_record_field object);

/* sp_differences_free(). */
struct sp_differences {
    int n, n_identity;
    struct sp_difference *one; /* [n] */
};

/* What differs, and which of it decides: of `request` what series are told apart
 * by; where the metric is simulated the caches, the threads and what simulated bytes are, else the
 * environment. */
enum sp_status sp_differences_find(const struct sp_record *a, const struct sp_record *b, bool is_simulated,
                                   struct sp_differences *out, struct sp_error *err);
void sp_differences_free(struct sp_differences *d);

/* Why a time has changed: bytes, bandwidth at the kernel, or the machine [UX 4]. */

/* What moved along with the time. */
struct sp_attribution {
    double time, bytes, bandwidth, roof;   /* ln(after/before); NAN: unknown. time = bytes - bandwidth */
    double sentinel[SP_N_ENTRY_SENTINELS]; /* likewise of what the machine showed beside the runs */
    bool is_resolved_otherwise;
    bool is_machine; /* the largest part is the machine's, and its sentinels saw it */
    char also[480];  /* what else changed, and may be the reason: pages, busy times, kernel, clock; "" */
    char text[320];  /* the sentence: "more traffic, same speed: ..." */
};

/* Medians of the records before and after, both n >= 1, oldest first; of each quantity those that
 * know it in the way the newest one does, measured or simulated, else NAN. The text is empty where
 * the time has not changed by 1 %. */
void sp_attribute(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, struct sp_attribution *attribution);

#endif
