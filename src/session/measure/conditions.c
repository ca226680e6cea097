#include "session/measure/conditions.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "sys/disturbance.h"

/* A look at all processes may take so long [s]. */
static const double LOOK_S = 0.05;
static const double MOST_DISTURBED = 0.1, LEAST_SHARE = 0.1;

const char *sp_condition_name(enum sp_condition condition)
{
    static const char *const names[SP_N_CONDITIONS] = {"not run", "clean", "busy", "assumed", "unusable"};
    return names[condition];
}

void sp_conditions_set(const struct sp_pairs *pairs, struct sp_conditions *c)
{
    const double n = (double)(pairs->n_clean + pairs->n_disturbed);
    c->n_clean = pairs->n_clean;
    c->n_disturbed = pairs->n_disturbed;
    c->state = n == 0                                            ? SP_NOT_RUN
               : !pairs->clean                                   ? SP_UNUSABLE
               : (double)pairs->n_disturbed > MOST_DISTURBED * n ? SP_BUSY
                                                                 : SP_CLEAN;
    if (n > 0 && sp_disturbance_is_ignored())
        c->state = SP_ASSUMED;
}

void sp_bystanders_begin(struct sp_bystanders *watch)
{
    memset(watch, 0, sizeof *watch);
    sp_processes_read("", sp_now() + LOOK_S, &watch->before, NULL);
}

void sp_bystanders_end(struct sp_bystanders *watch, struct sp_conditions *conditions)
{
    struct sp_processes after;
    if (sp_processes_read("", sp_now() + LOOK_S, &after, NULL) == SP_OK) {
        conditions->n_others = sp_processes_busy(&watch->before, &after, getpid(), LEAST_SHARE,
                                                 conditions->other, SP_MOST_OTHERS);
        sp_processes_free(&after);
    }
    sp_processes_free(&watch->before);
}

void sp_conditions_name(struct sp_conditions *c, const int *pid, int n)
{
    struct sp_processes all = {0};
    c->n_on_gpu = n;
    if (n > 0)
        sp_processes_read("", sp_now() + LOOK_S, &all, NULL);
    for (int i = 0; i < n && i < SP_MOST_OTHERS; i++)
        for (int k = 0; k < all.n; k++)
            if (all.process[k].pid == pid[i])
                snprintf(c->on_gpu[i], sizeof c->on_gpu[i], "%s", all.process[k].name);
    sp_processes_free(&all);
}

/* What the samples do not show where it was there throughout. */
static size_t gpu_words(const struct sp_conditions *c, size_t used, char *text, size_t size)
{
    int n_named = 0;
    if (c->n_on_gpu > 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, "; %d other program%s on the GPU", c->n_on_gpu,
                                 c->n_on_gpu == 1 ? "" : "s");
    for (int i = 0; i < c->n_on_gpu && i < SP_MOST_OTHERS && used < size; i++)
        if (c->on_gpu[i][0])
            used += (size_t)snprintf(text + used, size - used, "%s%s", n_named++ ? ", " : ": ", c->on_gpu[i]);
    if (c->held_back && used < size)
        used += (size_t)snprintf(text + used, size - used, "; the GPU's clocks are held back by %s",
                                 c->held_back);
    return used;
}

char *sp_conditions_words(const struct sp_conditions *c, char *text, size_t size)
{
    const long long disturbed = (long long)c->n_disturbed, n = (long long)c->n_clean + disturbed;
    size_t used;
    if (c->state == SP_ASSUMED)
        used = (size_t)snprintf(text, size, "%lld samples, taken for undisturbed (SPMODEL_ASSUME)", n);
    else if (c->state == SP_NOT_RUN)
        used = (size_t)snprintf(text, size, "nothing was run here");
    else if (disturbed == 0)
        used = (size_t)snprintf(text, size, "%lld sample%s, none disturbed", n, n == 1 ? "" : "s");
    else if (c->state == SP_UNUSABLE)
        used = (size_t)snprintf(text, size, "%lld of %lld samples were disturbed, too many to replace",
                                disturbed, n);
    else
        used = (size_t)snprintf(text, size, "%lld of %lld samples were disturbed and replaced", disturbed, n);
    if (c->oversubscribed && disturbed > 0 && used < size)
        used +=
            (size_t)snprintf(text + used, size - used, "; more threads than processors disturb each other");
    used = gpu_words(c, used, text, size);
    for (int i = 0; i < c->n_others && disturbed > 0 && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s %.0f %%",
                                 i ? ", " : "; other programs: ", c->other[i].name, 100 * c->other[i].share);
    return text;
}

bool sp_shares_doubt(struct sp_shares *s, char *doubt, size_t size)
{
    const char *why = NULL;
    const bool unusable = s->conditions->state == SP_UNUSABLE, known = sp_value_known(s->of_roof),
               above = known && s->of_roof.value > SP_MOST_OF_ROOF,
               low = known && s->of_remembered < SP_LEAST_OF_REMEMBERED;
    *doubt = '\0';
    if (s->conditions->state == SP_ASSUMED)
        return false;
    if (unusable) {
        why = "other programs disturbed the samples";
        sp_conditions_words(s->conditions, doubt, size);
    } else if (above) {
        why = "it would be more than the roof: the roof is too low, or the bytes are too many";
        snprintf(doubt, size, "its bytes in its time are %.0f %% of %s: %s, or the roof is too low",
                 100 * s->of_roof.value, s->roof, s->fewer_B);
    } else if (low && s->in_memory) {
        why = "the roof is below half of what is remembered for this machine";
        snprintf(
            doubt, size,
            "a load-only run beside it drew %.0f %% of the bandwidth that is remembered for this machine "
            "(spmodel machine measure " SP_O_RENEW ")",
            100 * s->of_remembered);
    } else if (sp_value_known(s->of_model) && s->of_model.value > SP_MOST_OF_ROOF) {
        s->of_model = sp_value_none(s->fast);
    }
    if (why)
        s->of_roof = s->of_model = sp_value_none(why);
    return !unusable && (low || above);
}
