/* An explanation for people, from what cli/explain/json.h makes. */
#ifndef SP_CLI_EXPLAIN_TEXT_H
#define SP_CLI_EXPLAIN_TEXT_H

#include "io/record/record.h"
#include "report/text/pen.h"

/* One that sp_explain_json() made. `record_name`: what to call the record that its numbers are of; NULL:
 * there is none. */
void sp_explain_text(const json_t *explained, const char *record_name, const struct sp_report_style *style,
                     FILE *out);
/* What sp_explain_list() made, by theme. */
void sp_explain_list_text(const json_t *list, const struct sp_report_style *style, FILE *out);

#endif
