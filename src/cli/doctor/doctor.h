/* What `spmodel doctor` finds: one list of findings, filled section by section, then printed as
 * text or JSON and asked what is required. */
#ifndef SP_CLI_DOCTOR_H
#define SP_CLI_DOCTOR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/core/options.h"
#include "report/text/pen.h"
#include "sys/machine/topology.h"
#include "sys/noise.h"
#include "sys/processes.h"

enum { SP_MAX_FINDINGS = 96 };

enum sp_finding_state {
    SP_WORKS,
    SP_LIMITED, /* works less well, or disturbs measurements */
    SP_IS_ABSENT,
    SP_NOT_TOLD, /* the system does not tell: never guessed */
    SP_N_FINDING_STATES
};
extern const char *const sp_verdict_words[SP_N_FINDING_STATES];

struct sp_finding {
    const char *section, *name; /* static text */
    char id[48];                /* stable: "noise.governor" */
    enum sp_finding_state verdict;
    char what[640];
    char remedy[512]; /* lines to type, or advice; "" when nothing helps */
};

struct sp_doctor {
    struct sp_common_options common;
    const char *require;
    const char *root;                /* "" for this machine: where /proc, /sys and /dev are */
    char *(*look)(const char *name); /* getenv, or a test's own */
    int self;                        /* this process */
    unsigned uid;
    double begun; /* sp_now() [s] */
    int n;
    struct sp_finding finding[SP_MAX_FINDINGS];

    /* Who computed during a short interval: two looks at processes and processors' times. */
    struct sp_processes before, after;
    struct sp_cpu_times times_before, times_after;
    bool times_known;
};

/* Sections by title; each stands for a file or function that fills it. */
extern const char sp_title_bytes[], sp_title_permissions[], sp_title_holders[], sp_title_gpu[],
    sp_title_processor[], sp_title_memory[], sp_title_noise[], sp_title_around[];

/* Adds a finding. `remedy`: "" or as above. */
void sp_find_out(struct sp_doctor *d, const char *section, const char *name, enum sp_finding_state verdict,
                 const char *remedy, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* NULL where nothing of this id was found. */
const struct sp_finding *sp_doctor_find(const struct sp_doctor *d, const char *id);

/* Looks at processes and times twice, `seconds` apart. Bounded: ~0.5 s beside the wait at most. */
void sp_doctor_watch(struct sp_doctor *d, double seconds);
void sp_doctor_free(struct sp_doctor *d);

/* From files below d->root and d->look alone. */
void sp_doctor_permissions(struct sp_doctor *d);
void sp_doctor_holders(struct sp_doctor *d, const struct sp_topology *topology);
void sp_doctor_gpu(struct sp_doctor *d);
void sp_doctor_noise(struct sp_doctor *d, const struct sp_topology *topology);
/* By trying, on the live machine. */
void sp_doctor_gpu_kernels(struct sp_doctor *d);
void sp_doctor_bytes(struct sp_doctor *d);
void sp_doctor_processor(struct sp_doctor *d, const struct sp_topology *topology);
void sp_doctor_memory(struct sp_doctor *d);
void sp_doctor_around(struct sp_doctor *d);

/* What --require may name. */
extern const char sp_require_words[];
/* Is every word of LIST known? Else the first that is not, in `wrong`. */
bool sp_require_known(const char *list, char *wrong, size_t size);
/* Is this one word (of `length` letters) satisfied? Else why not in `because`. */
bool sp_require_satisfied(const struct sp_doctor *d, const char *word, size_t length, char *because,
                          size_t size);

/* What works in spite of all that is limited or absent: a paragraph. Returns text. */
void sp_doctor_text(const struct sp_doctor *d, const struct sp_report_style *style, FILE *out);
/* docs/doctor.schema.json. SP_OUTPUT. */
enum sp_status sp_doctor_json(const struct sp_doctor *d, FILE *out, struct sp_error *err);

#endif
