/* Sizes and places of what include/spmodel.h declares, for the committed list tests/data/libspmodel.abi. */
#include <stdio.h>

#include "include/spmodel.h"

#define FIELD(type, field) printf("struct %s.%s %zu\n", #type, #field, offsetof(struct type, field))
#define SIZE(type)         printf("struct %s %zu\n", #type, sizeof(struct type))
#define VALUE(name)        printf("%s %d\n", #name, (int)(name))

int main(void)
{
    SIZE(spmodel_matrix);
    FIELD(spmodel_matrix, n_r);
    FIELD(spmodel_matrix, n_c);
    FIELD(spmodel_matrix, n_nz);
    FIELD(spmodel_matrix, row_ptr);
    FIELD(spmodel_matrix, col);
    FIELD(spmodel_matrix, values);
    FIELD(spmodel_matrix, row_ptr_B);
    FIELD(spmodel_matrix, col_B);
    FIELD(spmodel_matrix, type);
    FIELD(spmodel_matrix, base);
    FIELD(spmodel_matrix, name);
    SIZE(spmodel_array);
    SIZE(spmodel_kernel);
    FIELD(spmodel_kernel, name);
    FIELD(spmodel_kernel, context);
    FIELD(spmodel_kernel, prepare);
    FIELD(spmodel_kernel, run);
    FIELD(spmodel_kernel, finish);
    FIELD(spmodel_kernel, trace);
    FIELD(spmodel_kernel, stores);
    SIZE(spmodel_value);
    FIELD(spmodel_value, value);
    FIELD(spmodel_value, lo);
    FIELD(spmodel_value, hi);
    FIELD(spmodel_value, origin);
    FIELD(spmodel_value, why);
    VALUE(SPMODEL_OK);
    VALUE(SPMODEL_NO);
    VALUE(SPMODEL_USAGE);
    VALUE(SPMODEL_INPUT);
    VALUE(SPMODEL_ABSENT);
    VALUE(SPMODEL_UNDECIDED);
    VALUE(SPMODEL_WRONG);
    VALUE(SPMODEL_BUG);
    VALUE(SPMODEL_CANCELLED);
    VALUE(SPMODEL_F64);
    VALUE(SPMODEL_F32);
    VALUE(SPMODEL_C128);
    VALUE(SPMODEL_MAX_ARRAYS);
    VALUE(SPMODEL_VERDICT);
    VALUE(SPMODEL_REPORT);
    VALUE(SPMODEL_FULL);
    VALUE(SPMODEL_JSON);
    VALUE(SPMODEL_HTML);
    VALUE(SPMODEL_TIME_S);
    VALUE(SPMODEL_MODEL_TIME_S);
    VALUE(SPMODEL_FLOP_S);
    VALUE(SPMODEL_BYTES_B);
    VALUE(SPMODEL_BANDWIDTH_BPS);
    VALUE(SPMODEL_ROOF_BPS);
    VALUE(SPMODEL_FRACTION);
    VALUE(SPMODEL_ALPHA);
    VALUE(SPMODEL_BALANCE_BPF);
    VALUE(SPMODEL_IMBALANCE);
    return 0;
}
