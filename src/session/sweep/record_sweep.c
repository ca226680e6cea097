/* A sweep as a record: what it ran on, and every point with its fate. */
#include <math.h>
#include <string.h>

#include "session/record/parts.h"
#include "session/sweep/record_sweep.h"

static json_t *point_json(const struct sp_sweep_point *p)
{
    static const char *const fates[] = {"measured",     "disturbed",  "cannot be faster",
                                        "no time left", "impossible", "failed"};
    json_t *item = json_object();
    sp_json_change(item, &p->variant.change);
    json_object_set_new(item, "fate", json_string(fates[p->fate]));
    json_object_set_new(item, "bound_s", p->bound_s > 0 ? json_real(p->bound_s) : json_null());
    if (p->fate == SP_SWEEP_DISTURBED || p->fate == SP_SWEEP_IMPOSSIBLE || p->fate == SP_SWEEP_FAILED)
        json_object_set_new(item, "why", json_string(p->trial.error.what));
    if (p->fate != SP_SWEEP_MEASURED)
        return item;
    json_object_set_new(item, "gain", sp_record_value_json(p->trial.gain, "1"));
    json_object_set_new(item, "tied", json_boolean(p->tied));
    json_object_set_new(item, "trial", sp_json_trial(&p->variant, &p->trial));
    return item;
}

void sp_record_sweep(struct sp_record *r, const struct sp_subject *subject,
                     const struct sp_analyze_options *o, const struct sp_sweep *sweep, double budget_s)
{
    char command[400];
    sp_record_subject(r, subject);
    sp_record_machine(r, o->machine);
    if (o->command)
        sp_record_set_text(r, "command", o->command);
    sp_record_set_count(r, "sweep.combinations", sweep->n_combinations);
    sp_record_set_number(r, "sweep.budget_s", budget_s);
    sp_record_set_number(r, "sweep.cost_s", sweep->cost_s);
    sp_record_set_value(r, "sweep.base_time", sweep->base_time, "s");
    sp_record_set_object(r, "sweep.points", json_array());
    for (int i = 0; i < sweep->n; i++)
        sp_record_append(r, "sweep.points", point_json(&sweep->point[i]));
    sp_record_conditions(r, &sweep->conditions,
                         sweep->conditions.state == SP_UNUSABLE ? "no point has an undisturbed sample" : "");
    if (sweep->best >= 0)
        sp_record_set_text(r, "sweep.best_command",
                           sp_change_command(subject->argument, &sweep->run_options,
                                             &sweep->point[sweep->best].variant.change, command,
                                             sizeof command));
}
