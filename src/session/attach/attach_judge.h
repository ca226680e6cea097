/* A product of an unchanged program (io/attach/capture.h), judged: its bytes simulated as a walk
 * over CRS, its times held against the roof of the machine. */
#ifndef SP_SESSION_ATTACH_JUDGE_H
#define SP_SESSION_ATTACH_JUDGE_H

#include "io/attach/capture.h"
#include "session/analyze/analyze.h"
#include "sparse/csr/csr.h"

struct sp_attach_request {
    const struct sp_machine *gpu; /* whose ceilings products on GPUs are held against; NULL: not judged */
    int n_threads;                /* that a product had; 0: as many as its library said */
    const char *folder; /* where the pattern lies, for commands that name it; NULL: in that of the capture */
    /* The rest, with topology, machine and memory: as for any recording. */
    const struct sp_analyze_options *analyze;
};

/* Why it is counted and timed only, a sentence without its end; NULL: it can be judged. */
const char *sp_attach_why_not(const struct sp_capture *capture, const struct sp_captured_product *product,
                              bool has_gpu);

/* A product's part of the program's time, 0 ... 1: of the calling threads'; NAN: not known. */
double sp_attach_share(const struct sp_capture *capture, const struct sp_captured_product *product);

/* Bytes of CRS with the program's own indices, each array once: the least that a product moves to
 * and from the core, judged or not [B]; NAN: widths of its arrays are not known. */
double sp_attach_least_B(const struct sp_capture *capture, const struct sp_captured_product *product);

/* `name`: of the matrix, for people and files ("petsc_cg-A1"). The record has `attach`, too. */
enum sp_status sp_attach_judge(const struct sp_capture *capture, const struct sp_captured_product *product,
                               const char *name, const struct sp_attach_request *request,
                               const struct sp_progress *progress, struct sp_record *record,
                               struct sp_error *err);

/* What a product of an unchanged program walks over: the pattern that was kept, its transpose, a
 * triangle of it, or the matrix that a triangle stands for. */

enum sp_attach_walk { SP_WALK_ROWS, SP_WALK_TRANSPOSED, SP_WALK_TRIANGLE, SP_WALK_HALF };

/* How the product is taken to walk: rows of A, rows of A^T, rows of one triangle, half storage. */
enum sp_attach_walk sp_attach_walk_of(const struct sp_captured_product *product);
/* "rows", "transposed", ...; and a sentence without its end, NULL for rows. */
const char *sp_attach_walk_name(enum sp_attach_walk walk);
const char *sp_attach_walk_text(enum sp_attach_walk walk);

/* Puts that matrix in the place of the pattern as it was kept; allocated as that was, values all 1.
 * On failure the matrix is freed. */
enum sp_status sp_attach_walked(const struct sp_captured_product *product, struct sp_csr *matrix,
                                struct sp_error *err);

#endif
