/* What hardware counters said, as it was read: events, and windows of time in which they counted.
 * Bytes and trust follow from it by pure arithmetic, so that a recording of another machine, or a
 * constructed one, goes through the very code that live counters go through.
 *
 * Units of memory controllers count for a socket or a channel, never for a thread: an event stands
 * for one unit and is listed once. Events that do not fit their counters at the same time belong to
 * different passes: a window counts the events of one pass. */
#ifndef SP_MODEL_COUNT_LOG_H
#define SP_MODEL_COUNT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"

struct sp_count_event {
    char name[96];      /* "uncore_imc_3/cas_count_read" */
    char level[8];      /* interface whose bytes it counts: "MEM"; "L3": between L3 and L2; "L2"; or "core":
                           it counts no bytes but what the threads did */
    int domain;         /* memory domain of the unit: socket, NUMA node or die, 0 ... */
    int channel;        /* unit within the domain, -1: the event is already a sum over units */
    double B_per_count; /* bytes that one count stands for */
    int bits;           /* width of the counter, after which it starts again at 0; 64: it does not */
    int pass;           /* 0 ... n_passes - 1 */
    enum sp_direction direction;
};

/* Readings of one event at the ends of a window, and for how long it was asked for and was on a
 * counter [s]. Readings are counts below 2^53, exact in a double; NAN: the back end gave no
 * number. */
struct sp_count {
    double before, after;
    double enabled_s, running_s;
};

enum { SP_COUNT_MAX_DOMAINS = 64 };

enum sp_window_kind {
    SP_WINDOW_IDLE,  /* nothing of ours ran: the background */
    SP_WINDOW_KNOWN, /* a volume that is known ran */
    SP_WINDOW_JOB    /* the job itself */
};
const char *sp_window_kind_name(enum sp_window_kind kind); /* "idle", "known", "job" */
int sp_window_kind_from_name(const char *name);

struct sp_count_window {
    enum sp_window_kind kind;
    char what[16]; /* of a known volume: "load", "copy" ... */
    int pass;
    double duration_s;
    int64_t repetitions;    /* executions in it */
    double load_B, store_B; /* known volume: bytes of one execution that it loads and stores [B] */
    double memory_share;    /* of them that go to memory: 1 out of caches, 0 in them */
    struct sp_count *count; /* [n_events], only those of its pass are filled; owned */
};

struct sp_count_log {
    char source[16];  /* "perf", "likwid" ... */
    char how[160];    /* units and access: "Intel integrated memory controller, 8 units, 2 sockets" */
    bool constructed; /* invented for a test or a lesson: measurements of no machine */
    int n_shares;     /* memory domains whose share of the known volumes is known; 0: none */
    double domain_share[SP_COUNT_MAX_DOMAINS];
    int n_passes, n_events;       /* passes >= 1 */
    struct sp_count_event *event; /* [n_events] owned */
    int n_windows;
    struct sp_count_window *window; /* [n_windows] owned */
};

/* Zero-initialise the log; sp_count_log_free(), safe twice. All events before the first window. */
enum sp_status sp_count_log_add_event(struct sp_count_log *log, const struct sp_count_event *event,
                                      struct sp_error *err);
/* A copy of *window with room for count[n_events], all unknown (NAN); *out (may be NULL) points
 * into the log until the next window is added. */
enum sp_status sp_count_log_add_window(struct sp_count_log *log, const struct sp_count_window *window,
                                       struct sp_count_window **out, struct sp_error *err);
/* Forgets the windows of one kind. */
void sp_count_log_drop(struct sp_count_log *log, enum sp_window_kind kind);
enum sp_status sp_count_log_copy(const struct sp_count_log *from, struct sp_count_log *to,
                                 struct sp_error *err);
void sp_count_log_free(struct sp_count_log *log);

/* Counts of one event in one window. */
enum sp_count_state {
    SP_COUNT_EXACT,       /* on a counter all the time */
    SP_COUNT_MULTIPLEXED, /* shared its counter: scaled up to the whole time, so an estimate */
    SP_COUNT_NONE         /* no number, never on a counter, or numbers that contradict each other */
};
/* NAN with SP_COUNT_NONE. A reading below the one before is a counter that started again, once,
 * where `bits` says that it does, else a contradiction. *share (may be NULL): of the time it was on
 * a counter. */
double sp_count_of(const struct sp_count_event *event, struct sp_count count, enum sp_count_state *state,
                   double *share);

/* Bytes of one execution. */
struct sp_counted {
    struct sp_value read_B, write_B; /* SP_NONE with the reason where only the sum is counted */
    struct sp_value total_B;         /* SP_NONE where one direction is not counted */
    struct sp_value idle_Bps;        /* background that was taken off [B/s]; SP_NONE: no idle window */
    double idle_share;               /* of what the windows counted */
    double idle_spread_B;            /* what the spread of the background leaves open */
    double running_share; /* least share of the time that an event was on a counter: below 1 multiplexed */
    int n_windows, n_wrapped; /* windows used; counters that started again */
    const char *trouble;      /* NULL, or the first trouble with a count, static text */
};

/* Windows of one kind and `what` (NULL: any), events of one level and domain (-1: all). For each
 * pass the median over its windows, less the background in the same time; the interval holds the
 * spread of windows and of the background, and what multiplexing leaves open. Values are SP_NONE
 * where an event gave nothing or there was no window. */
struct sp_counted sp_count_log_bytes(const struct sp_count_log *log, enum sp_window_kind kind,
                                     const char *what, const char *level, int domain);

int sp_count_log_domains(const struct sp_count_log *log, const char *level); /* highest domain + 1 */
bool sp_count_log_has_level(const struct sp_count_log *log, const char *level);

/* Whether to believe counters: volumes that are known ran under them before the job did. Pure.
 *
 * A counter that says twice, thrice or three quarters of what was moved is named as such and not
 * used: right numbers come before numbers. */

enum sp_trust {
    SP_TRUSTED,         /* within the tolerance of the known volume */
    SP_TRUST_NOTHING,   /* counts nothing, or gives no number */
    SP_TRUST_MULTIPLE,  /* a whole multiple: counted twice, thrice ... */
    SP_TRUST_MISSING,   /* channels are missing */
    SP_TRUST_ELSEWHERE, /* counts another domain's memory */
    SP_TRUST_OFF        /* neither: wrong by an amount that nothing simple explains */
};

struct sp_trust_verdict {
    enum sp_trust trust;
    double ratio;   /* counted / known; NAN: no number */
    char text[200]; /* a clause: "counts 2.01 times the known volume: every line twice" */
};

/* counted_B of a run that moved known_B > 0; tolerance relative (0.05: 5 %); n_channels: units that
 * were counted, 0 unknown. */
struct sp_trust_verdict sp_trust_judge(double counted_B, double known_B, double tolerance, int n_channels);

enum { SP_TRUST_MAX_CHECKS = 24, SP_TRUST_MAX_MIXES = 8 };

/* One known volume and what the counters made of it. */
struct sp_trust_check {
    char what[16];     /* "load", "store", "copy" ... */
    char quantity[12]; /* "reads", "writes", "all" */
    double known_B;    /* bytes of one execution through the interface */
    struct sp_value counted_B;
    bool decides; /* a wrong verdict here makes the source untrusted; else it is information */
    struct sp_trust_verdict verdict;
};

/* w at one mix of stores and loads [THEORY 1]. */
struct sp_w_point {
    double store_share; /* bytes stored / (bytes loaded + bytes stored) by the program */
    bool non_temporal;
    struct sp_value w; /* bytes moved per byte stored */
};

struct sp_trust_report {
    bool trusted;
    double ratio_lo,
        ratio_hi; /* counted / known of the checks that decide: what V is uncertain by; 1, 1: none */
    int n_checks;
    struct sp_trust_check check[SP_TRUST_MAX_CHECKS];
    int n_mixes;
    struct sp_w_point mix[SP_TRUST_MAX_MIXES]; /* ascending in store_share */
    char text[320];                            /* a sentence: why it is believed, or what is wrong with it */
};

/* From the windows of known volumes of a level ("MEM"), and from the log's domain_share: the part
 * of them that lies in each memory domain. Trusted needs at least one check of memory that decides.
 * Where only reads are counted, stores are not judged. */
struct sp_trust_report sp_trust_of(const struct sp_count_log *log, const char *level, double tolerance);

/* The value with what the known volumes leave open: between V/ratio_hi and V/ratio_lo. */
struct sp_value sp_trust_widen(const struct sp_trust_report *report, struct sp_value bytes);

/* w at this share of stores, between the two nearest mixes measured; beyond them the nearest one.
 * SP_NONE where none was measured. Non-temporal stores have a table of their own. */
struct sp_value sp_trust_w(const struct sp_trust_report *report, double store_share, bool non_temporal);

#endif
