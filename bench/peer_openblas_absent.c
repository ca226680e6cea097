#include "peer_dense.h"

const struct peer_dense peer_dense = {.name = "OpenBLAS", .absent = "OpenBLAS was not found"};
