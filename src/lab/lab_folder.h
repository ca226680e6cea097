/* A student's folder: state.json (whose lab it is, what was run), predictions.json, sheet.md with
 * the student's numbers, records/RUN.json and what the runs printed. All files appear complete or
 * not at all. */
#ifndef SP_LAB_LAB_FOLDER_H
#define SP_LAB_LAB_FOLDER_H

#include "io/record/record.h"
#include "lab/lab.h"

/* Run and doubt of a record: why times, and what follows from them, are not judged. */
#define SP_LAB_NO_VERDICT "the machine allowed no verdict on '%s': %.300s"

/* Zero-initialise; sp_lab_folder_close(). Not to be moved: the_case points to lab. */
struct sp_lab_folder {
    char path[900];
    struct sp_lab lab;
    struct sp_lab_case the_case;
    json_t *state, *predictions; /* owned */
    char fault[320];             /* why predictions.json cannot be read: then there are none; "": it can */
};

/* Makes the folder (SP_USAGE where it holds a lab, or a sheet.md that would be lost) and takes over
 * the lab. SP_OUTPUT. */
enum sp_status sp_lab_folder_make(const char *path, struct sp_lab *lab, const char *student, bool small,
                                  struct sp_lab_folder *folder, struct sp_error *err);
/* Opens one; its lab is looked for in the directories. SP_USAGE: there is none, with the remedy;
 * SP_INPUT: its state is damaged, or names a lab or a student that cannot be. */
enum sp_status sp_lab_folder_open(const char *path, const char *const *directory, int n,
                                  struct sp_lab_folder *folder, struct sp_error *err);
void sp_lab_folder_close(struct sp_lab_folder *folder);
/* Writes state.json anew. SP_OUTPUT. */
enum sp_status sp_lab_folder_save(const struct sp_lab_folder *folder, struct sp_error *err);

/* Was a run begun? Predictions are late from then on: even one that fails prints something. */
bool sp_lab_has_run(const struct sp_lab_folder *folder);
/* The small matrices: SP_USAGE once something was predicted or run, or noted in the sheet. Writes
 * the sheet again. */
enum sp_status sp_lab_folder_make_small(struct sp_lab_folder *folder, struct sp_error *err);

/* Stores a prediction with the time; earlier ones stay in the file. `*late`: results were shown
 * before. SP_USAGE: no such question, not a number, no interval where one is asked for, or none of
 * its choices. */
enum sp_status sp_lab_predict(struct sp_lab_folder *folder, const char *question, const char *value,
                              bool *late, struct sp_error *err);
/* "1.2...1.5", also with two dots: an interval above 0, its ends in order. False: it is none. */
bool sp_lab_interval(const char *text, double *lo, double *hi);
/* The prediction that counts: the last one that was not late, else the first late one; NULL: none.
 * What is neither number nor text is no prediction. */
const json_t *sp_lab_prediction(const json_t *predictions, const char *question);
/* Was one sent after the first run, with or without another one in time? */
bool sp_lab_has_late(const json_t *predictions, const char *question);

/* How a run ended, beside its record. */
struct sp_lab_end {
    const char *skipped;  /* why it could not be run here; NULL: it was */
    const char *failed;   /* what the student's code did wrong; NULL: nothing */
    char code_sha256[65]; /* of the student's code; "": there is none in this run */
};
/* That a run was begun (end NULL), and what became of it: remembered in state.json with the digest
 * of its record, if there is one. */
enum sp_status sp_lab_note_run(struct sp_lab_folder *folder, const char *run, const char *start,
                               const struct sp_lab_end *end, struct sp_error *err);

/* The file that a run writes: FOLDER/records/RUN.json. */
void sp_lab_record_path(const struct sp_lab_folder *folder, const char *run, char *path, size_t size);
/* The folder of its plots: FOLDER/pictures/RUN. */
void sp_lab_pictures_path(const struct sp_lab_folder *folder, const char *run, char *path, size_t size);
/* SHA-256 of a file; false where it cannot be read. */
bool sp_lab_file_digest(const char *path, char hex[65]);
/* Now, as "2026-11-21T10:02:14Z". */
void sp_lab_now(char text[32]);

/* What a lab's runs left: a JSON document each, a record or `spmodel model --json`. */
enum { SP_LAB_MOST_RUNS = 24 };

/* Zero-initialise; sp_lab_results_free(). */
struct sp_lab_results {
    const struct sp_lab_folder *folder; /* borrowed */
    int n;
    struct sp_lab_result {
        const char *run;     /* borrowed from the lab */
        const char *skipped; /* why; borrowed from the folder's state; NULL: it was run */
        const char *claimed; /* why, of a run that needs nothing and cannot be skipped; else NULL */
        const char *failed;  /* what the student's own code did wrong in it; borrowed likewise; else NULL */
        char fault[320];     /* why its file cannot be read: costs what is judged by it; "": it can */
        json_t *root;        /* owned; NULL: skipped, or there is nothing yet */
    } result[SP_LAB_MOST_RUNS];
};

/* Reads what there is; a damaged file is a fault of its run alone. SP_INPUT: too many runs;
 * SP_MEMORY; then nothing is held. */
enum sp_status sp_lab_results_read(const struct sp_lab_folder *folder, struct sp_lab_results *results,
                                   struct sp_error *err);
void sp_lab_results_free(struct sp_lab_results *results);

/* A node by a dotted path: keys of objects, numbers and key=text for items of lists, as in
 * "levels.name=MEM.read_B", "predictions.0.bytes". NULL: none. */
const json_t *sp_lab_node(const json_t *root, const char *path);

/* A field of a record that may be damaged. NULL: it has none. */
const json_t *sp_lab_field(const json_t *root, enum sp_record_field field);

/* The number at such a path; `otherwise` where there is none. */
double sp_lab_number(const json_t *root, const char *path, double otherwise);

/* For sp_formula_source over parameters and results; context is a const struct sp_lab_results.
 * SP_SKIPPED: the run was skipped; SP_UNDECIDED: it was not run yet, or its record does not know
 * the value; SP_NO: its file is damaged, or the student's code failed in it. */
enum sp_status sp_lab_results_name(void *context, const char *name, struct sp_quantity *out,
                                   struct sp_error *err);
enum sp_status sp_lab_results_field(void *context, const char *run, const char *path, struct sp_quantity *out,
                                    struct sp_error *err);

/* The command of a run, with the student's numbers. */
enum { SP_LAB_MOST_ARGUMENTS = 48 };

/* The symbol of a library that is made of a student's code, behind its path. */
#define SP_LAB_KERNEL ":lab_kernel"

/* Zero-initialise; sp_lab_command_free(). */
struct sp_lab_command {
    int n;
    char *argument[SP_LAB_MOST_ARGUMENTS + 1]; /* owned, NULL at the end; the first is "spmodel" */
};

/* "arguments" of the run, then "small" where the matrices are, then where the result goes;
 * `machine` (may be NULL) for analyses that name none. {lab}/ in an argument is the lab's own
 * folder, {code} the library that is made of the student's "code". */
enum sp_status sp_lab_command_make(const struct sp_lab_folder *folder, const json_t *run, const char *machine,
                                   struct sp_lab_command *command, struct sp_error *err);
void sp_lab_command_free(struct sp_lab_command *command);
/* As a person would type it, without the options that only say where results go; returns text. */
char *sp_lab_command_text(const struct sp_lab_command *command, char *text, size_t size);

#endif
