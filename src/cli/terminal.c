#include "cli/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* The one thing a signal handler may touch. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    interrupted = 1;
    signal(signal_number, SIG_DFL);
}

static bool was_interrupted(void *context)
{
    (void)context;
    return interrupted != 0;
}

static void draw_bar(char *bar, int width, double done)
{
    int full = done < 0 ? 0 : (int)(done * width + 0.5);
    for (int i = 0; i < width; i++)
        bar[i] = i < full ? '=' : ' ';
    bar[width] = '\0';
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
    t->shown = true;
    if (done < 0) {
        fprintf(stderr, "\r\033[K%s ...", what);
        return;
    }
    char bar[25], left[32] = "";
    draw_bar(bar, (int)sizeof bar - 1, done > 1 ? 1 : done);
    double spent = now - t->begun;
    if (done > 0.02 && spent > 1)
        snprintf(left, sizeof left, " %.0f s left", spent * (1 - done) / done);
    fprintf(stderr, "\r\033[K%-40s [%s] %3.0f %%%s", what, bar, 100 * done, left);
}

struct sp_progress sp_terminal_open(struct sp_terminal *terminal, int verbosity)
{
    memset(terminal, 0, sizeof *terminal);
    terminal->active = verbosity >= 0 && isatty(STDERR_FILENO);
    signal(SIGINT, on_interrupt);
    return (struct sp_progress){show_step, was_interrupted, terminal};
}

void sp_terminal_clear(struct sp_terminal *terminal)
{
    if (terminal->shown)
        fputs("\r\033[K", stderr);
    terminal->shown = false;
    terminal->what[0] = '\0';
}

void sp_watch_show(void *watch, double fraction)
{
    const struct sp_watch *w = watch;
    sp_progress_step(w->progress, w->what, fraction);
}

bool sp_watch_stop(void *watch)
{
    return sp_progress_interrupted(((const struct sp_watch *)watch)->progress);
}
