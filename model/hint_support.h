/* What the rules share: the counterfactual time, gains, commands. */
#ifndef SP_MODEL_HINT_SUPPORT_H
#define SP_MODEL_HINT_SUPPORT_H

#include "model/hints.h"

struct sp_gain {
    double lo, hi; /* share of the time saved */
};

/* Bytes and in-core time now and in the counterfactual; the model's time is max(V/b_S, T_core) in both. The
 * interval holds two ways of carrying that over to the measured time t (where there is one): the model's
 * ratio; and T = max + omega min, with the share omega of the shorter term that the longer one does not hide
 * taken from t. 5 % of the new time are added at both ends for what the model does not know. Where gathers
 * wait (linear_s), the ratio is left out and 0 is in the interval. core_s SP_NONE: not limiting. */
struct sp_gain sp_gain_of(const struct sp_hint_inputs *in, struct sp_value V_new, struct sp_value core_new);

/* 5 % of the new time more at both ends, but no more than twice the gain: what another set of arrays, another
 * minute and another kernel change. */
struct sp_gain sp_gain_widened(struct sp_gain gain);

/* Of a change that lets gathers wait less or together: where they wait now and the upper end is a good part
 * of the time (0.3), the lower end is at least 0.6 of it. From trials: docs/results, advice-scored. */
struct sp_gain sp_gain_of_waiting(const struct sp_hint_inputs *in, struct sp_gain gain);

/* The gain of a format with lanes (SELL) instead of CRS, where sp_gain_of() leaves out that its gathers wait
 * together: more at the upper end, the shorter the rows are, and sp_gain_of_waiting() of that. As it is where
 * the model sees no gain. */
struct sp_gain sp_gain_in_lanes(const struct sp_hint_inputs *in, struct sp_gain gain);

/* The measured time, else the modelled one; 0: neither is known. */
double sp_hint_time(const struct sp_hint_inputs *in);

/* Share of the measured time that gathers wait, by a run with linearised indices; 0: none, or not known. */
double sp_hint_waits(const struct sp_hint_inputs *in);
bool sp_hint_is_waiting(const struct sp_hint_inputs *in); /* for more than a tenth of it */

/* Mean gain at or above the threshold. */
bool sp_gain_is_worth(const struct sp_hint_inputs *in, struct sp_gain gain);

/* The change and its sp_command_text(). */
void sp_hint_command(const struct sp_hint_inputs *in, struct sp_hint *hint, const char *change);

void sp_hint_take(struct sp_hint *hint, struct sp_gain gain, enum sp_origin basis,
                  enum sp_confidence confidence);

/* V with another alpha; in->V_B and in->alpha known. */
struct sp_value sp_hint_volume_alpha(const struct sp_hint_inputs *in, struct sp_value alpha);

/* V less `saved_B`, interval moved along. */
struct sp_value sp_hint_volume_less(const struct sp_hint_inputs *in, double saved_B);

/* The gain of seconds saved out of `now_s` of a model: as sp_gain_of(). */
struct sp_gain sp_gain_of_seconds(const struct sp_hint_inputs *in, double now_s, double then_s);

/* V and the roof are known. */
bool sp_hint_has_volume(const struct sp_hint_inputs *in);
bool sp_hint_in_memory(const struct sp_hint_inputs *in);
/* Stored entries: counted, else n_nz/beta. */
double sp_hint_stored(const struct sp_hint_inputs *in);
/* "not known" as an sp_value: an alternative that leaves this as it is. */
struct sp_value sp_as_now(void);

/* The alternative of largest mean gain whose option starts with `prefix` ("sell:", "sellu", ""
 * all). without_core: only volumes are compared, where V is known; else only alternatives whose core_s is
 * known count. NULL: none; *gain receives its gain. */
const struct sp_alternative *sp_best_format(const struct sp_hint_inputs *in, const char *prefix,
                                            bool without_core, struct sp_gain *gain);

/* The kernel of least modelled time in another format; NULL: none is known. */
const struct sp_gpu_hint_way *sp_best_gpu_format(const struct sp_gpu_hint_inputs *gpu);

/* The modelled time of the GPU kernel in use [s]; 0: none that can be compared with others. It is not known,
 * or below SP_SHORT_LAUNCH_S where the launch overhead is not: launches may take longer. */
double sp_gpu_hint_time(const struct sp_hint_inputs *in);

/* "pays after N SpMVs" from a cost in seconds. */
void sp_hint_cost(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_value cost_s);

/* Checked, with this figure. */
enum sp_verdict sp_clear(struct sp_checked *checked, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
