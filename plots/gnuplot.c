#include "plots/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <features.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "io/files/part_file.h"

static const char *const term_names[SP_N_TERMS] = {"svg", "pdf", "png", "txt", "gp"};

const char *sp_term_name(enum sp_image term)
{
    return term_names[term];
}

int sp_term_from_name(const char *name)
{
    for (int i = 0; i < SP_N_TERMS; i++)
        if (strcmp(term_names[i], name) == 0)
            return i;
    return -1;
}

extern char **environ;

/* What fontconfig and the loader of libraries need where they are not in their usual places. */
static const char *const passed_on[] = {
    "HOME",          "TMPDIR",          "XDG_CACHE_HOME",  "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"};
enum { N_PASSED_ON = sizeof passed_on / sizeof *passed_on, N_FIXED = 2 };

static void close_environment(char *list[N_FIXED + N_PASSED_ON + 1])
{
    int n = 0;
    list[n++] = (char *)"PATH=/usr/local/bin:/usr/bin:/bin";
    list[n++] = (char *)"LC_ALL=C.UTF-8";
    for (int i = 0; i < N_PASSED_ON; i++) {
        const size_t length = strlen(passed_on[i]);
        for (char **e = environ; e && *e; e++)
            if (strncmp(*e, passed_on[i], length) == 0 && (*e)[length] == '=') {
                list[n++] = *e;
                break;
            }
    }
    list[n] = NULL;
}

/* All that plots consist of, beside data blocks; abbreviated commands are not listed. */
static bool is_command(const char *word)
{
    static const char *const commands[] = {"set", "unset", "plot", "print", "#"};
    const size_t length = strcspn(word, " \n;");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strlen(commands[i]) == length && memcmp(word, commands[i], length) == 0)
            return true;
    return false;
}

/* The end of the line of a comment, or of a data block that begins here; else where it is. */
static const char *skip_data(const char *p)
{
    const char *end = *p == '#' ? strchr(p, '\n') : *p == '$' ? strstr(p, "\nEOD\n") : NULL;
    return !end ? p : *p == '#' ? end : end + 4;
}

bool sp_gnuplot_is_harmless(const char *script)
{
    bool begins = true; /* a command */
    for (const char *p = script; *p; p++) {
        if (begins) {
            p = skip_data(p + strspn(p, " \n"));
            if (!*p)
                return true;
            if (*p != '\n' && !is_command(p))
                return false;
        }
        if (*p == '`' || strncmp(p, "system", 6) == 0 || strncmp(p, "output '", 8) == 0)
            return false;
        if (*p == '\'') {
            p += 1 + strcspn(p + 1, "'\n");
            if (*p != '\'')
                return false;
        }
        begins = *p == ';' || (*p == '\n' && p > script && p[-1] != '\\');
    }
    return true;
}

/* What gnuplot said, in one line: a script error names its line in the middle of several. */
static void read_words(FILE *said, char *text, size_t size)
{
    size_t n = 0;
    int c;
    rewind(said);
    while ((c = fgetc(said)) != EOF && n + 2 < size) {
        if (c < ' ')
            c = ' ';
        if (c != ' ' || (n > 0 && text[n - 1] != ' '))
            text[n++] = (char)c;
    }
    text[n] = '\0';
}

/* Reads until the other end is closed; false: out of time. */
static bool receive(int from, double end, FILE *to)
{
    char block[65536];
    for (double left; (left = end - sp_now()) > 0;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        if (poll(&ready, 1, 1 + (int)(1000 * fmin(left, 1000))) <= 0)
            continue;
        const ssize_t got = read(from, block, sizeof block);
        if (got == 0 || (got < 0 && errno != EINTR))
            return true;
        if (got > 0)
            fwrite(block, 1, (size_t)got, to);
    }
    return false;
}

/* Waits with growing pauses; false: out of time, and the process is gone. */
static bool wait_for(pid_t pid, double end, int *result)
{
    long pause_ns = 1000000;
    pid_t got;
    while ((got = waitpid(pid, result, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (sp_now() > end) {
            kill(pid, SIGKILL);
            waitpid(pid, result, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = pause_ns < 50000000 ? pause_ns * 2 : pause_ns;
    }
    return true;
}

/* The files of a run, none of which has a name. */
struct files {
    FILE *script, *said, *picture;
    int drawn[2]; /* the pipe */
};

static FILE *unnamed_file(const char *what)
{
    const int descriptor = memfd_create(what, MFD_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

static enum sp_status open_files(struct files *f, const char *script, char **picture, size_t *size,
                                 struct sp_error *err)
{
    *f =
        (struct files){unnamed_file("script"), unnamed_file("said"), open_memstream(picture, size), {-1, -1}};
    if (!f->script || !f->said || !f->picture)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a plot: %s", strerror(errno));
    if (fputs(script, f->script) < 0 || fflush(f->script) != 0 || pipe2(f->drawn, O_CLOEXEC) != 0)
        return sp_fail(err, SP_OUTPUT, NULL, "cannot hand gnuplot a script: %s", strerror(errno));
    rewind(f->script);
    return SP_OK;
}

/* The picture is whole in memory, or *picture is NULL. */
static enum sp_status close_files(struct files *f, enum sp_status status, char **picture, size_t *size,
                                  struct sp_error *err)
{
    for (int i = 0; i < 2; i++)
        if (f->drawn[i] >= 0)
            close(f->drawn[i]);
    if (f->script)
        fclose(f->script);
    if (f->said)
        fclose(f->said);
    const bool lost = f->picture && (ferror(f->picture) | (fclose(f->picture) != 0));
    if (status == SP_OK && lost)
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for a picture");
    if (status != SP_OK) {
        if (f->picture)
            free(*picture);
        *picture = NULL;
        *size = 0;
    }
    return status;
}

static int start(const char *program, const struct files *f, const sigset_t *signals, pid_t *pid)
{
    char *argv[] = {(char *)program, (char *)"--default-settings", (char *)"-", NULL};
    char *environment[N_FIXED + N_PASSED_ON + 1];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    close_environment(environment);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, signals);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(f->script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, f->drawn[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(f->said), STDERR_FILENO);
#if __GLIBC_PREREQ(2, 29)
    if (*program == '/')
        posix_spawn_file_actions_addchdir_np(&actions, "/");
#endif
    const int error = posix_spawn(pid, program, &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static enum sp_status run(const char *program, struct files *f, double timeout_s, struct sp_error *err)
{
    pid_t pid;
    int result = 0;
    char words[400];
    sigset_t before;
    sp_part_children_hold(&before);
    const int error = start(program, f, &before, &pid);
    if (!error)
        sp_part_child(pid); /* ends with this process */
    sp_part_children_release(&before);
    if (error)
        return sp_fail(err, SP_ABSENT, "install gnuplot, or draw the script (" SP_O_TERM " gp) elsewhere",
                       "cannot start %s: %s", program, strerror(error));
    close(f->drawn[1]);
    f->drawn[1] = -1;
    const double end = sp_now() + timeout_s;
    const bool in_time = receive(f->drawn[0], end, f->picture);
    const bool ended = wait_for(pid, in_time ? end : 0, &result);
    sp_part_child_ended(pid);
    if (!ended)
        return sp_fail(err, SP_OUTPUT, "try the script by hand (" SP_O_TERM " gp)",
                       "gnuplot did not finish within %.0f s", timeout_s);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
        return SP_OK;
    read_words(f->said, words, sizeof words);
    return sp_fail(err, SP_OUTPUT, "try the script by hand (" SP_O_TERM " gp)", "gnuplot failed: %s",
                   *words ? words : "it gave no reason");
}

enum sp_status sp_gnuplot_run(const char *program, const char *script, double timeout_s, char **picture,
                              size_t *size, struct sp_error *err)
{
    struct files f;
    *picture = NULL;
    *size = 0;
    if (!sp_gnuplot_is_harmless(script))
        return sp_fail(err, SP_BUG, "report it with the record", "the script of a plot would start programs");
    enum sp_status status = open_files(&f, script, picture, size, err);
    if (status == SP_OK)
        status = run(program, &f, timeout_s, err);
    return close_files(&f, status, picture, size, err);
}

/* gnuplot escapes '<' in the text between these two, so that no text contains the second one. */
#define BEFORE "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'"
#define AFTER  "')\" onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>"
#define END    "</title>"
_Static_assert(sizeof BEFORE + sizeof AFTER >= sizeof SP_SVG_VALUE + sizeof END, "in place");

void sp_svg_hover(char *svg, size_t *size)
{
    char *to = svg;
    const char *from = svg, *call;
    while ((call = strstr(from, BEFORE))) {
        const char *text = call + strlen(BEFORE), *end = strstr(text, AFTER);
        if (!end)
            break;
        memmove(to, from, (size_t)(call - from));
        to += call - from;
        memcpy(to, SP_SVG_VALUE, strlen(SP_SVG_VALUE));
        to += strlen(SP_SVG_VALUE);
        memmove(to, text, (size_t)(end - text));
        to += end - text;
        memcpy(to, END, strlen(END));
        to += strlen(END);
        from = end + strlen(AFTER);
    }
    memmove(to, from, strlen(from) + 1);
    *size = strlen(svg);
}
