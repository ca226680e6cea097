#include <string.h>

#include "cli/doctor/doctor.h"
#include "probes/probe.h"

const char sp_require_words[] = "bytes, gpu, profiling, pin, huge, quiet, alone, plots";

/* Words that stand for one finding that must work. */
static const struct {
    const char *word, *id;
} single[] = {{"profiling", "gpu.profiling"},
              {"pin", "processor.pin"},
              {"huge", "memory.huge_pages"},
              {"plots", "around.gnuplot"}};

static bool is(const char *word, size_t length, const char *known)
{
    return strlen(known) == length && strncmp(word, known, length) == 0;
}

bool sp_require_known(const char *list, char *wrong, size_t size)
{
    static const char separators[] = ", ";
    for (const char *p = list;; p++) {
        size_t length = strcspn(p, ",");
        bool found = false;
        for (const char *w = sp_require_words; *w && !found; w += strspn(w, separators)) {
            size_t n = strcspn(w, separators);
            found = n == length && strncmp(w, p, n) == 0;
            w += n;
        }
        if (!found) {
            snprintf(wrong, size, "%.*s", (int)length, p);
            return false;
        }
        p += length;
        if (!*p)
            return true;
    }
}

/* A probe that counts bytes of this machine, which a simulation or a recording does not. */
static bool counts_bytes(const char *name)
{
    const struct sp_probe *probe = sp_probe_find(name);
    return probe && probe->counts && strcmp(name, "replay") != 0;
}

static bool bytes_work(const struct sp_doctor *d)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->finding[i].section, sp_title_bytes) == 0 && d->finding[i].verdict == SP_WORKS &&
            counts_bytes(d->finding[i].name))
            return true;
    return false;
}

/* What is known to disturb; what is unknown is no reason to refuse. */
static bool nothing_limited(const struct sp_doctor *d, const char *section, char *because, size_t size)
{
    because[0] = '\0';
    for (int i = 0; i < d->n; i++) {
        const struct sp_finding *f = &d->finding[i];
        size_t used = strlen(because);
        if (strcmp(f->section, section) == 0 && (f->verdict == SP_LIMITED || f->verdict == SP_IS_ABSENT))
            snprintf(because + used, size - used, "%s%s", used ? ", " : "", f->name);
    }
    return !*because;
}

/* Both this build and this machine. */
static bool gpu_works(const struct sp_doctor *d, char *because, size_t size)
{
    static const char *const ids[] = {"gpu.cuda", "gpu.driver", "gpu.device_nodes", "gpu.kernels"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct sp_finding *f = sp_doctor_find(d, ids[i]);
        if (f && f->verdict == SP_WORKS)
            continue;
        snprintf(because, size, "%s: %.200s", ids[i], f ? f->what : "not found");
        return false;
    }
    return true;
}

bool sp_require_satisfied(const struct sp_doctor *d, const char *word, size_t length, char *because,
                          size_t size)
{
    snprintf(because, size, "no probe of this build counts bytes here");
    if (is(word, length, "bytes"))
        return bytes_work(d);
    if (is(word, length, "gpu"))
        return gpu_works(d, because, size);
    if (is(word, length, "quiet"))
        return nothing_limited(d, sp_title_noise, because, size);
    if (is(word, length, "alone"))
        return nothing_limited(d, sp_title_holders, because, size);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        const struct sp_finding *f =
            is(word, length, single[i].word) ? sp_doctor_find(d, single[i].id) : NULL;
        if (f && f->verdict == SP_WORKS)
            return true;
        if (!f && is(word, length, single[i].word)) /* what a GPU may do is asked where there is a driver */
            f = sp_doctor_find(d, "gpu.driver");
        if (f || is(word, length, single[i].word)) {
            snprintf(because, size, "%.200s", f ? f->what : "not found");
            return false;
        }
    }
    return false;
}
