#include "model/formulas/formulas.h"

#define SP_FORMULA_TABLES
#include "model/formulas/formulas.inc"
