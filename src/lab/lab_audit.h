/* Does a submitted folder hold together? Arithmetic of its records, whose matrix they are of, the
 * order of times, and the bytes simulated again. */
#ifndef SP_LAB_LAB_AUDIT_H
#define SP_LAB_LAB_AUDIT_H

#include "base/progress.h"
#include "lab/lab_folder.h"

enum { SP_LAB_MOST_FLAGS = 48 };

/* What a flag is about; `spmodel explain` has a term for each, docs/labs.md a row. */
enum sp_lab_flag_code {
    SP_FLAG_LAB,
    SP_FLAG_SKIPPED,
    SP_FLAG_MATRIX,
    SP_FLAG_COMMAND,
    SP_FLAG_EDITED,
    SP_FLAG_ARITHMETIC,
    SP_FLAG_BYTES,
    SP_FLAG_ORDER,
    SP_FLAG_PEEKED,
    SP_FLAG_MACHINES,
    SP_FLAG_REPEATED, /* of several folders */
    SP_FLAG_SECOND,   /* of several folders */
    SP_FLAG_FOLDER,   /* it could not be read, there is no audit */
    SP_N_LAB_FLAGS
};
const char *sp_lab_flag_name(enum sp_lab_flag_code code);

/* Zero-initialise. */
struct sp_lab_audit {
    int n;           /* what does not fit; the first SP_LAB_MOST_FLAGS are kept */
    int n_simulated; /* records whose bytes were simulated again */
    struct sp_lab_flag {
        char run[40];     /* "": of the folder */
        const char *code; /* sp_lab_flag_name() */
        char text[320];
    } flag[SP_LAB_MOST_FLAGS];
};

void sp_lab_audit_add(struct sp_lab_audit *audit, const char *run, enum sp_lab_flag_code code,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Several records of other matrices have one cause: they become one flag, which says how many. */
void sp_lab_audit_join_matrices(struct sp_lab_audit *audit);

/* Everything that needs no simulation. SP_INPUT: the lab itself is faulty. */
enum sp_status sp_lab_audit_folder(const struct sp_lab_results *results, struct sp_lab_audit *audit,
                                   struct sp_error *err);
/* Is it of this student's matrix, and made by the lab's command? SP_INPUT: a faulty lab. */
enum sp_status sp_lab_audit_identity(const struct sp_lab_folder *folder, const char *run,
                                     const json_t *document, struct sp_lab_audit *audit,
                                     struct sp_error *err);
/* Numbers of one record that follow from others; appends to the audit. */
void sp_lab_audit_arithmetic(const char *run, const json_t *record, struct sp_lab_audit *audit);
/* Makes the matrix of this student again and simulates what the record says was run, on the caches
 * that it describes. What cannot be simulated (GPUs, recordings) is left out. SP_INTERRUPTED,
 * SP_MEMORY. */
enum sp_status sp_lab_audit_bytes(const struct sp_lab_results *results, const struct sp_progress *progress,
                                  struct sp_lab_audit *audit, struct sp_error *err);

#endif
