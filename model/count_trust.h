/* Whether to believe counters: volumes that are known ran under them before the job did. Pure.
 *
 * A counter that says twice, thrice or three quarters of what was moved is named as such and not
 * used: right numbers come before numbers. */
#ifndef SP_MODEL_COUNT_TRUST_H
#define SP_MODEL_COUNT_TRUST_H

#include "model/count_log.h"

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
