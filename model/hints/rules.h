/* The rules, one file hint_NAME.c each; the table in hints.c lists them. Letters: A x, B balance of threads,
 * C execution, D padding, E bytes of the matrix, F threads, G placement and stores, H level, J GPUs. */
#ifndef SP_MODEL_HINT_RULES_H
#define SP_MODEL_HINT_RULES_H

#include "model/hints/hints.h"

extern const struct sp_hint_rule sp_hint_x_traffic;       /* A01 */
extern const struct sp_hint_rule sp_hint_x_duplication;   /* A02 */
extern const struct sp_hint_rule sp_hint_prefetch;        /* A03 */
extern const struct sp_hint_rule sp_hint_stripes;         /* A04 */
extern const struct sp_hint_rule sp_hint_imbalance;       /* B01 */
extern const struct sp_hint_rule sp_hint_in_core;         /* C01 */
extern const struct sp_hint_rule sp_hint_below_model;     /* C02 */
extern const struct sp_hint_rule sp_hint_padding;         /* D01 */
extern const struct sp_hint_rule sp_hint_index_bytes;     /* E01 */
extern const struct sp_hint_rule sp_hint_symmetric;       /* E02 */
extern const struct sp_hint_rule sp_hint_precision;       /* E03 */
extern const struct sp_hint_rule sp_hint_blocks;          /* E04 */
extern const struct sp_hint_rule sp_hint_width;           /* E05 */
extern const struct sp_hint_rule sp_hint_zeros;           /* E06 */
extern const struct sp_hint_rule sp_hint_threads;         /* F01 */
extern const struct sp_hint_rule sp_hint_team;            /* F02 */
extern const struct sp_hint_rule sp_hint_pages;           /* G01 */
extern const struct sp_hint_rule sp_hint_numa;            /* G02 */
extern const struct sp_hint_rule sp_hint_write_allocate;  /* G03 */
extern const struct sp_hint_rule sp_hint_level;           /* H01 */
extern const struct sp_hint_rule sp_hint_gpu_format;      /* J01 */
extern const struct sp_hint_rule sp_hint_gpu_launch;      /* J02 */
extern const struct sp_hint_rule sp_hint_gpu_persistence; /* J03 */
extern const struct sp_hint_rule sp_hint_gpu_order;       /* J04 */
extern const struct sp_hint_rule sp_hint_gpu_divergence;  /* J05 */
extern const struct sp_hint_rule sp_hint_gpu_units;       /* J06 */
extern const struct sp_hint_rule sp_hint_gpu_tiles;       /* J07 */

#endif
