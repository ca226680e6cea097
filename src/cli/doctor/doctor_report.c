#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/core/output.h"
#include "cli/doctor/doctor.h"
#include "probes/probe.h"
#include "sp_config.h"

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

enum { NAME_COLUMN = 11, WHAT_COLUMN = 27, WHAT_AFTER_ID = 38 };

static bool has(const struct sp_doctor *d, const char *id, enum sp_finding_state verdict)
{
    const struct sp_finding *f = sp_doctor_find(d, id);
    return f && f->verdict == verdict;
}

static void append(char *text, size_t size, const char *sentence)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? " " : "", sentence);
}

/* What works in spite of all that is limited or absent: a paragraph. Returns text. */
static char *doctor_still_works(const struct sp_doctor *d, char *text, size_t size)
{
    char because[256];
    text[0] = '\0';
    append(text, size, "Times, rooflines, losses and hints work on every machine.");
    append(text, size,
           sp_require_satisfied(d, "bytes", 5, because, sizeof because)
               ? "Bytes can be counted."
               : "Bytes are simulated by the cache simulator, and every number that rests on them says so.");
    if (!sp_require_satisfied(d, "gpu", 3, because, sizeof because))
        append(text, size, "GPUs are modelled: spmodel model --machine.");
    if (has(d, "processor.pin", SP_IS_ABSENT))
        append(text, size, "Threads cannot be pinned: spreads are larger, medians still hold.");
    if (has(d, "memory.huge_pages", SP_IS_ABSENT))
        append(text, size, "Without huge pages the roof is measured on the same plain pages as the kernel.");
    if (!sp_require_satisfied(d, "quiet", 5, because, sizeof because))
        append(text, size,
               "Noise widens the intervals; fractions of the roof stay comparable, because roof and kernel "
               "are measured in turn. More runs help: --runs 5.");
    if (!has(d, "around.gnuplot", SP_WORKS))
        append(text, size, "Plots are written as scripts.");
    return text;
}

/* What is to be typed stands in one line where that is possible at all. */
static void print_remedy(struct sp_pen *pen, const char *remedy)
{
    while (*remedy) {
        size_t length = strcspn(remedy, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)length, remedy);
        sp_pen_tab(pen, NAME_COLUMN);
        sp_pen_put(pen, SP_INK_DIM, *line == ' ' ? "   " : "-> "); /* blanks: the line before goes on */
        pen->indent = pen->column;
        if (pen->column + sp_pen_columns(pen, line) <= pen->width)
            sp_pen_put(pen, SP_INK_BOLD, "%s", line);
        else
            sp_pen_words(pen, SP_INK_BOLD, line);
        sp_pen_end(pen);
        remedy += length + (remedy[length] == '\n');
    }
}

void sp_doctor_text(const struct sp_doctor *d, const struct sp_report_style *style, FILE *out)
{
    static const enum sp_ink inks[SP_N_FINDING_STATES] = {SP_INK_GREEN, SP_INK_YELLOW, SP_INK_RED,
                                                          SP_INK_DIM};
    struct sp_pen pen;
    struct sp_report_style narrow = *style;
    narrow.width = style->width > 0 && style->width < 100 ? style->width : 100;
    sp_pen_open(&pen, &narrow, out);
    const char *section = "";
    for (int i = 0; i < d->n; i++) {
        const struct sp_finding *f = &d->finding[i];
        if (style->verbosity < 0 && f->verdict == SP_WORKS)
            continue;
        if (strcmp(section, f->section) != 0) {
            if (*section)
                sp_pen_end(&pen);
            sp_pen_put(&pen, SP_INK_BOLD, "%s", section = f->section);
            sp_pen_end(&pen);
        }
        sp_pen_put(&pen, SP_INK_PLAIN, "  ");
        sp_pen_put(&pen, inks[f->verdict], "%s", sp_verdict_words[f->verdict]);
        sp_pen_tab(&pen, NAME_COLUMN);
        sp_pen_put(&pen, SP_INK_PLAIN, "%s", style->verbosity > 0 ? f->id : f->name);
        pen.indent = style->verbosity > 0 ? WHAT_AFTER_ID : WHAT_COLUMN;
        sp_pen_tab(&pen, pen.indent);
        sp_pen_words(&pen, SP_INK_PLAIN, f->what);
        sp_pen_end(&pen);
        print_remedy(&pen, f->remedy);
    }
    if (style->verbosity < 0)
        return;
    char text[1024];
    sp_pen_end(&pen);
    sp_pen_put(&pen, SP_INK_BOLD, "WHAT STILL WORKS");
    sp_pen_end(&pen);
    pen.indent = 2;
    sp_pen_put(&pen, SP_INK_PLAIN, "  ");
    sp_pen_words(&pen, SP_INK_PLAIN, doctor_still_works(d, text, sizeof text));
    sp_pen_end(&pen);
}

/* Names of processes and files can be any bytes; JSON is UTF-8. */
static json_t *text_of(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char ascii[sizeof((struct sp_finding *)0)->what];
    snprintf(ascii, sizeof ascii, "%s", text);
    for (char *p = ascii; *p; p++)
        *p = (char)((unsigned char)*p < 0x80 ? *p : '?');
    return json_string(ascii);
}

static json_t *required(const struct sp_doctor *d)
{
    json_t *list = json_array();
    for (const char *p = d->require; p && *p;) {
        char because[512];
        size_t length = strcspn(p, ",");
        bool good = sp_require_satisfied(d, p, length, because, sizeof because);
        json_array_append_new(list, json_pack("{s:s%, s:b, s:o}", "word", p, length, "satisfied", good,
                                              "because", text_of(good ? "" : because)));
        p += length + (p[length] == ',');
    }
    return list;
}

enum sp_status sp_doctor_json(const struct sp_doctor *d, FILE *out, struct sp_error *err)
{
    char still[1024];
    json_t *list = json_array();
    for (int i = 0; i < d->n; i++) {
        const struct sp_finding *f = &d->finding[i];
        json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "id", f->id, "section", f->section, "name",
                                f->name, "verdict", sp_verdict_words[f->verdict], "what", text_of(f->what),
                                "remedy", text_of(f->remedy));
        json_array_append_new(list, one);
    }
    json_t *root =
        json_pack("{s:s, s:{s:s, s:s}, s:f, s:o, s:s, s:o}", "schema", "spmodel.doctor/1", "tool", "version",
                  SP_VERSION, "git", SP_GIT_VERSION, "took_s", sp_now() - d->begun, "findings", list,
                  "still_works", doctor_still_works(d, still, sizeof still), "required", required(d));
    return sp_put_json(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6), out, err);
}

const char sp_require_words[] = "bytes, gpu, profiling, opencl, pin, huge, quiet, alone, plots";

/* Words that stand for one finding that must work. */
static const struct {
    const char *word, *id;
} single[] = {{"opencl", "gpu.opencl"},
              {"profiling", "gpu.profiling"},
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
