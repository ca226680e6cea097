/* Hints: rules that look at everything known about one analysis and either propose a change with
 * the time that it would save, or say that something was checked and is not a problem, or stay
 * silent because it was not looked at [THEORY 10]. A rule fires only when its counterfactual,
 * simulated or modelled or measured, shows a gain above the threshold. A rule is a line of
 * hints.inc and stands in a file hints_*.c. */
#ifndef SP_MODEL_HINTS_H
#define SP_MODEL_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option/run_option.h"
#include "base/reading.h"
#include "model/hints/gain.h"
#include "model/losses.h"
#include "model/machine.h"
#include "sparse/product/workload.h"

struct sp_gpu_prediction;
struct sp_ways;

enum sp_truth { SP_UNKNOWN, SP_TRUE, SP_FALSE };

/* What one would get with another option, everything else equal. */
struct sp_alternative {
    char option[80];         /* what texts call it: "sell:32,256", "cyclic:64", "2" */
    struct sp_change change; /* of formats and storage: what makes it */
    struct sp_value V_B;     /* bytes through the level that counts now; SP_NONE: as now */
    double formula_B;        /* as if caches further in kept nothing of it; 0: V_B.hi */
    struct sp_value core_s;  /* W/P_core of it; SP_NONE: as now */
    struct sp_value fluid_s; /* time in the fluid model; SP_NONE: not looked at */
    struct sp_value time_s;  /* measured on the arrays of this run; SP_NONE: not run */
    struct sp_value beta;    /* SELL kinds; SP_NONE otherwise */
    struct sp_value alpha;   /* where it differs; SP_NONE: as now */
};

/* What a format would get that changes what is moved of x and y, too. */
struct sp_storage {
    struct sp_change change; /* to it; none: not looked at, or it cannot be, or it cannot pay */
    struct sp_value V_B;     /* of its layout, partial results and conflicts between threads counted */
    struct sp_value core_s;  /* W/P_core of it; SP_NONE: not measured */
    struct sp_value build_s; /* making it once */
};

/* A kernel on a GPU in a format, as it would run the workload. */
struct sp_gpu_hint_way {
    char option[48];    /* value of --format */
    const char *kernel; /* value of --isa */
    bool same_format;   /* as the run's */
    enum sp_precision precision;
    struct sp_value time_s;      /* modelled; SP_NONE: not known */
    double active;               /* sp_coalesced_active(); NAN: SpMV only */
    int64_t n_stored, n_indices; /* of the layout: entries with fill; indices: blocks of BCSR, columns that
                                    the blocks of TILED list */
    int32_t T_i, T_k;            /* TILED; else 0 */
};

/* What rules for GPUs look at besides. */
struct sp_gpu_hint_inputs {
    const struct sp_gpu_prediction *now;       /* of the launch in use */
    const struct sp_gpu_prediction *reordered; /* in the order `reorder`; NULL: not tried */
    struct sp_gpu_hint_way run;                /* the kernel in use */
    bool equal_rows;                           /* all rows have the same number of entries */
    struct sp_value x_B;     /* of x, from memory, as counted; SP_NONE: as modelled for the launch in use */
    const char *possible_by; /* what binds where x is loaded once; NULL: not known */
    const char
        *window; /* the kernel of this format whose x a window of the L2 keeps; NULL: it has none, or it
                           is in use */
    int n_ways;
    const struct sp_gpu_hint_way *way; /* [n_ways] other kernels of this and other formats */
    int n_units;
    const struct sp_gpu_hint_way *units; /* [n_units] SpMM: kernels on matrix units, in the run's precision
                                            first; none where one is in use, or their peak is not known */
};

/* All that is known. Zero-initialise, then sp_hint_inputs_init(); every sp_value that stays SP_NONE
 * means "not looked at", and the rules that need it are silent. All bytes, alpha and the roof
 * belong to the level that holds the data. Borrowed texts and arrays. */
struct sp_hint_inputs {
    const char *matrix;       /* as typed: "kkt_power.mtx.gz"; commands are built from it */
    struct sp_change options; /* the other options of the run, to be repeated in commands */
    double threshold;         /* least gain worth a hint; default 0.03 */
    bool thorough;            /* hints will be tried: what is only possible may be proposed too */

    /* a kernel of somebody else: enum sp_own_kind; 0: none */
    int own;
    const char *built_in;         /* the kernel of the program that was run in turn with it */
    struct sp_value built_in_s;   /* its time */
    struct sp_value busy_threads; /* that the kernel keeps busy */

    /* the workload */
    enum sp_op op;
    int64_t r; /* width of the dense operands, 1 for SpMV */
    int64_t n_r, n_c, n_nz;
    int64_t n_stored; /* 0: n_nz/beta */
    int format;
    int32_t C;
    int64_t sigma;
    enum sp_precision precision;
    enum sp_index index;
    int row_ptr_B; /* as in the workload */
    enum sp_schedule schedule;
    int n_threads, n_domains;
    bool warm, store_nt;
    bool symmetric; /* the entries are symmetric in pattern and value, stored in full */
    bool reordered; /* an order other than the file's is in use */

    /* time, ceilings */
    struct sp_value time_s;           /* measured; SP_NONE: gains refer to the modelled time */
    struct sp_value roof_Bps;         /* of the level */
    struct sp_value V_B;              /* through the level now, simulated or measured */
    struct sp_value core_s;           /* W/P_core, with row ends and the start of the team */
    struct sp_value team_s;           /* the start of the team, part of it; SP_NONE: not measured */
    struct sp_value row_ends_s;       /* mispredicted ends of rows, part of it; SP_NONE: not measured */
    struct sp_value linear_s;         /* with all gathers from L1 */
    struct sp_value prefetch_s;       /* with x prefetched `prefetch` entries ahead */
    int prefetch;                     /* 0: not tried */
    const char *level;                /* "MEM", "L3", ...: the level whose roof counts */
    double working_set_B;             /* matrix, operands and result */
    double gather_B;                  /* bytes gathered at alpha = 1; 0: s_x n_nz, one vector */
    double x_B;                       /* the gathered operands; 0: s_x n_c, one vector */
    double y_B;                       /* the result; 0: s_y n_r, one vector */
    double cache_B;                   /* capacity of the last level in all domains used; 0: unknown */
    const struct sp_machine *machine; /* caches and their roofs; NULL: unknown */
    struct sp_value roof_best_Bps;    /* of the level, as the machine remembers it */
    const struct sp_ways *ways; /* every division of the last level (model/volume/traffic.h); NULL: none */
    double undivided_B, undivided_x_B; /* reads from memory, simulated, of the whole one; of x in them */

    /* x */
    struct sp_value alpha, alpha_min; /* now; least, all domains */
    struct sp_value w; /* bytes moved per byte stored of y; SP_NONE: 2, or 1 for non-temporal stores */
    struct sp_value alpha_inner, alpha_inner_reordered; /* one level further in, where gathers wait; SP_NONE:
                                                           they do not, or no order was tried */
    struct sp_value alpha_once;        /* least for one domain: alpha_min - alpha_once is duplication */
    struct sp_value alpha_reordered;   /* simulated after `reorder` */
    struct sp_value core_reordered_s;  /* W/P_core after `reorder`; SP_NONE: not measured */
    struct sp_value streams_reordered; /* sp_streams_followed() after `reorder`; SP_NONE: not looked at */
    const char *reorder;               /* "rcm" */
    struct sp_value reorder_s;         /* what reordering costs once */

    /* balance of the threads */
    struct sp_value lambda_nz, lambda_t;
    struct sp_value fluid_s;       /* of the schedule in use */
    struct sp_value fluid_equal_s; /* of equal shares */
    struct sp_value equal_s;       /* measured with equal nonzeros per thread; SP_NONE: not run */
    int n_schedules;
    const struct sp_alternative *schedules; /* [n_schedules] fluid_s */

    /* formats: V_B and core_s with the same threads */
    struct sp_value beta;
    int n_formats;
    const struct sp_alternative *formats; /* [n_formats] with SELL kinds other C and sigma too */
    struct sp_value unit_share;           /* u of sellu:8,1 */
    const struct sp_alternative *offsets; /* 16-bit offsets, its options as typed; NULL: they do not reach, or
                                             are in use, or were not looked at */
    const struct sp_alternative *mixed;   /* values in fp32, likewise; NULL: not looked at */
    int n_widths;
    const struct sp_alternative *widths; /* [n_widths] SpMMV: other r, of one execution */

    /* values and structure */
    enum sp_truth fits_f32;                              /* every value is an fp32 number */
    struct sp_value rounding_largest, rounding_normwise; /* changes by storing the values in f32, relative */
    int64_t n_zeros;                                     /* entries of value 0 that are stored */
    int64_t n_distinct;       /* distinct values; 0: not counted; counting may stop at a limit */
    bool n_distinct_is_bound; /* counting stopped: at least n_distinct */
    int block_h, block_w;     /* best dense block looked at; 0: none */
    int64_t n_blocks;         /* n_e of it */

    /* threads: bandwidth of the level over threads */
    int n_cores;      /* that could be used; 0: unknown */
    int n_saturation; /* points in the two arrays; 0: not measured */
    const int *saturation_threads;
    const double *saturation_Bps;
    bool smt; /* more threads than cores are in use */

    /* a job of ranks; n_ranks 0: none */
    int n_ranks;
    const char *launch;          /* what starts its command: "mpirun -n 4" */
    const char *partition;       /* of its rows, as typed */
    struct sp_value partition_s; /* what the model of rows over ranks gives with it */
    int n_partitions;
    const struct sp_alternative *partitions; /* [n_partitions] others: time_s by the same model */

    /* placement and stores */
    struct sp_value huge_share, local_share;
    struct sp_value roof_store_Bps;       /* copy or triad, write-allocate counted [B/s] */
    struct sp_value roof_store_nt_Bps;    /* the same with non-temporal stores */
    bool can_store_nt;                    /* there is a version with non-temporal stores */
    bool asked_small_pages;               /* by the run */
    const struct sp_gpu_hint_inputs *gpu; /* NULL: not on a GPU */
    struct sp_storage
        storage[SP_MAX_FORMATS];   /* of formats that propose themselves (model/formats/format.h) */
    struct sp_change to_blocks;    /* BCSR; none: no kernel takes it */
    struct sp_value blocks_core_s; /* its W/P_core; SP_NONE: not measured */
};
void sp_hint_inputs_init(struct sp_hint_inputs *inputs);
/* Of the format of this name; an empty one where there is no such format. */
const struct sp_storage *sp_hint_storage(const struct sp_hint_inputs *inputs, const char *format);

enum sp_confidence { SP_LOW, SP_MEDIUM, SP_HIGH };
const char *sp_confidence_name(enum sp_confidence confidence);

enum { SP_MAX_ALSO = 4 };

struct sp_hint {
    const char *id;    /* "A01" */
    const char *title; /* "x traffic" */
    int rule_version;
    double gain_lo, gain_hi; /* share of the time saved, 0 <= lo <= hi < 1 */
    enum sp_origin basis;    /* of the counterfactual */
    enum sp_confidence confidence;
    struct sp_then then;     /* the counterfactual of which the gain was made */
    struct sp_value floor_s; /* its sp_gain_floor() */
    struct sp_change change; /* that makes the proposal of this run; none: no option does */
    const char *in_program;  /* what to change in the user's program, where no option does it; or NULL */
    const char *in_system;   /* a command of the system that does it; NULL: run it `under` */
    const char *under;       /* what starts the command; NULL: nothing */
    char evidence[800];      /* sentences with figures */
    char expect[240];        /* what will be seen, and what would refute it */
    char cost[160];          /* "pays after 140 SpMVs"; "" nothing to say */
    int n_also;              /* rules that propose the same change, whose evidence it has too */
    const char *also[SP_MAX_ALSO];
};

/* A thing that was checked. */
struct sp_checked {
    const char *id;   /* of the rule: "B01" */
    char check[48];   /* "load imbalance" */
    char figure[160]; /* "lambda of entries 1.00, gain below 0.1 %" */
};

/* Of whom a kernel is, for rules that may be asked: of the program; of somebody else, who walks the
 * matrix as it is; or stores it in a way of their own. */
enum sp_own_kind { SP_NOT_OWN, SP_OWN_WALKS_CRS, SP_OWN_STORES_ITSELF };

/* Kernels of somebody else that a rule is for. */
enum sp_for_own { SP_FOR_NO_OWN, SP_FOR_OWN_CRS, SP_FOR_ALL_OWN };

enum sp_verdict { SP_SILENT, SP_FIRES, SP_CLEAR };

/* That of its rule, or a change of the user's program. */
enum sp_effort sp_hint_effort(const struct sp_hint *hint);

struct sp_hint_rule {
    const char *id, *title;
    int version;
    enum sp_effort effort;
    enum sp_for_own for_own;
    bool spmv_only;        /* its volumes are those of SpMV: silent for other operations */
    const char *condition; /* for `spmodel explain A01`: when it fires and where the gain comes from */
    const char *remedy;    /* what to do, in general */
    const char *gain;      /* how it is predicted */
    const char *check;     /* what it calls what it has checked: "load imbalance"; NULL: it never says so */
    /* Fills *hint (but id, title, version) when it fires, *checked's figure when it is clear. */
    enum sp_verdict (*judge)(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked);
};
extern const struct sp_hint_rule *const sp_hint_table[];      /* ends with NULL */
const struct sp_hint_rule *sp_hint_rule_find(const char *id); /* any case; NULL: none */

enum { SP_MAX_HINTS = 32 };

struct sp_hints {
    const char *matrix;       /* as typed; borrowed */
    struct sp_change options; /* of the run, which commands repeat */
    int n_hints;
    struct sp_hint hint[SP_MAX_HINTS]; /* largest mean gain first */
    int n_checked;
    struct sp_checked checked[SP_MAX_HINTS];
};

/* What a hint proposes, to be typed: a complete command, or its words. Returns text[size]. */
char *sp_hint_try_text(const struct sp_hints *hints, const struct sp_hint *hint, char *text, size_t size);

/* Asks every rule. */
void sp_hints_find(const struct sp_hint_inputs *inputs, struct sp_hints *out);

/* What the rules would propose however little the model gives it, and none of what was `found`:
 * where a trial is cheap, it decides instead. Of formats that were found, the next best ones. */
void sp_hints_chances(const struct sp_hint_inputs *inputs, const struct sp_hints *found,
                      struct sp_hints *out);

/* No cause stands in two lists: takes those checks out of `checked` ("not a problem") that are the
 * bottleneck, or a loss of at least `threshold` of the time [s]. */
void sp_hints_settle(struct sp_hints *hints, enum sp_bottleneck bottleneck, const struct sp_losses *losses,
                     double time_s, double threshold);

#endif
