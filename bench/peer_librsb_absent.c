#include "peer.h"

const struct peer peer_librsb = {.name = "librsb", .absent = "librsb was not found"};
