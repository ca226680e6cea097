/* What `spmodel model` computes: predictions of one matrix, or of its sizes alone, over machines
 * and formats. */
#ifndef SP_SESSION_MODEL_CASE_H
#define SP_SESSION_MODEL_CASE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "model/cache/alpha.h"
#include "model/cache/capacity.h"
#include "model/ecm.h"
#include "model/gather.h"
#include "model/gpu/gpu_predict.h"
#include "model/gpu/gpu_time.h"
#include "model/roofline.h"
#include "model/unit_costs.h"
#include "model/volume/traffic.h"
#include "sparse/formats/layout.h"
#include "sparse/product/workload.h"

/* DEFAULT: simulated where several machines are compared on a matrix, else the least. */
enum sp_alpha_kind { SP_ALPHA_DEFAULT, SP_ALPHA_MIN, SP_ALPHA_SIM, SP_ALPHA_GIVEN };

/* What is asked about every matrix. */
struct sp_model_request {
    struct sp_workload workload; /* operation, order, precision, index, schedule; n_threads 0: as many as the
                                    machine has cores; format and matrix are filled in case by case */
    bool precision_given;
    enum sp_alpha_kind alpha_kind;
    double alpha;    /* SP_ALPHA_GIVEN */
    double beta;     /* of SELL where only sizes are known; 0: not given */
    int64_t longest; /* entries of the longest row, where only sizes are known; 0: not given */
    double w; /* 0: not given, 2 for predictions (GPU: 1) and 1 ... 2 where bytes are turned into alpha */
    bool every_format; /* leave out formats that a machine or precision has no use for */
    bool last_level;   /* simulate only the cache in front of the data's home: fast, for many machines */
    uint32_t divide; /* arrays: all divisions of the last level's ways between them and the others; 0: none */
    bool cold;
    bool small_pages; /* of x; else huge ones */
    bool schedule_given, pages_given;
    double volume_B; /* turn the model around; 0: not asked */
};

/* The matrix, or its sizes. */
struct sp_model_subject {
    char name[128];
    int64_t n_r, n_c, n_nz;
    const struct sp_csr *matrix; /* NULL: sizes only */
};

/* One question: a format as after --format, and a width. */
struct sp_model_ask {
    const char *format;
    int32_t r;
};

struct sp_model_row {
    char format[48]; /* for people, with the width where the operation has one */
    int32_t r;
    const struct sp_machine *machine; /* borrowed; without ceilings and name where none was asked for */
    int n_threads, n_domains;         /* GPU: its cores */
    enum sp_precision precision;
    struct sp_value alpha, alpha_min, beta;
    double unit_share; /* SELLU; NAN otherwise */
    double x_B;        /* bytes gathered at alpha = 1 */
    char note[160];    /* how alpha and beta were found */
    int n_idle;        /* levels from the data's home inward into which next to nothing came when simulated */
    /* Of SpMV on a CPU whose caches were all simulated; else SP_NONE with the reason. */
    struct sp_unit_time units; /* of the core, by the lengths of rows or chunks */
    struct sp_gather_roof gather;
    double alpha_by_chance; /* from memory, where the last level replaces by chance; NAN: not known */
    double lost_x_B;        /* bytes of x that come from memory therefore, beyond those of LRU */
    double gather_ahead; /* share of those from beyond L1 that hardware fetches ahead; below 0: not known */
    const struct sp_page_costs *pages; /* of the walks in `gather`; NULL: none are described */
    double n_walks;                    /* of one execution, simulated; below 0: not simulated */
    struct sp_value transfers_s;       /* of the expected time: bytes at the roofs of their levels */
    struct sp_value expected_s;        /* from all parts, sp_expected_time() */
    struct sp_value gather_wait_s;     /* what it adds to the streams, T_gather - (V - V_x)/b_S */
    bool made;
    struct sp_traffic traffic[SP_MAX_LEVELS]; /* of each interface */
    int n_traffic;                            /* of them simulated: all caches', or 0 */
    struct sp_value memory_B, saved_B; /* simulated in all caches of several domains, warm: what comes from
                                          and goes to memory, and what of the arrays but x the last levels
                                          keep from one execution to the next; else SP_NONE */
    struct sp_ways ways;               /* request->divide: from memory with each division */
    struct sp_kept kept; /* what a cache keeps of data that hardly fit, or hardly do not; in the traffic
                            above, in `gather` and in expected_s */
    bool has_ecm, ecm_has_core; /* session/model/case.c; T_OL is from P_core, else from the arithmetic peak */
    struct sp_ecm_inputs ecm_inputs;
    struct sp_ecm_times ecm;
    double ecm_rows; /* n_r */
    struct sp_prediction prediction;
    struct sp_alpha_reading inverse; /* volume_B asked: alpha from it; else origin SP_NONE and seen_B 0 */
    double minimum_B;                /* V(alpha_min) of this format */
    struct sp_gpu_prediction *gpu;   /* by a GPU kernel, level by level; else NULL; owned */
    char gpu_option[48];             /* with it: the format as after --format */
    bool by_formula; /* SpMV on a described GPU, of sizes, or alpha least or given: `sizes` is filled */
    struct sp_gpu_sizes_time sizes;
};

/* Ways in which a GPU's threads share a format's work: a row each. */
enum { SP_MODEL_WAYS = 5 };

/* What bytes of y cost on this machine: as asked, else 1 on a GPU and 2 on a CPU. */
double sp_model_w(const struct sp_model_request *request, const struct sp_machine *machine);

/* Predictions of each question on each machine into row[n_machines * n_asked * SP_MODEL_WAYS], the
 * rows of one machine together and in the order given; *n_rows of them are filled. A layout is
 * built once for all machines with equally many threads, a cache simulated once for all that have
 * the same. SP_USAGE where sizes are impossible or the request needs what the subject or the
 * machine has not (simulation of sizes, beta of row lengths, more threads than cores). */
enum sp_status sp_model_rows_make(const struct sp_model_request *request,
                                  const struct sp_model_subject *subject, const struct sp_model_ask *asked,
                                  int n_asked, const struct sp_machine *machine, int n_machines,
                                  const struct sp_progress *progress, struct sp_model_row *row, int *n_rows,
                                  struct sp_error *err);

void sp_model_rows_free(struct sp_model_row *row, int n_rows);

/* The row of least time among n of one machine, of least traffic where no time is known; on a GPU,
 * of times that hardly differ, that of the least L2 traffic. */
int sp_model_best(const struct sp_model_row *row, int n);

/* alpha of a layout on a described machine: the least, or simulated [THEORY 2, 9]. Simulated alphas
 * of one layout, so that equal caches are simulated once. Zero-initialise for each layout. */
enum { SP_MAX_SEEN_ALPHAS = 256 };
struct sp_seen_alphas {
    uint64_t key[SP_MAX_SEEN_ALPHAS];
    double alpha[SP_MAX_SEEN_ALPHAS];
    int n_idle[SP_MAX_SEEN_ALPHAS];
    int n;
};

/* row->alpha, alpha_min, n_idle and note, from row's machine, domains and prediction. */
enum sp_status sp_model_alpha(const struct sp_model_request *request, const struct sp_layout *layout,
                              const struct sp_progress *progress, struct sp_seen_alphas *seen,
                              struct sp_model_row *row, struct sp_error *err);

/* Predictions as data (docs/records.md). */

/* Rows of one machine follow each other. */
struct sp_model_result {
    const struct sp_model_subject *subject;
    const struct sp_model_request *request;
    const struct sp_model_row *row; /* [n_rows] */
    int n_rows;
    int n_machines;
    const char *left_out; /* machines that cannot do what was asked, "" */
    const char *command;  /* as it was typed */
    const char *env_key;  /* of this machine, which described ones are compared with; "": not known */
};

/* Is row i the best of its machine's? */
bool sp_model_is_best(const struct sp_model_result *result, int i);
/* Is this row's machine the one that the program runs on? */
bool sp_model_is_here(const struct sp_model_result *result, const struct sp_model_row *row);

/* One object in SI units ("spmodel.model/1"), with id, time, tool and command as in records; a new
 * reference. SP_MEMORY. */
enum sp_status sp_model_json(const struct sp_model_result *result, json_t **json, struct sp_error *err);

#endif
