/* The sections of the terminal report, in the order in which sp_report_text() prints them. Each
 * prints nothing where the record has nothing for it. */
#ifndef SP_REPORT_SECTIONS_H
#define SP_REPORT_SECTIONS_H

#include "io/record/record.h"
#include "report/text/pen.h"

void sp_section_verdict(struct sp_pen *pen, const struct sp_record *record); /* the six lines */
void sp_section_head(struct sp_pen *pen, const struct sp_record *record);    /* MATRIX ... BOUND BY */
void sp_section_matrix(struct sp_pen *pen, const struct sp_record *record);
void sp_section_foreign(struct sp_pen *pen,
                        const struct sp_record *record); /* only where --machine is another one */
void sp_section_machine(struct sp_pen *pen, const struct sp_record *record);
void sp_section_kernel(struct sp_pen *pen, const struct sp_record *record); /* KERNEL, BOUND BY */
void sp_section_bytes(struct sp_pen *pen, const struct sp_record *record);  /* BYTES: who counted them */
void sp_section_table(struct sp_pen *pen, const struct sp_record *record);  /* times, bytes, alpha, beta */
void sp_section_alpha(struct sp_pen *pen, const struct sp_record *record);  /* alpha and beta alone */
void sp_section_domains(struct sp_pen *pen,
                        const struct sp_record *record); /* DOMAINS, where there are several */
void sp_section_losses(struct sp_pen *pen, const struct sp_record *record); /* WHERE THE TIME GOES */
/* A kernel of the user's own beside the built-in one, and what its bytes rest on. */
void sp_section_own(struct sp_pen *pen, const struct sp_record *record);
/* RANKS ... RIGHT of a job of ranks, and a line for each: at most 16, with -v all. */
void sp_section_ranks(struct sp_pen *pen, const struct sp_record *record, bool all);
void sp_section_unfused(struct sp_pen *pen, const struct sp_record *record);
/* WHERE THE TIME GOES as bars alone, a line each. */
void sp_section_losses_brief(struct sp_pen *pen, const struct sp_record *record);
void sp_section_hints(struct sp_pen *pen, const struct sp_record *record); /* HINTS, not a problem */
/* At most three hints that are worth showing unasked (report/verdict/verdict.h). */
void sp_section_hints_brief(struct sp_pen *pen, const struct sp_record *record, int lines);
void sp_section_tries(struct sp_pen *pen, const struct sp_record *record);   /* TRIED, where hints were */
void sp_section_notes(struct sp_pen *pen, const struct sp_record *record);   /* FLAGS and REMARKS */
void sp_section_levels(struct sp_pen *pen, const struct sp_record *record);  /* TRAFFIC by level and array */
void sp_section_gathers(struct sp_pen *pen, const struct sp_record *record); /* GATHERS: from where */
void sp_section_costs(struct sp_pen *pen, const struct sp_record *record);   /* COSTS, samples */

/* Above this share of a ceiling a point is marked and explained. */
#define SP_ABOVE_ROOF 1.03

#endif
