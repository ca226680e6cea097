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

int sp_compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}
