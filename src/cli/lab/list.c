/* spmodel lab list: the labs that there are. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/lab/labs_options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = state->input;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {NULL, parse, NULL, "Lists the labs.", children, NULL, NULL};

/* True where the lab was printed already, from a folder that comes before. */
static bool seen(const struct sp_lab_directories *where, int before, const char *name)
{
    char path[1400];
    for (int i = 0; i < before; i++) {
        snprintf(path, sizeof path, "%s/%s/lab.json", where->directory[i], name);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static int print_lab(const char *folder)
{
    struct sp_lab lab;
    struct sp_error err;
    if (sp_lab_read(folder, &lab, &err) != SP_OK)
        return sp_report_error(&err);
    sp_print(stdout, "%3d  %-22s %3d min  %s\n", lab.number, lab.id, lab.minutes, lab.title);
    sp_lab_free(&lab);
    return 0;
}

static int is_lab(const struct dirent *entry)
{
    char *rest;
    strtol(entry->d_name, &rest, 10);
    return rest != entry->d_name && *rest == '-';
}

static int run(int argc, char **argv)
{
    struct sp_common_options common = {0};
    struct sp_lab_directories where;
    int code = 0, n = 0;
    sp_parse(&argp, argc, argv, &common);
    sp_lab_directories_find(&where);
    for (int i = 0; i < where.n; i++) {
        struct dirent **entry;
        const int found = scandir(where.directory[i], &entry, is_lab, alphasort);
        for (int k = 0; k < found; k++) {
            char path[1400];
            snprintf(path, sizeof path, "%s/%s", where.directory[i], entry[k]->d_name);
            if (!seen(&where, i, entry[k]->d_name)) {
                code = sp_worse_exit(code, print_lab(path));
                n++;
            }
            free(entry[k]);
        }
        if (found >= 0)
            free(entry);
    }
    if (n > 0)
        return code;
    struct sp_error err;
    sp_fail(&err, SP_ABSENT, "install spmodel, or call it from its source tree", "no labs were found");
    return sp_report_error(&err);
}

static const struct sp_example examples[] = {
    {"spmodel lab list", "numbers, minutes and titles", NULL},
    {0},
};

const struct sp_verb sp_lab_verb_list = {
    .name = "list",
    .arguments = "",
    .summary = "the labs that there are",
    .run = run,
    .page = {&argp, examples, NULL, "lab-start"},
};
