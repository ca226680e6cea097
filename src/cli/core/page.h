/* What a command's or a verb's row says for its manual page, its --help and its completion; the options
 * themselves are those that it parses. */
#ifndef SP_CLI_PAGE_H
#define SP_CLI_PAGE_H

#include <argp.h>

/* One line that works: tests/cli/examples.sh runs it as it stands, in a folder with matrix.mtx, before.json
 * and the like. */
struct sp_example {
    const char *line;  /* "spmodel info --spy matrix.mtx" */
    const char *what;  /* what it is for, without a full stop */
    const char *exits; /* codes that it may exit with, "0 5"; NULL: 0 */
};

struct sp_page {
    const struct argp *argp;           /* what it parses; NULL: a family of verbs */
    const struct sp_example *examples; /* ends with a NULL line; NULL: none */
    const char *exits;                 /* codes beside those that every command may have, "1 5"; NULL: none */
    const char *see;                   /* other pages and topics, "compare track-check formats"; NULL: none */
};

#endif
