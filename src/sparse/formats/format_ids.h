/* The numbers of the formats, made of base/option/formats.inc. Only files that name a format
 * include this one, and no header: so a line more is compiled by few. To all others a format is an
 * int below sp_n_formats (sparse/formats/format.h). */
#ifndef SP_SPARSE_FORMAT_IDS_H
#define SP_SPARSE_FORMAT_IDS_H

enum sp_format {
#define SPMV_FORMAT(ID, ...) SP_FORMAT_##ID,
#define DENSE_FORMAT         SPMV_FORMAT
#include "base/option/formats.inc"
    SP_N_FORMATS
};

#endif
