/* What `spmodel doctor` finds: one list of findings, filled section by section, then printed as text or JSON
 * and asked what is required. */
#ifndef SP_CLI_DOCTOR_H
#define SP_CLI_DOCTOR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "report/pen.h"
#include "sys/noise.h"
#include "sys/processes.h"
#include "sys/topology.h"

enum { MAX_FINDINGS = 96 };

enum verdict {
    WORKS,
    LIMITED, /* works less well, or disturbs measurements */
    ABSENT,
    UNKNOWN, /* the system does not tell: never guessed */
    N_VERDICTS
};
extern const char *const sp_verdict_words[N_VERDICTS];

struct finding {
    const char *section, *name; /* static text */
    char id[48];                /* stable: "noise.governor" */
    enum verdict verdict;
    char what[640];
    char remedy[512]; /* lines to type, or advice; "" when nothing helps */
};

struct doctor {
    struct sp_common_options common;
    const char *require;
    const char *root;                /* "" for this machine: where /proc, /sys and /dev are */
    char *(*look)(const char *name); /* getenv, or a test's own */
    int self;                        /* this process */
    unsigned uid;
    double begun; /* sp_now() [s] */
    int n;
    struct finding finding[MAX_FINDINGS];

    /* Who computed during a short interval: two looks at the processes and the processors' times. */
    struct sp_processes before, after;
    struct sp_cpu_times times_before, times_after;
    bool times_known;
};

/* Sections by title; each stands for a file or function that fills it. */
extern const char sp_section_bytes[], sp_section_permissions[], sp_section_holders[], sp_section_gpu[],
    sp_section_processor[], sp_section_memory[], sp_section_noise[], sp_section_around[];

/* Adds a finding. `remedy`: "" or as above. */
void find_out(struct doctor *d, const char *section, const char *name, enum verdict verdict,
              const char *remedy, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* NULL where nothing of this id was found. */
const struct finding *sp_doctor_find(const struct doctor *d, const char *id);

/* Looks at processes and times twice, `seconds` apart. Bounded: ~0.5 s beside the wait at most. */
void sp_doctor_watch(struct doctor *d, double seconds);
void sp_doctor_free(struct doctor *d);

/* From files below d->root and d->look alone. */
void sp_doctor_permissions(struct doctor *d);
void sp_doctor_holders(struct doctor *d, const struct sp_topology *topology);
void sp_doctor_gpu(struct doctor *d);
void sp_doctor_noise(struct doctor *d, const struct sp_topology *topology);
/* By trying, on the live machine. */
void sp_doctor_processor(struct doctor *d, const struct sp_topology *topology);
void sp_doctor_memory(struct doctor *d);
void sp_doctor_around(struct doctor *d);

/* What --require may name. */
extern const char sp_require_words[];
/* Is every word of LIST known? Else the first that is not, in `wrong`. */
bool sp_require_known(const char *list, char *wrong, size_t size);
/* Is this one word (of `length` letters) satisfied? Else why not in `because`. */
bool sp_require_satisfied(const struct doctor *d, const char *word, size_t length, char *because,
                          size_t size);

/* What works in spite of all that is limited or absent: a paragraph. Returns text. */
char *sp_doctor_still_works(const struct doctor *d, char *text, size_t size);
void sp_doctor_text(const struct doctor *d, const struct sp_report_style *style, FILE *out);
/* docs/doctor.schema.json. SP_OUTPUT. */
enum sp_status sp_doctor_json(const struct doctor *d, FILE *out, struct sp_error *err);

#endif
