#include "cli/lab/labs_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/core/programs.h"

enum { MOST_WORDS = 40, WORD_B = 1300 };

/* A command line under construction. */
struct words {
    int n;
    char *word[MOST_WORDS + 1];
    char text[MOST_WORDS][WORD_B];
};

static void add(struct words *w, const char *before, const char *text)
{
    if (w->n == MOST_WORDS)
        return;
    snprintf(w->text[w->n], WORD_B, "%s%s", before, text);
    w->word[w->n] = w->text[w->n];
    w->word[++w->n] = NULL;
}

/* What all labs share; spmodel.h in the source tree, or where the labs were installed. */
static const char *const include_paths[] = {"../common", "../../include", "../../../../include"};

static void begin(const struct sp_lab_folder *folder, struct words *w)
{
    static const char *const flags[] = {"-std=gnu11", "-O3", "-march=native", "-fopenmp", "-fPIC", "-Wall"};
    const char *cc = getenv("CC");
    char path[1200];
    w->n = 0;
    add(w, "", cc && *cc ? cc : "cc");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        add(w, "", flags[i]);
    add(w, "-I", folder->lab.folder);
    for (size_t i = 0; i < sizeof include_paths / sizeof *include_paths; i++) {
        snprintf(path, sizeof path, "%s/%s", folder->lab.folder, include_paths[i]);
        add(w, "-I", path);
    }
}

/* In the new process: what the compiler says goes into the log, behind what is there. */
static void into_log(void *context)
{
    const int log = open(context, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
}

/* True: it ended well. */
static enum sp_status compile(const struct words *w, const char *log_path, enum sp_code_end *end,
                              struct sp_error *err)
{
    pid_t pid;
    int error;
    enum sp_status status = sp_program_start(w->word, into_log, (void *)log_path, &pid, &error, err);
    if (status != SP_OK && (error == ENOENT || error == EACCES)) {
        *end = SP_CODE_NO_COMPILER;
        return SP_OK;
    }
    if (status != SP_OK)
        return status;
    const int state = sp_own_process_wait(pid);
    *end = state != -1 && WIFEXITED(state) && WEXITSTATUS(state) == 0 ? SP_CODE_BUILT : SP_CODE_WRONG;
    return SP_OK;
}

/* The first line of the log that speaks of an error. */
static void first_error(const char *log_path, const char *code, char *why, size_t size)
{
    char line[600];
    FILE *f = fopen(log_path, "r");
    snprintf(why, size, "%s does not compile", code);
    while (f && fgets(line, sizeof line, f)) {
        const char *what = strstr(line, "error: ");
        if (what) {
            snprintf(why, size, "%s does not compile: %.*s", code, (int)strcspn(what + 7, "\n"), what + 7);
            break;
        }
    }
    if (f)
        fclose(f);
}

enum sp_status sp_lab_code_build(const struct sp_lab_folder *folder, const json_t *run, const char *log_path,
                                 enum sp_code_end *end, char *why, size_t size, struct sp_error *err)
{
    static struct words w;
    char source[1200], object[1200], library[1200], with[1200];
    const char *id = sp_lab_text(run, "id"), *code = sp_lab_text(run, "code");
    snprintf(source, sizeof source, "%s/%s", folder->path, code);
    snprintf(object, sizeof object, "%s/records/%s.traced.o", folder->path, id);
    snprintf(library, sizeof library, "%s/records/%s.so", folder->path, id);
    snprintf(with, sizeof with, "%s/%s", folder->lab.folder, sp_lab_text(run, "with"));
    if (access(source, R_OK) != 0)
        return sp_fail_at(err, SP_INPUT, source, 0, 0, "write it, or take the lab's own again", "%s",
                          strerror(errno));
    unlink(library);
    begin(folder, &w); /* once with an eye on each access, once as it is timed */
    add(&w, "", "-DLAB_TRACED");
    add(&w, "", "-c");
    add(&w, "", source);
    add(&w, "", "-o");
    add(&w, "", object);
    enum sp_status status = compile(&w, log_path, end, err);
    if (status == SP_OK && *end == SP_CODE_BUILT) {
        begin(folder, &w);
        add(&w, "", "-shared");
        add(&w, "", source);
        add(&w, "", object);
        add(&w, "", with);
        add(&w, "", "-o");
        add(&w, "", library);
        status = compile(&w, log_path, end, err);
    }
    unlink(object);
    if (status == SP_OK && *end == SP_CODE_NO_COMPILER)
        snprintf(why, size, "no C compiler: %s cannot be started", w.word[0]);
    if (status == SP_OK && *end == SP_CODE_WRONG)
        first_error(log_path, code, why, size);
    return status;
}
