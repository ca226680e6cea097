/* A peer that was not found where this was built; compiled once for each (bench/CMakeLists.txt). */
#include "peer.h"

const struct peer SP_PEER = {.name = SP_PEER_NAME, .absent = SP_PEER_LACKS};
