#include "lab/lab_report.h"

#include "base/escape.h"
#include "base/print.h"

/* Texts of the lab are Markdown of its author; whatever comes from the folder is a student's, or a record's.
 */
static void put_words(const char *before, const char *text, FILE *out)
{
    fputs(before, out);
    sp_markdown_text(out, *text ? text : "–");
}

static void put_verdict(const struct sp_lab_verdict *v, FILE *out)
{
    char text[160];
    sp_print(out, "| %s", v->text);
    put_words(" | ", sp_lab_with_unit(v, v->got, text, sizeof text), out);
    put_words(" | ", sp_lab_with_unit(v, v->wanted, text, sizeof text), out);
    sp_print(out, "%s | %s", v->within, sp_lab_state_name(v->state));
    if (*v->reason) {
        put_words(" (", v->reason, out);
        fputc(')', out);
    }
    fputs(" |\n", out);
}

static void put_explanations(const struct sp_lab_verdicts *verdicts, FILE *out)
{
    fputs("\n## Why\n\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (*verdicts->verdict[i].because)
            sp_print(out, "- **%s** — %s\n", verdicts->verdict[i].id, verdicts->verdict[i].because);
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
        sp_print(out, "| %s", r->run);
        put_words(" | ", sp_lab_text(noted, "start"), out);
        put_words(" | ", cpu ? cpu : "", out);
        put_words(bytes ? " | bytes: " : " | ", bytes ? bytes : "", out);
        sp_print(out, " | %s", sp_lab_text(run, "what"));
        if (r->skipped)
            put_words(" — skipped: ", r->skipped, out);
        fputs(" |\n", out);
    }
}

void sp_lab_report(const struct sp_lab_results *results, const struct sp_lab_verdicts *verdicts, FILE *out)
{
    const struct sp_lab_folder *folder = results->folder;
    sp_print(out, "# Lab %d: %s\n\n", folder->lab.number, folder->lab.title);
    put_words("", folder->the_case.student, out);
    put_words(folder->the_case.small ? ", small matrices, begun " : ", begun ",
              sp_lab_text(folder->state, "started"), out);
    fputs("\n\n", out);
    for (int i = 0; i < SP_N_LAB_STATES; i++)
        sp_print(out, "%s%d %s", i ? " · " : "", verdicts->n_state[i],
                 sp_lab_state_name((enum sp_lab_state)i));
    fputs("\n\n## Predictions\n\n| question | predicted | found | verdict |\n|---|---|---|---|\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (verdicts->verdict[i].is_prediction)
            put_verdict(&verdicts->verdict[i], out);
    fputs("\n## Checks of the runs\n\n| what must hold | here | should be | verdict |\n|---|---|---|---|\n",
          out);
    for (int i = 0; i < verdicts->n; i++)
        if (!verdicts->verdict[i].is_prediction)
            put_verdict(&verdicts->verdict[i], out);
    put_runs(results, out);
    if (sp_lab_has_run(folder))
        put_explanations(verdicts, out);
    fputs("\n## In your own words\n\n", out);
    const json_t *tasks = json_object_get(folder->lab.root, "explain");
    for (size_t i = 0; i < json_array_size(tasks); i++)
        if (json_is_string(json_array_get(tasks, i)))
            sp_print(out, "%zu. %s\n\n   …\n\n", i + 1, json_string_value(json_array_get(tasks, i)));
}
