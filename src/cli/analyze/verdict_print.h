/* Verdicts for people and for programs. */
#ifndef SP_CLI_VERDICT_PRINT_H
#define SP_CLI_VERDICT_PRINT_H

#include <stdio.h>

#include "track/judge/judge.h"

/* One of them in parts; each returns `text`. */
char *sp_judgement_change(const struct sp_judgement *j, char *text, size_t size); /* "+5 % (+4 … +6 %)" */
const char *sp_judgement_open(const struct sp_judgement *j, char *text,
                              size_t size); /* "open since ..."; "" */
const char *sp_judgement_place(const struct sp_judgement *j, char *text, size_t size); /* " on MACHINE"; "" */
/* Since when it is open, its reason, the change's cause. */
const char *sp_judgement_remark(const struct sp_judgement *j, char *text, size_t size);
bool sp_judgement_is_red(const struct sp_judgement *j);

void sp_verdicts_print(const struct sp_judgement *judgement, int n, FILE *out);
void sp_verdicts_csv(const struct sp_judgement *judgement, int n, FILE *out);
void sp_verdicts_json(const struct sp_judgement *judgement, int n, FILE *out); /* JSON Lines */
void sp_verdicts_lines(const struct sp_judgement *judgement, int n,
                       FILE *out); /* report/text/report_lines.h */
/* ok and improved pass, regressed fails, the others are skipped with their reason. */
void sp_verdicts_junit(const struct sp_judgement *judgement, int n, FILE *out);
void sp_verdicts_markdown(const struct sp_judgement *judgement, int n, FILE *out);

#endif
