#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/doctor/doctor.h"

enum { KEY_REQUIRE = SP_KEY_PRIVATE };

/* Between the two looks at who computes [s]: a clock tick is 0.01 s. */
static const double watched = 0.2;

static int check_required(const struct sp_doctor *d)
{
    int code = 0;
    for (const char *p = d->require; p && *p;) {
        char because[512];
        size_t length = strcspn(p, ",");
        if (!sp_require_satisfied(d, p, length, because, sizeof because)) {
            sp_print(stderr, "spmodel: error: required, but not here: %.*s (%s)\n  remedy: spmodel doctor\n",
                     (int)length, p, because);
            code = sp_exit_code(SP_ABSENT);
        }
        p += length + (p[length] == ',');
    }
    return code;
}

static const struct argp_option options[] = {
    {"require", KEY_REQUIRE, "LIST", 0,
     "Exit with 4 unless all of these are so: bytes (counted), gpu, profiling (of it), opencl (a device), "
     "pin, huge (pages), quiet (nothing disturbs), alone (nobody else holds the counters), plots",
     0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_doctor *d = state->input;
    char wrong[64];
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &d->common;
        return 0;
    case KEY_REQUIRE:
        if (!sp_require_known(arg, wrong, sizeof wrong))
            sp_usage_error(state, "--require does not know '%s'; it knows %s", wrong, sp_require_words);
        d->require = arg;
        return 0;
    case ARGP_KEY_ARG:
        sp_usage_error(state, "doctor takes no argument: '%s'", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* In the order of a reader's needs. Watching comes first, while this process has not worked. */
static enum sp_status examine(struct sp_doctor *d, struct sp_error *err)
{
    struct sp_topology topology;
    enum sp_status status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    sp_doctor_watch(d, watched);
    sp_doctor_bytes(d);
    sp_doctor_permissions(d);
    sp_doctor_holders(d, &topology);
    sp_doctor_gpu(d);
    sp_doctor_gpu_kernels(d);
    sp_doctor_processor(d, &topology);
    sp_doctor_memory(d);
    sp_doctor_noise(d, &topology);
    sp_doctor_around(d);
    sp_topology_free(&topology);
    return SP_OK;
}

static int print_text(const struct sp_doctor *d)
{
    const struct sp_report_style style = sp_terminal_style(&d->common);
    sp_doctor_text(d, &style, stdout);
    return 0;
}

/* With a file, the text is printed too. */
static int print_json(const struct sp_doctor *d, struct sp_sink *sink)
{
    struct sp_error err;
    if (sp_doctor_json(d, sink->stream, &err) != SP_OK) {
        sp_sink_abort(sink);
        return sp_report_error(&err);
    }
    return sp_sink_close(sink, 0);
}

static const struct argp_child children[] = {{&sp_common_json_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "",
    .doc = "What works on this machine, what does not and why, and what an administrator would type; who "
           "else may hold the counters; what makes times differ from run to run.\v"
           "-q prints only what does not work, -v the stable ids instead of names. Takes 2 s at most; what "
           "could not be looked at in that time is said.",
    .children = children};

static int run(int argc, char **argv)
{
    struct sp_doctor d = {.root = "", .look = getenv, .self = getpid(), .uid = geteuid(), .begun = sp_now()};
    struct sp_sink json;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &d);
    if (sp_sink_open(d.common.json, &json, &err) != SP_OK)
        return sp_report_error(&err);
    if (examine(&d, &err) != SP_OK) {
        sp_sink_abort(&json);
        return sp_report_error(&err);
    }
    int code = 0;
    if (!d.common.json || json.is_file)
        code = print_text(&d);
    if (d.common.json)
        code = sp_worse_exit(code, print_json(&d, &json));
    code = sp_worse_exit(code, check_required(&d));
    sp_doctor_free(&d);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel doctor", "what works here, why not, and what would help", NULL},
    {"spmodel doctor --require pin,quiet", "exit code 4 unless threads can be pinned and nothing disturbs",
     "0 4"},
    {0},
};

const struct sp_command sp_cmd_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "what works here, why not, and what would help",
    .run = run,
    .page = {&argp, examples, NULL, "machine counters"},
};
