# AMD's compiler, for a module of the same kernels (kernels/cuda/gpu_hip.h). AUTO builds it where the machine has an AMD GPU:
# Debian's hipcc may be there without one.
#
#   SP_WITH_HIP   hipcc that compiles, libamdhip64   -> SP_HAVE_HIP, SP_HIPCC, SP_HIP_LIBRARY, SP_HIP_INCLUDE
#   SP_HIP_ARCH   architectures, "gfx90a;gfx1030"
sp_wanted(HIP "GPU kernels for AMD, in a module opened at run time")
set(SP_HIP_ARCH "gfx90a;gfx1030" CACHE STRING "AMD architectures that GPU kernels are compiled for")
set(sp_hip_missing "")
if(NOT SP_WITH_HIP STREQUAL "OFF")
    find_program(SP_HIPCC hipcc PATHS ENV HIP_PATH /opt/rocm PATH_SUFFIXES bin)
    find_library(SP_HIP_LIBRARY amdhip64 HINTS ENV HIP_PATH PATHS /opt/rocm PATH_SUFFIXES lib)
    find_path(SP_HIP_INCLUDE hip/hip_runtime_api.h HINTS ENV HIP_PATH PATHS /opt/rocm PATH_SUFFIXES include)
    if(NOT SP_HIPCC)
        set(sp_hip_missing "hipcc")
    elseif(NOT SP_HIP_LIBRARY OR NOT SP_HIP_INCLUDE)
        set(sp_hip_missing "libamdhip64 with its headers for ${SP_HIPCC}")
    elseif(SP_WITH_HIP STREQUAL "AUTO" AND NOT EXISTS /dev/kfd)
        set(sp_hip_missing "AMD GPU here (-DSP_WITH_HIP=ON builds all the same)")
    endif()
endif()
sp_decide(HIP "GPU kernels for AMD, never run" "${SP_HIPCC} for ${SP_HIP_ARCH}" "${sp_hip_missing}")
