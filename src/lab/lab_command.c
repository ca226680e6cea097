#include "lab/lab_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"

static enum sp_status add(struct sp_lab_command *c, const char *text, struct sp_error *err)
{
    if (c->n == SP_LAB_MOST_ARGUMENTS)
        return sp_fail(err, SP_INPUT, NULL, "a run of the lab has more than %d arguments", c->n);
    c->argument[c->n] = strdup(text);
    if (!c->argument[c->n])
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for a command");
    c->argument[++c->n] = NULL;
    return SP_OK;
}

/* {lab}/ begins or follows a colon; all other braces hold formulas. */
static enum sp_status add_filled(const struct sp_lab_folder *folder, const char *text,
                                 struct sp_lab_command *c, struct sp_error *err)
{
    static const char mark[] = "{lab}/";
    char whole[2200];
    const char *at = strstr(text, mark);
    if (at) {
        snprintf(whole, sizeof whole, "%.*s%s/%s", (int)(at - text), text, folder->lab.folder,
                 at + strlen(mark));
        return add(c, whole, err);
    }
    char *filled;
    enum sp_status status = sp_lab_fill(&folder->the_case, text, false, &filled, err);
    if (status == SP_OK)
        status = add(c, filled, err);
    free(filled);
    return status;
}

static enum sp_status add_list(const struct sp_lab_folder *folder, const json_t *list,
                               struct sp_lab_command *c, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (size_t i = 0; i < json_array_size(list) && status == SP_OK; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        status =
            text ? add_filled(folder, text, c, err)
                 : sp_fail(err, SP_INPUT, NULL, "an argument of a run of lab %s is no text", folder->lab.id);
    }
    return status;
}

static bool has(const struct sp_lab_command *c, const char *word)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->argument[i], word) == 0)
            return true;
    return false;
}

/* Samples of a small run: it is the bytes that are looked at. */
static enum sp_status add_analysis(const struct sp_lab_folder *folder, const char *machine,
                                   struct sp_lab_command *c, struct sp_error *err)
{
    static const char *const quick[] = {SP_O_BUDGET,   "60ms",        SP_O_SAMPLES, "8",
                                        SP_O_NO_PLOTS, SP_O_NO_HINTS, NULL};
    char pictures[1000];
    enum sp_status status = add(c, "-v", err); /* sheets ask for lines of the whole report */
    for (int i = 0; folder->the_case.small && quick[i] && status == SP_OK; i++)
        status = add(c, quick[i], err);
    if (status == SP_OK && machine && !has(c, SP_O_MACHINE) && !has(c, "gpu")) {
        status = add(c, SP_O_MACHINE, err);
        if (status == SP_OK)
            status = add(c, machine, err);
    }
    snprintf(pictures, sizeof pictures, "%s/pictures", folder->path);
    if (status == SP_OK)
        status = add(c, SP_O_OUT, err);
    return status == SP_OK ? add(c, pictures, err) : status;
}

enum sp_status sp_lab_command_make(const struct sp_lab_folder *folder, const json_t *run, const char *machine,
                                   struct sp_lab_command *c, struct sp_error *err)
{
    char json[1300] = SP_O_JSON "=";
    memset(c, 0, sizeof *c);
    enum sp_status status = add(c, "spmodel", err);
    if (status == SP_OK)
        status = add_list(folder, json_object_get(run, "arguments"), c, err);
    if (status == SP_OK && folder->the_case.small)
        status = add_list(folder, json_object_get(run, "small"), c, err);
    if (status == SP_OK && has(c, "analyze"))
        status = add_analysis(folder, machine, c, err);
    sp_lab_record_path(folder, sp_lab_text(run, "id"), json + strlen(json), sizeof json - strlen(json));
    if (status == SP_OK)
        status = add(c, json, err);
    if (status != SP_OK)
        sp_lab_command_free(c);
    return status;
}

void sp_lab_command_free(struct sp_lab_command *c)
{
    for (int i = 0; i < c->n; i++)
        free(c->argument[i]);
    memset(c, 0, sizeof *c);
}

char *sp_lab_command_text(const struct sp_lab_command *c, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < c->n && used < size; i++) {
        if (strncmp(c->argument[i], SP_O_JSON "=", 7) == 0)
            continue;
        if (strcmp(c->argument[i], SP_O_OUT) == 0) {
            i++;
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", c->argument[i]);
    }
    return text;
}
