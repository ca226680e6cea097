#include "peer.h"

const struct peer peer_mkl = {.name = "MKL", .absent = "MKL was not found (PyPI: mkl, mkl-include)"};
