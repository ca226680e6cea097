#include "cli/core/sink.h"

#include <stdlib.h>
#include <string.h>

#include "base/guarded_stream.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/words.h"

/* Files that are being written and have not appeared yet: two results must not share one. */
static char *opened[8];
enum { N_OPENED = sizeof opened / sizeof *opened };

/* The place of a name among them; of NULL: a free one. -1: none. */
static int place_of(const char *path)
{
    for (int i = 0; i < N_OPENED; i++)
        if (path ? opened[i] && strcmp(opened[i], path) == 0 : !opened[i])
            return i;
    return -1;
}

static void forget(const struct sp_sink *sink)
{
    const int place = sink->is_file ? place_of(sink->file.path) : -1;
    if (place >= 0) {
        free(opened[place]);
        opened[place] = NULL;
    }
}

static enum sp_status open_file(const char *name, struct sp_sink *sink, struct sp_error *err)
{
    enum sp_status status = sp_words_refuse(name, err);
    if (status == SP_OK)
        status = sp_atomic_open(name, &sink->file, err);
    if (status != SP_OK)
        return status;
    if (sink->file.part[0] && place_of(sink->file.path) >= 0) {
        sp_atomic_abort(&sink->file);
        return sp_fail_at(err, SP_USAGE, name, 0, 0, "give each result a file of its own",
                          "two results would replace each other here");
    }
    const int place = place_of(NULL);
    if (place >= 0)
        opened[place] = strdup(sink->file.path);
    sink->is_file = true;
    sink->stream = sink->file.stream;
    return SP_OK;
}

bool sp_sink_is_stdout(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

enum sp_status sp_sink_open(const char *name, struct sp_sink *sink, struct sp_error *err)
{
    memset(sink, 0, sizeof *sink);
    if (!name)
        return SP_OK;
    if (!sp_sink_is_stdout(name))
        return open_file(name, sink, err);
    sink->stream = stdout;
    sp_guard_as_data(stdout);
    return SP_OK;
}

int sp_sink_close(struct sp_sink *sink, int code)
{
    struct sp_error err;
    if (code != 0 && sink->is_file && ftell(sink->stream) == 0) { /* a failure has left nothing to say */
        sp_sink_abort(sink);
        return code;
    }
    forget(sink);
    if (sink->is_file && sp_atomic_commit(&sink->file, &err) != SP_OK)
        code = sp_worse_exit(code, sp_report_error(&err));
    memset(sink, 0, sizeof *sink);
    return code;
}

void sp_sink_abort(struct sp_sink *sink)
{
    forget(sink);
    if (sink->is_file)
        sp_atomic_abort(&sink->file);
    memset(sink, 0, sizeof *sink);
}

enum sp_status sp_sinks_open(const char *csv, const char *json, struct sp_sinks *sinks, struct sp_error *err)
{
    memset(sinks, 0, sizeof *sinks);
    if (sp_sink_is_stdout(csv) && sp_sink_is_stdout(json))
        return sp_fail(err, SP_USAGE, "give one of them a file: --csv=FILE",
                       "--json and --csv both go to standard output");
    enum sp_status status = sp_sink_open(csv, &sinks->csv, err);
    if (status == SP_OK)
        status = sp_sink_open(json, &sinks->json, err);
    if (status != SP_OK)
        sp_sink_abort(&sinks->csv);
    sinks->on_stdout = sinks->csv.stream == stdout || sinks->json.stream == stdout;
    return status;
}

int sp_sinks_close(struct sp_sinks *sinks, int code)
{
    return sp_sink_close(&sinks->json, sp_sink_close(&sinks->csv, code));
}
