/* What `lab grade` knows of all folders together: who has the same records, code or words as
 * somebody else, and how the questions of a lab were answered. */
#ifndef SP_CLI_GRADE_CLASS_H
#define SP_CLI_GRADE_CLASS_H

#include <jansson.h>
#include <stdio.h>

#include "lab/lab_audit.h"
#include "lab/lab_check.h"
#include "lab/lab_report.h"

/* Zero-initialise; sp_grade_class_free(). Its size grows with the folders, and so does its work. */
struct sp_grade_class {
    json_t *holders;     /* owned: what was handed in -> the numbers of the folders that hold it */
    json_t *folders;     /* owned: of each folder what it holds, in their order */
    json_t *submissions; /* owned: an object for each folder, for --json and the statistics */
};
/* SP_MEMORY. */
enum sp_status sp_grade_class_new(struct sp_grade_class *c, struct sp_error *err);
void sp_grade_class_free(struct sp_grade_class *c);

/* Before any folder is judged, each in its order: what it holds. NULL, NULL: it cannot be read. */
void sp_grade_note(struct sp_grade_class *c, const struct sp_lab_results *results,
                   const struct sp_lab_answers *answers);

/* Flags what the folder of number `here` has in common with others, before or after it: each names
 * the other one. name[i] is what the folder of number i was called. */
void sp_grade_find_copies(const struct sp_grade_class *c, const char *const *name, int here,
                          const char *student, struct sp_lab_audit *audit);

/* Each group of folders once, with what all of them hold. A list, to be freed. */
json_t *sp_grade_copies(const struct sp_grade_class *c, const char *const *name);
void sp_grade_print_copies(const json_t *copies, FILE *out);

/* Keeps a folder: points of each question and check, flags, answers. */
void sp_grade_keep(struct sp_grade_class *c, const char *name, const struct sp_lab_results *results,
                   const struct sp_lab_verdicts *verdicts, const struct sp_lab_answers *answers,
                   const struct sp_lab_audit *audit);
/* One that could not be read. */
void sp_grade_keep_unread(struct sp_grade_class *c, const char *name, const char *why);

/* Statistics of each lab: points, and for each question and check how many had it right, and which
 * wrong value is typical. A list, to be freed; empty for fewer than two folders of a lab. */
json_t *sp_grade_statistics(const struct sp_grade_class *c);
void sp_grade_print_statistics(const json_t *statistics, FILE *out);
/* All of it: schema, submissions, classes, copies. */
void sp_grade_write_json(const struct sp_grade_class *c, const json_t *statistics, const json_t *copies,
                         FILE *out);

#endif
