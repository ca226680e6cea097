/* Where --json or --csv goes: standard output, or a file that appears when all is done. */
#ifndef SP_CLI_SINK_H
#define SP_CLI_SINK_H

#include "io/files/atomic_file.h"

struct sp_sink {
    FILE *stream; /* NULL: not asked for */
    struct sp_atomic_file file;
    bool is_file;
};

/* name: NULL not asked for, "-" standard output, else a file. SP_OUTPUT where it cannot be written; SP_USAGE
 * where it is empty, where another word of the command line names that file too, or another open sink does.
 * At most 8 are open at a time. */
enum sp_status sp_sink_open(const char *name, struct sp_sink *sink, struct sp_error *err);
/* Makes the file appear, unless `code` is a failure and nothing was written; reports what fails and returns
 * the worse of `code` and its exit code. */
int sp_sink_close(struct sp_sink *sink, int code);
/* Of a name as above: it is standard output. */
bool sp_sink_is_stdout(const char *name);
/* Throws the file away. */
void sp_sink_abort(struct sp_sink *sink);

/* --csv and --json of one command. */
struct sp_sinks {
    struct sp_sink csv, json;
    bool on_stdout; /* one of them takes the place of what is for people */
};
enum sp_status sp_sinks_open(const char *csv, const char *json, struct sp_sinks *sinks, struct sp_error *err);
int sp_sinks_close(struct sp_sinks *sinks, int code);

#endif
