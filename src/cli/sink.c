#include "cli/sink.h"

#include <string.h>

#include "cli/command.h"
#include "cli/options.h"

enum sp_status sp_sink_open(const char *name, struct sp_sink *sink, struct sp_error *err)
{
    memset(sink, 0, sizeof *sink);
    if (!name)
        return SP_OK;
    if (*name == '\0' || strcmp(name, "-") == 0) {
        sink->stream = stdout;
        return SP_OK;
    }
    enum sp_status status = sp_atomic_open(name, &sink->file, err);
    if (status == SP_OK) {
        sink->is_file = true;
        sink->stream = sink->file.stream;
    }
    return status;
}

int sp_sink_close(struct sp_sink *sink, int code)
{
    struct sp_error err;
    if (code != 0 && sink->is_file && ftell(sink->stream) == 0) { /* a failure has left nothing to say */
        sp_sink_abort(sink);
        return code;
    }
    if (sink->is_file && sp_atomic_commit(&sink->file, &err) != SP_OK)
        code = sp_worse_exit(code, sp_report_error(&err));
    memset(sink, 0, sizeof *sink);
    return code;
}

void sp_sink_abort(struct sp_sink *sink)
{
    if (sink->is_file)
        sp_atomic_abort(&sink->file);
    memset(sink, 0, sizeof *sink);
}

enum sp_status sp_sinks_open(const char *csv, const char *json, struct sp_sinks *sinks, struct sp_error *err)
{
    memset(sinks, 0, sizeof *sinks);
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
