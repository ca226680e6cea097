#include <ctype.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/doctor/doctor.h"

/* At most this long each [s]; the names of ten thousand processes take about 0.2 s. */
static const double longest_look = 0.25;

const char *const sp_verdict_words[SP_N_FINDING_STATES] = {"works", "limited", "absent", "unknown"};

const char sp_title_bytes[] = "SOURCES OF BYTES";
const char sp_title_permissions[] = "PERMISSIONS";
const char sp_title_holders[] = "WHO MAY HOLD THE COUNTERS";
const char sp_title_gpu[] = "GPU";
const char sp_title_processor[] = "PROCESSOR";
const char sp_title_memory[] = "MEMORY";
const char sp_title_noise[] = "NOISE";
const char sp_title_around[] = "AROUND IT";

/* Ids outlive the wording of titles. */
static const char *section_id(const char *section)
{
    static const struct {
        const char *title, *id;
    } ids[] = {{sp_title_bytes, "bytes"}, {sp_title_permissions, "permission"}, {sp_title_holders, "holders"},
               {sp_title_gpu, "gpu"},     {sp_title_processor, "processor"},    {sp_title_memory, "memory"},
               {sp_title_noise, "noise"}, {sp_title_around, "around"}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i].title, section) == 0)
            return ids[i].id;
    return "other";
}

void sp_find_out(struct sp_doctor *d, const char *section, const char *name, enum sp_finding_state verdict,
                 const char *remedy, const char *format, ...)
{
    if (d->n == SP_MAX_FINDINGS)
        return;
    struct sp_finding *f = &d->finding[d->n++];
    f->section = section;
    f->name = name;
    f->verdict = verdict;
    snprintf(f->id, sizeof f->id, "%s.%s", section_id(section), name);
    for (char *p = f->id; *p; p++)
        *p = (char)(*p == ' ' ? '_' : tolower((unsigned char)*p));
    snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->what, sizeof f->what, format, arguments);
    va_end(arguments);
}

const struct sp_finding *sp_doctor_find(const struct sp_doctor *d, const char *id)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->finding[i].id, id) == 0)
            return &d->finding[i];
    return NULL;
}

void sp_doctor_watch(struct sp_doctor *d, double seconds)
{
    bool known = sp_cpu_times_read(d->root, &d->times_before);
    sp_processes_read(d->root, sp_now() + longest_look, &d->before, NULL);
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&pause, NULL);
    d->times_known = sp_cpu_times_read(d->root, &d->times_after) && known;
    sp_processes_read(d->root, sp_now() + longest_look, &d->after, NULL);
}

void sp_doctor_free(struct sp_doctor *d)
{
    sp_processes_free(&d->before);
    sp_processes_free(&d->after);
}
