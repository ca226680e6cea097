/* The terminal: a progress line with the expected end, and Ctrl-C. */
#ifndef SP_CLI_TERMINAL_H
#define SP_CLI_TERMINAL_H

#include <stdbool.h>

#include "base/progress.h"
#include "cli/core/options.h"
#include "report/text/pen.h"

struct sp_terminal {
    bool shown;  /* a progress line stands on stderr */
    bool active; /* stderr is a terminal that can wipe a line, and -q was not given */
    int verbosity;
    double begun; /* of the current step */
    double last_drawn;
    char what[96];
};

/* From now on the first Ctrl-C asks for an orderly end (process.h). Returns the progress interface;
 * the terminal must outlive it. */
struct sp_progress sp_terminal_open(struct sp_terminal *terminal, int verbosity);
/* `what` as the progress line, in place of the one before, cut where the terminal ends. */
void sp_terminal_show(struct sp_terminal *terminal, const char *what);
/* The progress line after spent_s seconds of a step that is `done` (0 ... 1, below 0: unknown), in
 * fewer than `columns` columns: never above 100 %, never a negative rest. */
void sp_progress_line(const char *what, double done, double spent_s, int columns, char *line, size_t size);
/* Wipes the progress line; call before printing anything. */
void sp_terminal_clear(struct sp_terminal *terminal);

/* Of standard output; 0: it is no terminal, or an MPI launcher's. */
int sp_terminal_columns(void);

/* How standard output takes a report: colours, letters and width of a terminal. */
struct sp_report_style sp_terminal_style(const struct sp_common_options *common);

#endif
