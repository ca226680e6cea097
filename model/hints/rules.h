/* The rules, by theme in hints_THEME.c, and what they share; hints.inc lists them. Letters: A x, B
 * balance of threads, C execution, D padding, E bytes of the matrix, F threads, G placement and
 * stores, H level, J GPUs, K ranks. */
#ifndef SP_MODEL_RULES_H
#define SP_MODEL_RULES_H

#include "model/hints/hints.h"

#define HINT(NAME) extern const struct sp_hint_rule sp_hint_##NAME;
#include "model/hints/hints.inc"

/* ---- what the rules share: the counterfactual time, gains, commands ---- */

/* The gain of a change [model/hints/gain.h]; fills in where its data then live. */
struct sp_gain sp_gain_of(const struct sp_hint_inputs *in, struct sp_then *then);

/* Other bytes through the level that counts, other execution, and less_B less to hold. */
struct sp_then sp_then_bytes(const struct sp_hint_inputs *in, struct sp_value V_B, struct sp_value core_s,
                             double less_B);
/* What a model gives instead of now_s. */
struct sp_then sp_then_times(double now_s, double then_s);
/* Another storage of the matrix: its bytes and execution; in lanes (SELL) instead of CRS several
 * gathers are in flight at once: more of the waiting goes, the shorter the rows are. */
struct sp_then sp_then_storage(const struct sp_hint_inputs *in, const struct sp_alternative *storage);
bool sp_is_in_lanes(const char *option);

/* The measured time, else the modelled one; 0: neither is known. */
double sp_hint_time(const struct sp_hint_inputs *in);

/* sp_gain_waits() of the run. */
double sp_hint_waits(const struct sp_hint_inputs *in);
bool sp_hint_is_waiting(const struct sp_hint_inputs *in);

/* Mean gain at or above the threshold. */
bool sp_gain_is_worth(const struct sp_hint_inputs *in, struct sp_gain gain);

/* The hint promises what the change gains; no rule sets a gain otherwise. */
void sp_hint_take(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_then then,
                  enum sp_origin basis, enum sp_confidence confidence);

/* V with another alpha; in->V_B and in->alpha known. */
struct sp_value sp_hint_volume_alpha(const struct sp_hint_inputs *in, struct sp_value alpha);

/* V less `saved_B` of the arrays, interval moved along; where caches leave less of V than the
 * arrays have, less that part of it. */
struct sp_value sp_hint_volume_less(const struct sp_hint_inputs *in, double saved_B);

/* V and the roof are known. */
bool sp_hint_has_volume(const struct sp_hint_inputs *in);
bool sp_hint_in_memory(const struct sp_hint_inputs *in);
/* Stored entries: counted, else n_nz/beta. */
double sp_hint_stored(const struct sp_hint_inputs *in);
/* The roof where pages are as they should be: the machine's own, if it is higher than the run's. */
struct sp_value sp_hint_best_roof(const struct sp_hint_inputs *in);
/* "not known" as an sp_value: an alternative that leaves this as it is. */
struct sp_value sp_as_now(void);

/* The alternative of largest mean gain whose option starts with `prefix` ("sell:", "sellu", ""
 * all). without_core: only volumes are compared, where V is known; else only alternatives whose
 * core_s is known count. NULL: none; *gain receives its gain. */
const struct sp_alternative *sp_best_format(const struct sp_hint_inputs *in, const char *prefix,
                                            bool without_core, struct sp_gain *gain);

/* The kernel of least modelled time in another format; NULL: none is known. */
const struct sp_gpu_hint_way *sp_best_gpu_format(const struct sp_gpu_hint_inputs *gpu);

/* The modelled time of the GPU kernel in use [s]; 0: none that can be compared with others. It is
 * not known, or below SP_SHORT_LAUNCH_S where the launch overhead is not: launches may take
 * longer. */
double sp_gpu_hint_time(const struct sp_hint_inputs *in);

/* Adds a sentence to the evidence. */
void sp_hint_add(struct sp_hint *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds that execution takes less then, where it does. */
void sp_hint_add_execution(const struct sp_hint_inputs *in, struct sp_hint *hint);
/* Adds what else the other storage changes: gathers in flight, execution. Or nothing. */
void sp_hint_add_storage(const struct sp_hint_inputs *in, struct sp_hint *hint, const char *option);

/* "pays after N SpMVs" from a cost in seconds. */
void sp_hint_cost(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_value cost_s);

/* Checked, with this figure. */
enum sp_verdict sp_clear(struct sp_checked *checked, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
