/* A gate that never decides guards nothing. */
#include <stdio.h>
#include <string.h>

#include "track/judge/judge.h"

/* The records before the newest session of list[n]. */
static int before_newest_session(const struct sp_entry *const *list, int n)
{
    int first = n - 1;
    while (first > 0 && (sp_entries_share_session(list[first - 1], list[n - 1]) ||
                         sp_entry_confirms(list[first], list[first - 1])))
        first--;
    return first;
}

enum sp_status sp_judge_lose_patience(const struct sp_judged_series *s, const struct sp_judge_options *o,
                                      int patience, struct sp_judgement *j, struct sp_error *err)
{
    if (sp_track_exit_code(j->verdict) != 5)
        return SP_OK;
    int n = s->n;
    for (j->undecided = 1; j->undecided < patience; j->undecided++) {
        struct sp_judgement was;
        n = before_newest_session(s->list, n);
        if (n < 1)
            return SP_OK;
        const enum sp_status status = sp_judge(s->list, n, s->pinned, s->n_pinned, o, &was, err);
        if (status != SP_OK)
            return status;
        if (sp_track_exit_code(was.verdict) != 5)
            return SP_OK;
    }
    j->is_out_of_patience = true;
    const size_t used = strlen(j->why);
    snprintf(j->why + used, sizeof j->why - used,
             "%snothing was decided in %d session%s: this gate guards nothing", used > 0 ? "; " : "",
             j->undecided, j->undecided == 1 ? "" : "s in a row");
    return SP_OK;
}

int sp_judgement_exit_code(const struct sp_judgement *j)
{
    return j->is_out_of_patience ? 1 : sp_track_exit_code(j->verdict);
}
