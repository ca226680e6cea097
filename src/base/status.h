/* How a function says that it failed.
 *
 * Whatever can fail returns enum sp_status and takes `struct sp_error *err` last. The error is
 * filled where the fault is seen, in full sentences for a person; callers pass it on unchanged or
 * add the path. `err` may be NULL. On failure every output argument is left zeroed and owns
 * nothing. */
#ifndef SP_BASE_STATUS_H
#define SP_BASE_STATUS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of failure, with their exit codes (`spmodel help exit-codes`). */
enum sp_status {
    SP_OK = 0,
    SP_NO,          /* a check was made and the answer is no: exit 1 */
    SP_USAGE,       /* the command line asks for something that makes no sense: exit 2 */
    SP_INPUT,       /* a file or stored datum is unusable: exit 3 */
    SP_ABSENT,      /* something required is absent or not permitted: exit 4 */
    SP_MEMORY,      /* not enough memory: exit 4 */
    SP_OUTPUT,      /* an output cannot be written: exit 4 */
    SP_UNDECIDED,   /* too few, too noisy or not comparable: exit 5 */
    SP_WRONG,       /* a result differs from the reference: exit 6 */
    SP_BUG,         /* an internal promise is broken: exit 7 */
    SP_SKIPPED,     /* everything was skipped: exit 77 */
    SP_INTERRUPTED, /* the user stopped it: exit 130 */
    SP_N_STATUS
};

struct sp_error {
    enum sp_status status;
    int64_t line;     /* 1-based line of `path`, 0: none */
    int64_t column;   /* 1-based byte in that line, 0: none */
    char path[1024];  /* file concerned, "": none */
    char what[768];   /* what is wrong, no final full stop; visible (base/escape.h), one line */
    char remedy[512]; /* what the user can do, "": nothing known; the same */
};

/* Why an input cannot be read, by errno: SP_INPUT, or SP_MEMORY where memory lacked. */
static inline enum sp_status sp_input_status(int error)
{
    return error == ENOMEM ? SP_MEMORY : SP_INPUT;
}

/* Fills `err` (if not NULL) and returns `status`: `return sp_fail(err, ...)`. `remedy`: or NULL. */
enum sp_status sp_fail(struct sp_error *err, enum sp_status status, const char *remedy, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/* The same with a place in a file; line and column 0 where unknown. */
enum sp_status sp_fail_at(struct sp_error *err, enum sp_status status, const char *path, int64_t line,
                          int64_t column, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

#ifdef __clang_analyzer__ /* sees one file at a time: tell it what both return */
#define sp_fail(err, status, ...)    (sp_fail(err, status, __VA_ARGS__), status)
#define sp_fail_at(err, status, ...) (sp_fail_at(err, status, __VA_ARGS__), status)
#endif

/* Writes "PATH:LINE:COLUMN: WHAT\n  remedy: REMEDY" (the parts that are there) into text[size],
 * always terminated; it has no line end but that one, whatever the path is. */
void sp_error_text(const struct sp_error *err, char *text, size_t size);

/* The documented exit code. */
int sp_exit_code(enum sp_status status);

/* A word for a status: "usage", "input", ... */
const char *sp_status_name(enum sp_status status);

#endif
