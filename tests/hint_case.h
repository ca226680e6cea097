/* A run that no rule has anything to say about, for tests that change one thing of it, and what rules then
 * say. */
#ifndef SP_TESTS_HINT_CASE_H
#define SP_TESTS_HINT_CASE_H

#include <check.h>
#include <math.h>
#include <string.h>

#include "model/hints/hints.h"
#include "proposal.h"

/* kkt_power on 18 threads, memory-bound, everything fine. */
static inline struct sp_hint_inputs healthy(void)
{
    struct sp_hint_inputs in;
    sp_hint_inputs_init(&in);
    in.matrix = "kkt_power.mtx.gz";
    in.n_r = in.n_c = 2063494;
    in.n_nz = 14612663;
    in.n_threads = 18;
    in.time_s = sp_value_of(3.2e-3, SP_MEASURED);
    in.roof_Bps = sp_value_of(76e9, SP_MEASURED);
    in.V_B = sp_value_of(233.1e6, SP_SIMULATED);
    in.core_s = sp_value_of(1e-3, SP_MEASURED);
    in.alpha = in.alpha_min = in.alpha_once = sp_value_of(0.1412, SP_SIMULATED);
    in.store_nt = true;
    return in;
}

/* 5 % of the new time more at both ends. */
static inline double low(double gain)
{
    return fmax(0, 1 - (1 - gain) * 1.05);
}

static inline double high(double gain)
{
    return 1 - (1 - gain) * 0.95;
}

static inline const struct sp_hint *find(const struct sp_hints *h, const char *id)
{
    for (int i = 0; i < h->n_hints; i++)
        if (strcmp(h->hint[i].id, id) == 0)
            return &h->hint[i];
    return NULL;
}

static inline const struct sp_checked *clear(const struct sp_hints *h, const char *check)
{
    for (int i = 0; i < h->n_checked; i++)
        if (strcmp(h->checked[i].check, check) == 0)
            return &h->checked[i];
    return NULL;
}

/* Members of an alternative that is another format. */
#define AS_FORMAT(value) .option = (value), .change = typed("--format " value)

/* A rule's contract: complete texts, an interval of gains, a command of this program. */
static inline void check_hint(const struct sp_hint_inputs *in, const struct sp_hint *h)
{
    const char *proposal = PROPOSAL_OF(in, h);
    ck_assert_msg(h->gain_lo >= 0 && h->gain_lo <= h->gain_hi && h->gain_hi > 0 && h->gain_hi < 1,
                  "%s: gain %g ... %g", h->id, h->gain_lo, h->gain_hi);
    ck_assert(h->basis != SP_NONE && h->evidence[0] && h->expect[0]);
    ck_assert_msg(strncmp(proposal, "spmodel analyze ", 16) == 0 ||
                      strncmp(proposal, "numactl --localalloc spmodel analyze ", 37) == 0 ||
                      strncmp(proposal, "mpirun -n ", 10) == 0 ||
                      strncmp(proposal, "echo madvise", 12) == 0 ||
                      strncmp(proposal, "in your program: ", 17) == 0,
                  "%s: %s", h->id, proposal);
}

static inline struct sp_hints ask(const struct sp_hint_inputs *in)
{
    struct sp_hints h;
    sp_hints_find(in, &h);
    for (int i = 0; i < h.n_hints; i++) {
        check_hint(in, &h.hint[i]);
        if (i > 0)
            ck_assert(h.hint[i - 1].gain_lo + h.hint[i - 1].gain_hi >= h.hint[i].gain_lo + h.hint[i].gain_hi);
    }
    for (int i = 0; i < h.n_checked; i++)
        ck_assert(h.checked[i].check[0] && h.checked[i].figure[0]);
    return h;
}

/* Fires alone; the changed case is the only thing wrong. */
static inline struct sp_hint only(const struct sp_hint_inputs *in, const char *id)
{
    struct sp_hints h = ask(in);
    ck_assert_msg(h.n_hints == 1 && strcmp(h.hint[0].id, id) == 0, "%d hints, first %s, expected %s",
                  h.n_hints, h.n_hints ? h.hint[0].id : "none", id);
    return h.hint[0];
}

static inline void only_proposes(const struct sp_hint_inputs *in, const char *id, const char *text)
{
    const struct sp_hint hint = only(in, id);
    ck_assert_str_eq(PROPOSAL_OF(in, &hint), text);
}

#endif
