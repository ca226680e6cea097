/* The matrix of an analysis: loaded, reordered when asked, its structure known. */
#ifndef SP_SESSION_SUBJECT_H
#define SP_SESSION_SUBJECT_H

#include "base/progress.h"
#include "io/matrix/load_options.h"
#include "model/hints/hints.h"
#include "sparse/csr/csr.h"
#include "sparse/structure/structure.h"

/* Zero-initialise; sp_subject_free(). */
struct sp_subject {
    char argument[1024];    /* as typed */
    char name[128];         /* for people and file names */
    char reorder[32];       /* "none", "rcm", "random:7" */
    struct sp_csr matrix;   /* after reordering */
    bool has_original;      /* sp_subject_reorder() kept it */
    struct sp_csr original; /* before reordering; empty without has_original */
    struct sp_load_facts facts;
    struct sp_structure structure; /* after reordering */
    double load_s, reorder_s;
};

/* reorder: NULL or "none", or a row of sparse/reorder/reorder.h. */
enum sp_status sp_subject_open(const char *argument, const struct sp_load_options *load, const char *reorder,
                               const struct sp_progress *progress, struct sp_subject *subject,
                               struct sp_error *err);
/* A subject in the order of its file takes this one, and keeps the original for trials of other orders;
 * "none": nothing is done. On failure the subject is as before. */
enum sp_status sp_subject_reorder(struct sp_subject *subject, const char *reorder,
                                  const struct sp_allocator *allocator, const struct sp_progress *progress,
                                  struct sp_error *err);
/* What hints may know of the matrix itself: symmetry, values, blocks. */
void sp_subject_hint_inputs(const struct sp_subject *subject, struct sp_hint_inputs *inputs);
void sp_subject_free(struct sp_subject *subject);

#endif
