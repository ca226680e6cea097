#include "lab/lab_report.h"

#include <string.h>

static void put_prediction(const struct sp_lab_verdict *v, FILE *out)
{
    fprintf(out, "| %s | %s%s%s | %s%s%s | %s%s%s%s |\n", v->text, *v->got ? v->got : "–",
            *v->unit && *v->got ? " " : "", *v->got ? v->unit : "", *v->wanted ? v->wanted : "–",
            *v->unit && *v->wanted ? " " : "", *v->wanted ? v->unit : "", sp_lab_state_name(v->state),
            *v->reason ? " (" : "", v->reason, *v->reason ? ")" : "");
}

static void put_check(const struct sp_lab_verdict *v, FILE *out)
{
    fprintf(out, "| %s | %s | %s | %s%s%s%s |\n", v->text, *v->got ? v->got : "–",
            *v->wanted ? v->wanted : "–", sp_lab_state_name(v->state), *v->reason ? " (" : "", v->reason,
            *v->reason ? ")" : "");
}

static void put_explanations(const struct sp_lab_verdicts *verdicts, FILE *out)
{
    fputs("\n## Why\n\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (*verdicts->verdict[i].because)
            fprintf(out, "- **%s** — %s\n", verdicts->verdict[i].id, verdicts->verdict[i].because);
}

static void put_runs(const struct sp_lab_results *results, FILE *out)
{
    fputs("\n## Runs\n\n| run | began | on | by | what |\n|---|---|---|---|---|\n", out);
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        const json_t *noted = json_object_get(json_object_get(results->folder->state, "runs"), r->run);
        const json_t *run = sp_lab_item(json_object_get(results->folder->lab.root, "runs"), r->run);
        const char *cpu = json_string_value(sp_lab_node(r->root, "machine.cpu")),
                   *bytes = json_string_value(sp_lab_node(r->root, "config.bytes"));
        fprintf(out, "| %s | %s | %s | %s%s | %s%s%s |\n", r->run, sp_lab_text(noted, "start"),
                cpu ? cpu : "–", bytes ? "bytes: " : "–", bytes ? bytes : "", sp_lab_text(run, "what"),
                r->skipped ? " — skipped: " : "", r->skipped ? r->skipped : "");
    }
}

void sp_lab_report(const struct sp_lab_results *results, const struct sp_lab_verdicts *verdicts, FILE *out)
{
    const struct sp_lab_folder *folder = results->folder;
    fprintf(out, "# Lab %d: %s\n\n%s%s, begun %s\n\n", folder->lab.number, folder->lab.title,
            folder->the_case.student, folder->the_case.small ? ", small matrices" : "",
            sp_lab_text(folder->state, "started"));
    for (int i = 0; i < SP_N_LAB_STATES; i++)
        fprintf(out, "%s%d %s", i ? " · " : "", verdicts->n_state[i],
                sp_lab_state_name((enum sp_lab_state)i));
    fputs("\n\n## Predictions\n\n| question | predicted | found | verdict |\n|---|---|---|---|\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (verdicts->verdict[i].is_prediction)
            put_prediction(&verdicts->verdict[i], out);
    fputs("\n## Checks of the runs\n\n| what must hold | here | should be | verdict |\n|---|---|---|---|\n",
          out);
    for (int i = 0; i < verdicts->n; i++)
        if (!verdicts->verdict[i].is_prediction)
            put_check(&verdicts->verdict[i], out);
    put_runs(results, out);
    if (sp_lab_has_run(folder))
        put_explanations(verdicts, out);
    fputs("\n## In your own words\n\n", out);
    const json_t *tasks = json_object_get(folder->lab.root, "explain");
    for (size_t i = 0; i < json_array_size(tasks); i++)
        fprintf(out, "%zu. %s\n\n   …\n\n", i + 1, json_string_value(json_array_get(tasks, i)));
}
