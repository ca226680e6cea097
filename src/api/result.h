/* What an analysis gave, as the library hands it out. */
#ifndef SP_API_RESULT_H
#define SP_API_RESULT_H

#include "include/spmodel.h"
#include "io/record/record.h"

enum { SP_RESULT_FORMS = SPMODEL_HTML + 1 };

struct spmodel_result {
    struct sp_record record;
    char *text[SP_RESULT_FORMS]; /* made when they are asked for */
};

/* Takes the record, with its verdict. NULL: no memory, and the record is freed. */
struct spmodel_result *sp_result_of(struct sp_record *record);

#endif
