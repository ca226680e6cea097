#include "kernels/cpu/ceiling/scan_isa.h"

#define SCAN_NAME sp_scan_avx2
#include "kernels/cpu/ceiling/scan_body.inc"
