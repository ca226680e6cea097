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

/* The table of model and measurement as texts, the same on the terminal and in the page. */

enum { SP_TABLE_COLUMNS = 7, SP_TABLE_ROWS = 16, SP_TABLE_CELL = 96 };

struct sp_table_cells {
    char cell[SP_TABLE_ROWS + 1][SP_TABLE_COLUMNS][SP_TABLE_CELL]; /* [0] is the head */
    bool marked[SP_TABLE_ROWS + 1];                                /* the point lies above its roof */
    int n_rows;
    bool unknown_bytes;
    bool has_ecm; /* "model" alone would be either of two: rows of the roofline say so */
    double above; /* largest fraction above SP_ABOVE_ROOF, 0: none */
};

/* False: the record has no table. */
bool sp_table_cells_fill(const struct sp_record *record, struct sp_table_cells *cells);

/* Below it: what the fractions are made of, what is unknown, what lies above its roof. */
typedef void sp_table_remark(void *context, enum sp_ink ink, const char *text);
void sp_table_remarks(const struct sp_record *record, const struct sp_table_cells *cells,
                      sp_table_remark *remark, void *context);

#endif
