#include "cli/lab/labs_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/option/option_words.h"
#include "base/print.h"
#include "io/files/places.h"

enum { KEY_DIR = SP_KEY_PRIVATE + 0x300 };

static const struct argp_option options[] = {
    {"dir", KEY_DIR, "DIR", 0, "The folder of this lab (default: lab-N)", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_lab_options *o = state->input;
    switch (key) {
    case KEY_DIR:
        if (!*arg) /* its files would stand in the root of the file system */
            sp_usage_error(state, SP_O_DIR " takes the name of a folder, which is empty here");
        o->directory = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->lab)
            return ARGP_ERR_UNKNOWN;
        o->lab = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->lab)
            sp_usage_error(state, "name a lab by its number; spmodel lab list shows them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sp_lab_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
const struct argp_child sp_lab_children[] = {
    {&sp_lab_argp, 0, NULL, 0}, {&sp_common_argp, 0, "Common options:", 90}, {0}};

void sp_lab_pass(struct argp_state *state, struct sp_lab_options *o)
{
    state->child_inputs[0] = o;
    state->child_inputs[1] = &o->common;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

void sp_lab_directories_find(struct sp_lab_directories *out)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char path[SP_LAB_DIRECTORIES][1024] = {"", "", "labs"};
    memset(out, 0, sizeof *out);
    if (data && *data == '/')
        snprintf(path[0], sizeof path[0], "%s/spmodel/labs", data);
    else if (home && *home)
        snprintf(path[0], sizeof path[0], "%s/.local/share/spmodel/labs", home);
    if (!sp_data_path("labs", path[1], sizeof path[1]))
        *path[1] = '\0';
    for (int i = 0; i < SP_LAB_DIRECTORIES; i++)
        if (*path[i] && is_folder(path[i])) {
            strcpy(out->storage[out->n], path[i]);
            out->directory[out->n] = out->storage[out->n];
            out->n++;
        }
}

void sp_lab_folder_name(const struct sp_lab_options *o, const struct sp_lab *lab, char *text, size_t size)
{
    if (o->directory)
        snprintf(text, size, "%s", o->directory);
    else
        snprintf(text, size, "lab-%d", lab->number);
}

void sp_lab_print_dir(const struct sp_lab_options *o)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,+:";
    if (!o->directory)
        return;
    const bool is_plain = o->directory[strspn(o->directory, plain)] == '\0';
    sp_print(stdout, " --dir %s%s%s", is_plain ? "" : "'", o->directory, is_plain ? "" : "'");
}

enum sp_status sp_lab_open_folder(const struct sp_lab_options *o, struct sp_lab_folder *folder,
                                  struct sp_error *err)
{
    struct sp_lab_directories where;
    struct sp_lab lab;
    char path[1024]; /* more than a folder may have: too long a name is noticed */
    sp_lab_directories_find(&where);
    enum sp_status status = sp_lab_find(where.directory, where.n, o->lab, &lab, err);
    if (status != SP_OK)
        return status;
    const int number = lab.number;
    sp_lab_folder_name(o, &lab, path, sizeof path);
    sp_lab_free(&lab);
    status = sp_lab_folder_open(path, where.directory, where.n, folder, err);
    if (status == SP_OK && folder->lab.number != number) {
        status = sp_fail_at(err, SP_USAGE, path, 0, 0, "name that lab, or another folder with --dir",
                            "this is the folder of lab %d", folder->lab.number);
        sp_lab_folder_close(folder);
    }
    return status;
}
