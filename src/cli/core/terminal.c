#include "cli/core/terminal.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "cli/core/mpi_job.h"
#include "cli/core/process.h"

static bool was_interrupted(void *context)
{
    (void)context;
    return sp_process_interrupted();
}

static void draw_bar(char *bar, int width, double done)
{
    int full = done < 0 ? 0 : (int)(done * width + 0.5);
    for (int i = 0; i < width; i++)
        bar[i] = i < full ? '=' : ' ';
    bar[width] = '\0';
}

/* Back to the begin of stderr's line, which is wiped. */
static void begin_line(void)
{
    sp_terminal_code(stderr, "\r\033[K");
}

/* 0: no terminal. Open MPI gives its first rank one that has no size, and its own output may be a
 * file. */
static int columns_of(int fd)
{
    struct winsize size;
    const bool has_size = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return !isatty(fd) || (!has_size && sp_mpi_job_is_launched()) ? 0 : has_size ? size.ws_col : 80;
}

void sp_progress_line(const char *what, double done, double spent_s, int columns, char *line, size_t size)
{
    enum { WORDS = 40, BAR = 24, LONGEST = WORDS + BAR + 24 };
    const int fits = columns > 1 ? columns - 1 : 0, /* the last column wraps */
        most = fits < (int)size - 1 ? fits : (int)size - 1;
    size = (size_t)most + 1;
    char bar[BAR + 1], left[24] = "";
    done = done > 1 ? 1 : done;
    if (done < 0) {
        snprintf(line, size, "%.*s ...", most > 4 ? most - 4 : 0, what);
        return;
    }
    if (done > 0.02 && spent_s > 1)
        snprintf(left, sizeof left, " %.0f s left", fmin(spent_s * (1 - done) / done, 1e6));
    if ((int)strlen(left) + 7 > most)
        left[0] = '\0';
    draw_bar(bar, BAR, done);
    const int words = most - (int)strlen(left) - 7; /* " 100 %" and a blank */
    if (most >= LONGEST)
        snprintf(line, size, "%-*.*s [%s] %3.0f %%%s", WORDS, WORDS, what, bar, 100 * done, left);
    else
        snprintf(line, size, "%.*s %3.0f %%%s", words > 0 ? words : 0, what, 100 * done, left);
}

static void show_line(struct sp_terminal *t, const char *what, double done, double spent_s)
{
    char line[160];
    sp_progress_line(what, done, spent_s, columns_of(STDERR_FILENO), line, sizeof line);
    begin_line();
    sp_print(stderr, "%s", line);
    t->shown = true;
}

static void show_step(void *context, const char *what, double done)
{
    struct sp_terminal *t = context;
    if (!t->active)
        return;
    double now = sp_now();
    if (strncmp(t->what, what, sizeof t->what - 1) != 0) {
        snprintf(t->what, sizeof t->what, "%s", what);
        t->begun = now;
    } else if (now - t->last_drawn < 0.1) {
        return;
    }
    t->last_drawn = now;
    show_line(t, what, done, now - t->begun);
}

void sp_terminal_show(struct sp_terminal *t, const char *what)
{
    show_line(t, what, -1, 0);
}

static void remark(void *context, bool is_detail, const char *text)
{
    struct sp_terminal *t = context;
    if (t->verbosity < is_detail)
        return;
    sp_terminal_clear(t);
    sp_print(stderr, "spmodel: remark: %s\n", text);
}

struct sp_progress sp_terminal_open(struct sp_terminal *terminal, int verbosity)
{
    memset(terminal, 0, sizeof *terminal);
    terminal->verbosity = verbosity;
    terminal->active = verbosity >= 0 && columns_of(STDERR_FILENO) > 0 && !sp_terminal_is_dumb();
    sp_process_watch();
    return (struct sp_progress){show_step, was_interrupted, terminal, remark};
}

void sp_terminal_clear(struct sp_terminal *terminal)
{
    if (terminal->shown)
        begin_line();
    terminal->shown = false;
    terminal->what[0] = '\0';
}

int sp_terminal_columns(void)
{
    return columns_of(STDOUT_FILENO);
}

struct sp_report_style sp_terminal_style(const struct sp_common_options *common)
{
    const int columns = sp_terminal_columns();
    return (struct sp_report_style){.color = sp_use_color(common, columns > 0),
                                    .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
                                    .verbosity = common->verbosity,
                                    .width = columns};
}
