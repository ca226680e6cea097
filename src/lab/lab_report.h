/* report.md of a lab: Markdown, predictions beside results, pictures, explanations; below them a
 * part that is the student's, which is never written over. */
#ifndef SP_LAB_LAB_REPORT_H
#define SP_LAB_LAB_REPORT_H

#include <stdio.h>

#include "lab/lab_check.h"

/* The part that is made anew each time. Explanations ("because") and answers stand in it only once
 * something was run. SP_OUTPUT is the caller's to notice on the stream. */
void sp_lab_report_results(const struct sp_lab_results *results, const struct sp_lab_verdicts *verdicts,
                           FILE *out);

/* What was put aside before the report was written anew. */
struct sp_lab_kept {
    char path[1100]; /* report-1.md, ...: a report.md that was changed above the student's part; "": none */
    bool no_answers; /* no such part was found in it: all of it is there, and answers begin empty */
};

/* Writes FOLDER/report.md. The student's part stays: from "In your own words" on; where that
 * heading is gone, what follows the results or has the lab's questions. SP_OUTPUT, SP_MEMORY. */
enum sp_status sp_lab_report(struct sp_lab_folder *folder, const struct sp_lab_results *results,
                             const struct sp_lab_verdicts *verdicts, struct sp_lab_kept *kept,
                             struct sp_error *err);

/* What a student has answered in report.md. Zero-initialise; sp_lab_answers_free(). */
enum { SP_LAB_MOST_ANSWERS = 16 };
struct sp_lab_answers {
    int n, n_given;
    const char *fault; /* ": WHY" none can be found; "": they can */
    struct sp_lab_answer {
        const char *question; /* borrowed from the lab */
        char *text;           /* owned; "": none */
    } answer[SP_LAB_MOST_ANSWERS];
};
/* Without a report none is given. SP_MEMORY. */
enum sp_status sp_lab_answers_read(const struct sp_lab_folder *folder, struct sp_lab_answers *out,
                                   struct sp_error *err);
void sp_lab_answers_free(struct sp_lab_answers *answers);

#endif
