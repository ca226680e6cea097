/* A library that crashes as soon as it is opened. */
#include <stdlib.h>

__attribute__((constructor)) static void crash(void)
{
    abort();
}
