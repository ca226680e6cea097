#include "peer.h"

const struct peer peer_eigen = {.name = "Eigen", .absent = "Eigen or a C++ compiler was not found"};
