#include "probes/helper_counter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "probes/helper/helper.h"
#include "probes/helper_process.h"
#include "sys/counters/counters.h"
#include "sys/machine/topology.h"
#include "sys/processes.h"

/* Time limits: LIKWID takes a second to find out that it may not count. */
#define LOOK_S  2.0
#define OPEN_S  8.0
#define COUNT_S 5.0

struct helper_counter {
    struct sp_helper helper;
    struct sp_count_log *log; /* while it is opened */
    struct sp_count *count;   /* while it is stopped */
    int n_events;
    struct sp_error trouble; /* of taking an answer apart */
    enum sp_status status;
};

static void take_event(struct helper_counter *c, const char *text)
{
    struct sp_count_event e = {.bits = 64};
    char direction[16] = "";
    int used = 0;
    int n = sscanf(text, "%d %d %d %7s %15s %lf %n", &e.pass, &e.domain, &e.channel, e.level, direction,
                   &e.B_per_count, &used);
    int way = sp_direction_from_name(direction);
    if (c->status != SP_OK || n < 6 || way < 0 || e.pass < 0 || e.pass > 63 || e.domain < 0 ||
        !(e.B_per_count > 0))
        return;
    e.direction = (enum sp_direction)way;
    snprintf(e.name, sizeof e.name, "%s", text + used);
    c->status = sp_count_log_add_event(c->log, &e, &c->trouble);
    c->n_events++;
}

static void take_count(struct helper_counter *c, const char *text)
{
    int event;
    char value[48];
    double seconds, running;
    if (sscanf(text, "%d %47s %lf %lf", &event, value, &seconds, &running) == 4 && event >= 0 &&
        event < c->n_events)
        c->count[event] = (struct sp_count){0, strtod(value, NULL), seconds, running};
}

static void take_line(void *context, const char *line)
{
    struct helper_counter *c = context;
    if (strncmp(line, "event ", 6) == 0 && c->log)
        take_event(c, line + 6);
    else if (strncmp(line, "count ", 6) == 0 && c->count)
        take_count(c, line + 6);
    else if (strncmp(line, "how ", 4) == 0 && c->log)
        snprintf(c->log->how, sizeof c->log->how, "%s", line + 4);
}

/* "CPU:SOCKET,..." of one hardware thread a core. */
static enum sp_status list_cpus(char *text, size_t size, struct sp_error *err)
{
    struct sp_topology t;
    enum sp_status status = sp_topology_read(&t, err);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; status == SP_OK && i < t.n_cpus && used + 32 < size; i++)
        if (t.cpu[i].smt == 0 && t.cpu[i].allowed)
            used += (size_t)snprintf(text + used, size - used, "%s%d:%d", used ? "," : "", t.cpu[i].os,
                                     t.cpu[i].package);
    if (status == SP_OK)
        sp_topology_free(&t);
    return status;
}

void sp_helper_counter_close(void *state)
{
    struct helper_counter *c = state;
    if (!c)
        return;
    sp_helper_stop(&c->helper);
    free(c);
}

enum sp_status sp_helper_counter_open(const struct sp_counter *self, const char *argument, void **state,
                                      struct sp_count_log *log, struct sp_error *err)
{
    const char *library = self->name;
    void *memory, *text = NULL;
    const size_t size = 65536;
    *state = NULL;
    if (argument && strpbrk(argument, " \n\t"))
        return sp_fail(err, SP_USAGE, NULL, "%s has no mode '%s'", library, argument);
    enum sp_status status = sp_new_array(1, sizeof(struct helper_counter), "the helper", &memory, err);
    if (status != SP_OK)
        return status;
    struct helper_counter *c = *state = memory;
    char *cpus = NULL;
    status = sp_new_array((int64_t)size, 1, "a list of processors", &text, err);
    if (status == SP_OK) {
        cpus = text;
        int used = snprintf(cpus, size, "open %s ", argument ? argument : "-");
        status = list_cpus(cpus + used, size - (size_t)used, err);
    }
    if (status == SP_OK)
        status = sp_helper_start(library, &c->helper, err);
    c->log = log;
    if (status == SP_OK)
        status = sp_helper_ask(&c->helper, OPEN_S, cpus, take_line, c, err);
    c->log = NULL;
    free(text);
    if (status == SP_OK && c->status != SP_OK) {
        status = c->status;
        if (err)
            *err = c->trouble;
    }
    if (status != SP_OK) {
        sp_helper_counter_close(c);
        *state = NULL;
    }
    return status;
}

/* The threads of this process, for events that belong to threads. */
static void list_threads(char *text, size_t size)
{
    int thread[SP_HELPER_MAX_THREADS];
    int n = sp_process_threads(thread, SP_HELPER_MAX_THREADS);
    size_t used = 0;
    text[0] = '\0';
    for (int t = 0; t < n && used + 16 < size; t++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", thread[t]);
}

enum sp_status sp_helper_counter_start(void *state, int pass, struct sp_error *err)
{
    struct helper_counter *c = state;
    char line[8192];
    int used = snprintf(line, sizeof line, "start %d ", pass);
    list_threads(line + used, sizeof line - (size_t)used);
    return sp_helper_ask(&c->helper, COUNT_S, line, NULL, NULL, err);
}

enum sp_status sp_helper_counter_stop(void *state, struct sp_count *count, struct sp_error *err)
{
    struct helper_counter *c = state;
    c->count = count;
    enum sp_status status = sp_helper_ask(&c->helper, COUNT_S, "stop", take_line, c, err);
    c->count = NULL;
    return status;
}

enum sp_status sp_helper_counter_available(const char *library, struct sp_error *err)
{
    return sp_helper_counter_look(library, LOOK_S, err);
}

enum sp_status sp_helper_counter_look(const char *library, double limit_s, struct sp_error *err)
{
    struct sp_helper helper;
    enum sp_status status = sp_helper_start(library, &helper, err);
    if (status != SP_OK)
        return status;
    status = sp_helper_ask(&helper, limit_s, "look", NULL, NULL, err);
    sp_helper_stop(&helper);
    struct sp_counters here;
    sp_counters_read("", &here);
    bool none = !here.core && here.error != EACCES && here.error != EPERM;
    if (status == SP_OK && none && !sp_helper_library(library))
        return sp_fail(err, SP_ABSENT, sp_counters_remedy(&here), "%s", sp_counters_reason(&here));
    return status;
}

enum sp_status sp_helper_counter_try(const char *library, double limit_s, struct sp_error *err)
{
    struct sp_helper helper;
    enum sp_status status = sp_helper_start(library, &helper, err);
    if (status == SP_OK)
        status = sp_helper_ask(&helper, limit_s, "open - 0:0", NULL, NULL, err);
    sp_helper_stop(&helper);
    return status;
}

/* LIKWID's performance groups know the events and formulas of each machine. The library is in the
 * helper: it forks, prints, exits and hangs (probes/helper/helper_likwid.c).
 * likwid[:direct|daemon|perf] names the access mode; without it LIKWID's own configuration does. */

const struct sp_counter sp_likwid_counter = {.name = "likwid",
                                             .open = sp_helper_counter_open,
                                             .start = sp_helper_counter_start,
                                             .stop = sp_helper_counter_stop,
                                             .close = sp_helper_counter_close};

static enum sp_status likwid_available(struct sp_error *err)
{
    return sp_helper_counter_available("likwid", err);
}

static enum sp_status open_likwid(const char *argument, void **session, struct sp_error *err)
{
    return sp_counting_open(&sp_likwid_counter, argument, session, err);
}

const struct sp_probe sp_probe_likwid = {
    .name = "likwid",
    .summary = "LIKWID: its performance groups for memory, L3 and L2, in a process of its own",
    .gives_bytes = true,
    .counts = true,
    .available = likwid_available,
    .open = open_likwid,
    .observe = sp_counting_observe,
    .log = sp_counting_log,
    .close = sp_counting_close,
};
