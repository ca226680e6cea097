/* What the verbs of `spmodel lab` share. */
#ifndef SP_CLI_LABS_OPTIONS_H
#define SP_CLI_LABS_OPTIONS_H

#include "cli/core/command.h"
#include "cli/core/options.h"
#include "lab/lab_folder.h"

/* A verb of `spmodel lab`: one row in cmd_lab.c. argv[0] is "spmodel lab NAME". */
extern const struct sp_verb sp_lab_verb_list, sp_lab_verb_start, sp_lab_verb_predict, sp_lab_verb_run,
    sp_lab_verb_check, sp_lab_verb_report, sp_lab_verb_grade;

struct sp_lab_options {
    struct sp_common_options common;
    const char *lab;       /* N, the first argument; NULL: none was given */
    const char *directory; /* --dir; NULL: lab-N */
};

/* Child parser for `N` and --dir; its input is a struct sp_lab_options. Further arguments are
 * refused, but for verbs that take them themselves. */
extern const struct argp sp_lab_argp;
/* Children of a verb that takes it and the common options, none of which write files. */
extern const struct argp_child sp_lab_children[];
/* In ARGP_KEY_INIT of a verb with these children, or with sp_lab_argp before another of
 * sp_common_*_argp: where both put what they read. */
void sp_lab_pass(struct argp_state *state, struct sp_lab_options *options);

/* Where labs lie: the user's, the program's (cli/core/process.h), ./labs; those that exist. The
 * current folder may be anybody's: it adds labs and replaces none. */
enum { SP_LAB_DIRECTORIES = 3 };
struct sp_lab_directories {
    int n;
    const char *directory[SP_LAB_DIRECTORIES]; /* into storage */
    char storage[SP_LAB_DIRECTORIES][1024];
};
void sp_lab_directories_find(struct sp_lab_directories *out);

/* Finds the lab, and the folder of the options. */
enum sp_status sp_lab_open_folder(const struct sp_lab_options *options, struct sp_lab_folder *folder,
                                  struct sp_error *err);
/* The folder's name that is meant: --dir, or lab-N. */
void sp_lab_folder_name(const struct sp_lab_options *options, const struct sp_lab *lab, char *text,
                        size_t size);
/* " --dir DIR", to stand behind a command that is printed; nothing without the option. */
void sp_lab_print_dir(const struct sp_lab_options *options);

#endif
