/* For files that are compiled once for each instruction set, with SP_ISA its name
 * (kernels/CMakeLists.txt), and else for the base one. */
#ifndef SP_KERNELS_CPU_ISA_H
#define SP_KERNELS_CPU_ISA_H

#define SP_PASTE_(a, b)    a##b
#define SP_PASTE(a, b)     SP_PASTE_(a, b)
#define SP_PASTE3(a, b, c) SP_PASTE(SP_PASTE(a, b), c)

#ifndef SP_ISA
#define SP_ISA portable
#endif
#define SP_LEVEL_portable 0
#define SP_LEVEL_avx2     1
#define SP_LEVEL_avx512   2
#define SP_LEVEL          SP_PASTE(SP_LEVEL_, SP_ISA)

/* A name that other files see, of this instruction set. */
#define OF_ISA(what) SP_PASTE3(what, _, SP_ISA)

#endif
