#include "sparse/csr/sort.h"

#include <string.h>

#define KEY        int32_t
#define MERGE_NAME merge_i32
#define SORT_NAME  sp_sort_i32
#include "sparse/csr/sort_merge.inc"
#undef KEY
#undef MERGE_NAME
#undef SORT_NAME

#define KEY        uint64_t
#define MERGE_NAME merge_u64
#define SORT_NAME  sp_sort_u64
#include "sparse/csr/sort_merge.inc"
