#include "track/judge/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sp_judge_wants_confirmation(const struct sp_judgement *j)
{
    return (j->verdict == SP_TRACK_REGRESSED || j->verdict == SP_TRACK_INCONCLUSIVE) &&
           (j->n_before > 0 || j->has_pinned) && j->confirmed != SP_CONFIRMED;
}

void sp_judge_hold(struct sp_judgement *j, double floor)
{
    static const double beyond_chance = 5; /* times the noise; bad sessions were seen at up to four times */
    const double rolling = fabs(log1p(j->shift.change));
    const double farthest = j->has_pinned ? fmax(rolling, fabs(log1p(j->pinned.change))) : rolling;
    if (j->verdict != SP_TRACK_REGRESSED || j->confirmed == SP_CONFIRMED || j->is_exact ||
        j->noise <= (floor > 0 ? floor : SP_SHIFT_FLOOR) || farthest > beyond_chance * j->noise)
        return;
    j->verdict = SP_TRACK_INCONCLUSIVE;
    snprintf(
        j->why, sizeof j->why,
        "it seems regressed, but in a series this noisy (%.1f %% from run to run) another session has to "
        "confirm it",
        100 * j->noise);
}

/* "a second session", and what it says: "+5.1 % by itself". */
static void say_sessions(const struct sp_judgement *alone, int n_new, char *sessions, char *change,
                         size_t size)
{
    const double c = sp_judgement_shift(alone)->change;
    if (n_new == 1)
        snprintf(sessions, size, "a second session");
    else
        snprintf(sessions, size, "%d more sessions", n_new);
    snprintf(change, size, "unknown");
    if (isfinite(c))
        snprintf(change, size, fabs(c) < 0.01 ? "%+.2f %% by %s" : "%+.1f %% by %s", 100 * c,
                 n_new == 1 ? "itself" : "themselves");
}

/* Both the sessions together and the new ones by themselves must say that it regressed. */
static void settle(const struct sp_judgement *first, const struct sp_judgement *alone, int n_new,
                   struct sp_judgement *j)
{
    char sessions[48], change[48];
    const size_t size = sizeof j->confirmation;
    say_sessions(alone, n_new, sessions, change, sizeof change);
    if (j->verdict == SP_TRACK_NOT_COMPARABLE) {
        *j = *first;
        snprintf(j->confirmation, size,
                 "cannot be confirmed: what was measured again ran in another environment");
        return;
    }
    if (j->verdict == SP_TRACK_REGRESSED && alone->verdict == SP_TRACK_REGRESSED) {
        j->confirmed = SP_CONFIRMED;
        snprintf(j->confirmation, size, "confirmed by %s (%s)", sessions, change);
        return;
    }
    if (j->verdict == SP_TRACK_REGRESSED)
        j->verdict = SP_TRACK_INCONCLUSIVE;
    if (first->verdict == SP_TRACK_REGRESSED) {
        j->confirmed = SP_NOT_CONFIRMED;
        snprintf(j->confirmation, size, "regressed was not confirmed by %s (%s)", sessions, change);
    } else {
        snprintf(j->confirmation, size, "%s%s with %s (%s)", j->verdict == first->verdict ? "still " : "",
                 sp_track_verdict_name(j->verdict), sessions, change);
    }
}

enum sp_status sp_judge_again(const struct sp_entry *const *list, int n, int n_new,
                              const struct sp_entry *const *pinned, int n_pinned,
                              const struct sp_judge_options *options, struct sp_judgement *j,
                              struct sp_error *err)
{
    const struct sp_judgement first = *j;
    struct sp_judgement alone;
    const struct sp_entry **without = calloc((size_t)n + 1, sizeof *without);
    int n_without = 0;
    if (!without)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the verdict on %d records", n);
    for (int i = 0; i < n - n_new && list[i] != first.oldest; i++)
        without[n_without++] = list[i];
    for (int i = n - n_new; i < n; i++)
        without[n_without++] = list[i];
    sp_judge(list, n, pinned, n_pinned, options, j);
    sp_judge(without, n_without, pinned, n_pinned, options, &alone);
    settle(&first, &alone, n_new, j);
    free(without);
    return SP_OK;
}

enum sp_status sp_judge_confirmed(const struct sp_entry *const *list, int n,
                                  const struct sp_entry *const *pinned, int n_pinned,
                                  const struct sp_judge_options *options, struct sp_judgement *j,
                                  struct sp_error *err)
{
    int n_new = 0;
    while (n_new < n - 1 && sp_entry_confirms(list[n - 1 - n_new], list[n - 2 - n_new]))
        n_new++;
    sp_judge(list, n - n_new, pinned, n_pinned, options, j);
    return n_new > 0 ? sp_judge_again(list, n, n_new, pinned, n_pinned, options, j, err) : SP_OK;
}
