/* What an analysis gave, as the library hands it out. */
#ifndef SP_API_RESULT_H
#define SP_API_RESULT_H

#include "base/memory.h"
#include "base/status.h"
#include "include/spmodel.h"
#include "io/matrix/load_options.h"
#include "io/record/record.h"
#include "sparse/csr/csr.h"

enum { SP_RESULT_FORMS = SPMODEL_HTML + 1 };

struct spmodel_result {
    struct sp_record record;
    char *text[SP_RESULT_FORMS]; /* made when they are asked for */
};

/* Takes the record, with its verdict. NULL: no memory, and the record is freed. */
struct spmodel_result *sp_result_of(struct sp_record *record);

/* A matrix of the caller's as the program's own: arrays like ours are borrowed. */

/* Frees what it gave, and leaves what the caller lent. Must outlive the matrix. */
struct sp_lender {
    struct sp_allocator allocator;
    const struct sp_allocator *inner;
    const void *lent[3];
};

/* The canonical matrix of the view. Row pointers of 8 bytes, columns and values of any width are
 * borrowed where they begin with 0 and columns ascend in a row. Row pointers of 4 bytes are copied,
 * 8 bytes a row; what begins with 1 has both index arrays copied, 4 bytes an entry more; all three
 * are where rows must be sorted. SP_USAGE: the struct itself makes no sense; SP_INPUT: what it
 * points to is no matrix in rows; SP_MEMORY. */
enum sp_status sp_view_open(const struct spmodel_matrix *view, const struct sp_load_options *load,
                            struct sp_lender *lender, struct sp_csr *matrix, struct sp_load_facts *facts,
                            struct sp_error *err);

#endif
