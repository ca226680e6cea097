#include "cli/analyze/measure_again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/core/process.h"
#include "io/record/record.h"
#include "io/record/record_request.h"
#include "session/record/parts.h"
#include "sp_config.h"
#include "sys/machine/identity.h"
#include "track/store/store.h"

/* The first fact about where it ran that is another here. */
static enum sp_status check_machine(const struct sp_record *r, struct sp_error *err)
{
    struct sp_topology topology;
    struct sp_identity here;
    const json_t *there = sp_record_node(r, SP_F_ENV_IDENTITY);
    enum sp_status status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    sp_identity_read("", &topology, &here);
    sp_topology_free(&topology);
    for (int i = 0; i < here.n; i++) {
        const char *was = sp_item_text(there, here.fact[i].name);
        if (!was || strcmp(was, here.fact[i].value) != 0)
            return sp_fail(err, SP_ABSENT, NULL, "this is not the machine it ran on: %s is %s, was %s",
                           here.fact[i].name, here.fact[i].value, was ? was : "not recorded");
    }
    return SP_OK;
}

static enum sp_status check_program(const struct sp_record *r, struct sp_error *err)
{
    const char *version = sp_words_text(r, SP_F_TOOL_VERSION, "?"),
               *git = sp_words_text(r, SP_F_TOOL_GIT, "?");
    if (strcmp(version, SP_VERSION) == 0 && strcmp(git, SP_GIT_VERSION) == 0)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL, "it was measured by spmodel %s (%s), this is %s (%s)", version, git,
                   SP_VERSION, SP_GIT_VERSION);
}

static enum sp_status check_matrix(const struct sp_record *r, struct sp_error *err)
{
    bool anonymous = false;
    const char *path = sp_words_text(r, SP_F_PROBLEM_PATH, "");
    if (sp_record_flag(r, SP_F_ANONYMOUS, &anonymous) && anonymous && strncmp(path, "gen:", 4) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "the record is anonymous: it does not say which matrix");
    if (!*path || strcmp(path, "-") == 0)
        return sp_fail(err, SP_ABSENT, NULL, "its matrix came by standard input");
    if (strncmp(path, "gen:", 4) != 0 && access(path, R_OK) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "its matrix '%s' is not here (seen from this folder)", path);
    return SP_OK;
}

/* What is measured here and now is of this commit. */
static enum sp_status check_commit(const struct sp_record *r, struct sp_error *err)
{
    const char *variable, *here = sp_source_commit(&variable),
                          *was = sp_words_text(r, SP_F_SOURCE_COMMIT, "");
    const size_t n_here = here ? strlen(here) : 0, n_was = strlen(was);
    /* One may be the other, abbreviated. */
    if (!here || (n_was > 0 && strncmp(here, was, n_here < n_was ? n_here : n_was) == 0))
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL, "it was measured at %s, and %s says %s",
                   *was ? was : "no named commit", variable, here);
}

enum sp_status sp_can_measure_again(const struct sp_record *r, bool on_any, struct sp_error *err)
{
    struct sp_arguments unused = {0};
    enum sp_status status = sp_record_request_arguments(r, "", &unused, err);
    sp_arguments_free(&unused);
    if (status == SP_OK)
        status = check_matrix(r, err);
    if (status == SP_OK)
        status = check_program(r, err);
    if (status == SP_OK)
        status = check_commit(r, err);
    if (status == SP_OK && !on_any)
        status = check_machine(r, err);
    return status;
}

/* As the record's source, nothing on standard output. */
static enum sp_status run_program(const struct sp_arguments *a, const struct sp_record *r,
                                  const struct sp_progress *progress, struct sp_error *err)
{
    struct sp_own_variable set[3] = {{NULL, NULL}};
    const struct sp_own_process what = {.word = a->word, .out = "/dev/null", .set = set};
    const char *commit = sp_words_text(r, SP_F_SOURCE_COMMIT, ""),
               *branch = sp_words_text(r, SP_F_SOURCE_BRANCH, "");
    int state, n = 0;
    pid_t child;
    if (*commit)
        set[n++] = (struct sp_own_variable){"SPMODEL_COMMIT", commit};
    if (*branch)
        set[n++] = (struct sp_own_variable){"SPMODEL_BRANCH", branch};
    const enum sp_status status = sp_own_process_start(&what, &child, err);
    if (status != SP_OK)
        return status;
    state = sp_own_process_wait(child);
    if (sp_progress_interrupted(progress)) /* Ctrl-C ends the child too */
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while measuring again");
    if (state != -1 && WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL, "measuring it again failed (exit code %d)",
                   WIFEXITED(state) ? WEXITSTATUS(state) : -1);
}

/* The one record that the program left; it says which it confirms. */
static enum sp_status take(const struct sp_record *of, const char *folder, struct sp_record *again,
                           char path[4096], struct sp_error *err)
{
    struct sp_record_paths paths = {0};
    enum sp_status status = sp_record_paths_add(&paths, folder, err);
    if (status == SP_OK && paths.n != 1)
        status = sp_fail(err, SP_ABSENT, NULL, "measuring it again left %d records", paths.n);
    if (status == SP_OK) {
        snprintf(path, 4096, "%s", paths.path[0]);
        status = sp_record_read(path, again, err);
    }
    if (status == SP_OK) {
        sp_record_set_text(again, SP_F_CONFIRMS, sp_words_text(of, SP_F_ID, ""));
        status = sp_record_write(again, path, err);
    }
    sp_record_paths_free(&paths);
    return status;
}

enum sp_status sp_measure_again(const struct sp_record *r, const char *folder,
                                const struct sp_progress *progress, int verbosity, struct sp_record *again,
                                char path[4096], struct sp_error *err)
{
    static const char *const ours[] = {"-q", "--no-hints", "--no-plots", "--out"};
    struct sp_arguments a = {0};
    char text[2000];
    sp_arguments_add(&a, "spmodel");
    enum sp_status status = sp_record_request_arguments(r, sp_words_text(r, SP_F_PROBLEM_PATH, ""), &a, err);
    if (status == SP_OK && verbosity >= 0)
        sp_print(stderr, "measuring again: %s\n", sp_arguments_text(&a, text, sizeof text));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        sp_arguments_add(&a, ours[i]);
    sp_arguments_add(&a, folder);
    if (status == SP_OK && a.n > SP_MOST_ARGUMENTS)
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for a command line");
    if (status == SP_OK)
        status = run_program(&a, r, progress, err);
    if (status == SP_OK)
        status = take(r, folder, again, path, err);
    sp_arguments_free(&a);
    return status;
}

const char *sp_commit_of_now(void)
{
    const char *variable;
    return sp_source_commit(&variable);
}
