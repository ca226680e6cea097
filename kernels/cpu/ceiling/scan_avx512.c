#include "kernels/cpu/ceiling/scan_isa.h"

#define SCAN_NAME sp_scan_avx512
#include "kernels/cpu/ceiling/scan_body.inc"
