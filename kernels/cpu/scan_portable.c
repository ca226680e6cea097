#include "kernels/cpu/scan_isa.h"

#define SCAN_NAME sp_scan_portable
#include "kernels/cpu/scan_body.inc"
