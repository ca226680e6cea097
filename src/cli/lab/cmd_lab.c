#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/core/command.h"
#include "cli/lab/labs_options.h"

/* spmodel lab list: the labs that there are. */

static error_t list_parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = state->input;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child list_children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp list_argp = {NULL, list_parse, NULL, "Lists the labs.", list_children, NULL, NULL};

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
    sp_print(stdout, "%-18s %2d min  %s\n", lab.id, lab.minutes, lab.title);
    sp_lab_free(&lab);
    return 0;
}

static int is_lab(const struct dirent *entry)
{
    char *rest;
    strtol(entry->d_name, &rest, 10);
    return rest != entry->d_name && *rest == '-';
}

static int list_run(int argc, char **argv)
{
    struct sp_common_options common = {0};
    struct sp_lab_directories where;
    int code = 0, n = 0;
    sp_parse(&list_argp, argc, argv, &common);
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

static const struct sp_example list_examples[] = {
    {"spmodel lab list", "numbers, minutes and titles", NULL},
    {0},
};

const struct sp_verb sp_lab_verb_list = {
    .name = "list",
    .arguments = "",
    .summary = "the labs that there are",
    .run = list_run,
    .page = {&list_argp, list_examples, NULL, "lab-start"},
};

/* spmodel lab start: a folder with the sheet, its numbers those of the student. */

enum { KEY_STUDENT = SP_KEY_PRIVATE, KEY_SMALL };

struct start_struct_arguments {
    struct sp_lab_options lab;
    const char *student;
    bool small;
};

static const struct argp_option start_options[] = {
    {"student", KEY_STUDENT, "NAME", 0,
     "Whose lab it is: gives the sizes and seeds of the matrices (default: $USER)", 1},
    {"small", KEY_SMALL, NULL, 0,
     "Matrices of some megabytes, for a first try or a machine with little memory", 1},
    {0},
};

static error_t start_parse(int key, char *arg, struct argp_state *state)
{
    struct start_struct_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_lab_pass(state, &a->lab);
        return 0;
    case KEY_STUDENT:
        a->student = arg;
        return 0;
    case KEY_SMALL:
        a->small = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp start_argp = {
    start_options, start_parse, "N", "Begins lab N in a folder of its own.", sp_lab_children, NULL, NULL};

static void print_questions(const struct sp_lab_options *o, const struct sp_lab_folder *folder)
{
    size_t i;
    json_t *q;
    sp_print(stdout, "sheet    %s/sheet.md   (%d minutes)\npredict  spmodel lab predict %d", folder->path,
             folder->lab.minutes, folder->lab.number);
    sp_lab_print_dir(o);
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, q)
    {
        sp_print(stdout, " %s=...", sp_lab_text(q, "id"));
    }
    sp_print(stdout, "\nthen     spmodel lab run %d", folder->lab.number);
    sp_lab_print_dir(o);
    putchar('\n');
}

static int start_run(int argc, char **argv)
{
    struct start_struct_arguments a = {0};
    struct sp_lab_directories where;
    struct sp_lab lab;
    struct sp_lab_folder folder;
    struct sp_error err;
    char path[1024]; /* more than a folder may have: too long a name is noticed */
    sp_parse(&start_argp, argc, argv, &a);
    const char *user = getenv("USER");
    if (!a.student)
        a.student = user && *user ? user : "student";
    sp_lab_directories_find(&where);
    if (sp_lab_find(where.directory, where.n, a.lab.lab, &lab, &err) != SP_OK)
        return sp_report_error(&err);
    sp_lab_folder_name(&a.lab, &lab, path, sizeof path);
    enum sp_status status = sp_lab_folder_make(path, &lab, a.student, a.small, &folder, &err);
    sp_lab_free(&lab);
    if (status != SP_OK)
        return sp_report_error(&err);
    sp_print(stdout, "LAB %d    %s\nstudent  %s%s\n", folder.lab.number, folder.lab.title, a.student,
             a.small ? ", small matrices" : "");
    print_questions(&a.lab, &folder);
    sp_lab_folder_close(&folder);
    return 0;
}

static const struct sp_example start_examples[] = {
    {"spmodel lab start 1 --student 'Ada Example' --small", "the folder lab-1 with sheet.md, small matrices",
     NULL},
    {0},
};

const struct sp_verb sp_lab_verb_start = {
    .name = "start",
    .arguments = "N [--student NAME]",
    .summary = "a folder with the sheet of lab N",
    .run = start_run,
    .page = {&start_argp, start_examples, NULL, "lab-predict lab-run"},
};

/* spmodel lab: exercises. One verb a file labs_NAME.c and a row here. */

static const struct sp_verb *const verbs[] = {
    &sp_lab_verb_list,  &sp_lab_verb_start,  &sp_lab_verb_predict, &sp_lab_verb_run,
    &sp_lab_verb_check, &sp_lab_verb_report, &sp_lab_verb_grade,   NULL,
};

static const struct sp_verb_family family = {
    .name = "lab",
    .purpose = "Exercises of a course on node-level performance: predict, run, compare, explain.\n",
    .example = "One lab:\n"
               "  spmodel lab start 1 --student 'Ada Example'    read lab-1/sheet.md\n"
               "  spmodel lab predict 1                          lists its questions\n"
               "  spmodel lab predict 1 alpha=... balance=...    answers, before the run\n"
               "  spmodel lab run 1\n"
               "  spmodel lab check 1\n"
               "  spmodel lab report 1\n",
    .verb = verbs,
};

static int run(int argc, char **argv)
{
    return sp_verbs_run(&family, argc, argv);
}

extern const struct sp_command sp_cmd_lab;
const struct sp_command sp_cmd_lab = {
    .name = "lab",
    .arguments = "VERB",
    .summary = "exercises: predict, run, check, explain",
    .run = run,
    .page = {NULL, NULL, NULL, "analyze explain"},
    .family = &family,
    .is_measuring = true,
};
