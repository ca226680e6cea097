/* spmodel lab start: a folder with the sheet, its numbers those of the student. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/lab/labs_options.h"

enum { KEY_STUDENT = SP_KEY_PRIVATE, KEY_SMALL };

struct arguments {
    struct sp_lab_options lab;
    const char *student;
    bool small;
};

static const struct argp_option options[] = {
    {"student", KEY_STUDENT, "NAME", 0,
     "Whose lab it is: gives the sizes and seeds of the matrices (default: $USER)", 1},
    {"small", KEY_SMALL, NULL, 0,
     "Matrices of some megabytes, for a first try or a machine with little memory", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
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

static const struct argp argp = {options,         parse, "N", "Begins lab N in a folder of its own.",
                                 sp_lab_children, NULL,  NULL};

static void print_questions(const struct sp_lab_folder *folder)
{
    size_t i;
    json_t *q;
    sp_print(stdout, "sheet    %s/sheet.md   (%d minutes)\npredict  spmodel lab predict %d", folder->path,
             folder->lab.minutes, folder->lab.number);
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, q)
    {
        sp_print(stdout, " %s=...", sp_lab_text(q, "id"));
    }
    sp_print(stdout, "\nthen     spmodel lab run %d\n", folder->lab.number);
}

static int run(int argc, char **argv)
{
    struct arguments a = {0};
    struct sp_lab_directories where;
    struct sp_lab lab;
    struct sp_lab_folder folder;
    struct sp_error err;
    char path[1024]; /* more than a folder may have: too long a name is noticed */
    sp_parse(&argp, argc, argv, &a);
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
    print_questions(&folder);
    sp_lab_folder_close(&folder);
    return 0;
}

static const struct sp_example examples[] = {
    {"spmodel lab start 1 --student 'Ada Example' --small", "the folder lab-1 with sheet.md, small matrices",
     NULL},
    {0},
};

const struct sp_verb sp_lab_verb_start = {
    .name = "start",
    .arguments = "N [--student NAME]",
    .summary = "a folder with the sheet of lab N",
    .run = run,
    .page = {&argp, examples, NULL, "lab-predict lab-run"},
};
