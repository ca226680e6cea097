/* What a check judges: the newest record of every series and environment that is meant, with the
 * other series of their machines beside them. */
#ifndef SP_CLI_JUDGED_H
#define SP_CLI_JUDGED_H

#include <stdio.h>

#include "cli/track/track_options.h"
#include "track/judge/judge.h"
#include "track/store/index.h"

struct sp_judged_options {
    const struct sp_track_options *options;
    const struct sp_judge_options *judge;
    int patience; /* sessions in a row that may be undecided; 0: any number */
};

/* Zero-initialise; sp_judged_free(). */
struct sp_judged {
    struct sp_newest *newest; /* [n] owned; those of a series side by side, then the context */
    struct sp_judgement *judgement;
    struct sp_judged_series *series;                  /* [n + n_context] */
    const struct sp_entry *(*pinned)[SP_MOST_PINNED]; /* of each */
    int n, n_context;
};

/* Finds and judges all of list[n], which sp_track_select() gives of `history`: place and time of
 * the options say what is judged, never with what. Baselines that are damaged are reported, and
 * make *code worse. SP_MEMORY. */
enum sp_status sp_judged_begin(const struct sp_judged_options *c, const struct sp_store *store,
                               const struct sp_store_index *index, const struct sp_entry *const *list,
                               int64_t n, struct sp_judged *all, int *code, struct sp_error *err);
/* Judges again, with what was appended since; what was said of why one cannot be confirmed
 * stays. */
enum sp_status sp_judged_again(const struct sp_judged_options *c, const struct sp_judged *all,
                               struct sp_error *err);
/* Says whose they are, what differs, and what was undecided for too long. */
enum sp_status sp_judged_end(const struct sp_judged_options *c, const struct sp_store_index *index,
                             struct sp_judged *all, struct sp_error *err);
void sp_judged_free(struct sp_judged *all);

/* Does --machine choose this one among those of its series that are judged? */
bool sp_judged_machine_tells(const struct sp_judged *all, int i);

/* Verdicts for people and for programs. */

/* One of them in parts; each returns `text`. */
char *sp_judgement_change(const struct sp_judgement *j, char *text, size_t size); /* "+5 % (+4 … +6 %)" */
const char *sp_judgement_open(const struct sp_judgement *j, char *text,
                              size_t size); /* "open since ..."; "" */
const char *sp_judgement_place(const struct sp_judgement *j, char *text, size_t size); /* " on MACHINE"; "" */
bool sp_judgement_is_red(const struct sp_judgement *j);

void sp_verdicts_print(const struct sp_judgement *judgement, int n, FILE *out);
void sp_verdicts_csv(const struct sp_judgement *judgement, int n, FILE *out);
void sp_verdicts_json(const struct sp_judgement *judgement, int n, FILE *out); /* JSON Lines */
void sp_verdicts_lines(const struct sp_judgement *judgement, int n,
                       FILE *out); /* report/text/report_text.h */
/* ok and improved pass, regressed fails, the others are skipped with their reason. */
void sp_verdicts_junit(const struct sp_judgement *judgement, int n, FILE *out);
void sp_verdicts_markdown(const struct sp_judgement *judgement, int n, FILE *out);

#endif
