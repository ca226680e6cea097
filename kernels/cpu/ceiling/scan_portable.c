#include "kernels/cpu/ceiling/scan_isa.h"

#define SCAN_NAME sp_scan_portable
#include "kernels/cpu/ceiling/scan_body.inc"
