# The CUDA toolkit, for a module that the program opens at run time: the program itself links nothing of it, and CUDA is
# not enabled as a language of the project. Three decisions:
#
#   SP_WITH_CUDA   nvcc that compiles, headers, libcudart_static.a      -> SP_HAVE_CUDA
#   SP_WITH_CUPTI  headers of the range profiler (CUDA 12.6 and later)  -> SP_HAVE_CUPTI, which implies SP_HAVE_CUDA
#   SP_WITH_CUSPARSE  headers of cuSPARSE and cuBLAS, which benchmarks stand beside  -> SP_HAVE_CUSPARSE, likewise
#
# Looked for in CUDAToolkit_ROOT, PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda. Sets SP_CUDA_NVCC, SP_CUDA_VERSION, SP_CUDA_INCLUDE,
# SP_CUDA_LIBRARY_DIR, SP_CUPTI_INCLUDE, SP_CUPTI_LIBRARY_DIR (empty where only the headers are), and the target sp_cupti_headers.

sp_wanted(CUDA "GPU kernels, in a module opened at run time")
sp_wanted(CUPTI "counters of the GPU")
sp_wanted(CUSPARSE "cuSPARSE and cuBLAS as peers in benchmarks")

# A compiler that starts but refuses the host's compiler or C library must not stop a build that did not ask for it.
function(sp_try_nvcc works)
    if(NOT "${SP_CUDA_TRIED}" STREQUAL "${SP_CUDA_NVCC}")
        set(folder ${CMAKE_BINARY_DIR}/CMakeFiles/sp_try_nvcc)
        file(WRITE ${folder}/try.cu "#include <cuda_runtime.h>\n__global__ void nothing() {}\n")
        execute_process(COMMAND ${SP_CUDA_NVCC} -c try.cu -o try.o WORKING_DIRECTORY ${folder}
            RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
        file(WRITE ${folder}/log "${said}")
        set(SP_CUDA_TRIED ${SP_CUDA_NVCC} CACHE INTERNAL "the nvcc that was tried")
        set(SP_CUDA_TRIED_STATUS "${status}" CACHE INTERNAL "its exit status")
    endif()
    if("${SP_CUDA_TRIED_STATUS}" STREQUAL "0")
        set(${works} TRUE PARENT_SCOPE)
    else()
        set(${works} FALSE PARENT_SCOPE)
    endif()
endfunction()

set(sp_cuda_missing "")
set(SP_CUDA_VERSION "")
if(NOT SP_WITH_CUDA STREQUAL "OFF")
    find_program(SP_CUDA_NVCC nvcc HINTS ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT
        PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
    if(NOT SP_CUDA_NVCC)
        set(sp_cuda_missing "nvcc")
    else()
        get_filename_component(sp_cuda_root ${SP_CUDA_NVCC} REALPATH)
        get_filename_component(sp_cuda_root ${sp_cuda_root}/../.. ABSOLUTE)
        set(sp_cuda_targets ${sp_cuda_root}/targets/${CMAKE_SYSTEM_PROCESSOR}-linux ${sp_cuda_root}/targets/sbsa-linux)
        find_path(SP_CUDA_INCLUDE cuda_runtime.h HINTS ${sp_cuda_root} ${sp_cuda_targets} PATH_SUFFIXES include)
        find_path(SP_CUDA_LIBRARY_DIR libcudart_static.a HINTS ${sp_cuda_root} ${sp_cuda_targets}
            PATH_SUFFIXES lib64 lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
        sp_try_nvcc(sp_nvcc_works)
        if(NOT SP_CUDA_INCLUDE)
            set(sp_cuda_missing "cuda_runtime.h for ${SP_CUDA_NVCC}")
        elseif(NOT SP_CUDA_LIBRARY_DIR)
            set(sp_cuda_missing "libcudart_static.a for ${SP_CUDA_NVCC}")
        elseif(NOT sp_nvcc_works)
            set(sp_cuda_missing "nvcc that works with this compiler (see CMakeFiles/sp_try_nvcc/log)")
        endif()
        execute_process(COMMAND ${SP_CUDA_NVCC} --version OUTPUT_VARIABLE sp_nvcc_says ERROR_QUIET)
        if(sp_nvcc_says MATCHES "release ([0-9.]+)")
            set(SP_CUDA_VERSION ${CMAKE_MATCH_1})
        endif()
    endif()
endif()
sp_decide(CUDA "GPU kernels, in a module opened at run time" "${SP_CUDA_VERSION}, ${SP_CUDA_NVCC}" "${sp_cuda_missing}")

set(sp_cupti_missing "")
if(NOT SP_HAVE_CUDA)
    set(sp_cupti_missing "CUDA")
elseif(NOT SP_WITH_CUPTI STREQUAL "OFF")
    find_path(SP_CUPTI_INCLUDE cupti_range_profiler.h HINTS ${SP_CUDA_INCLUDE} ${sp_cuda_root}/extras/CUPTI/include)
    find_path(SP_CUPTI_LIBRARY_DIR libcupti.so HINTS ${SP_CUDA_LIBRARY_DIR} ${sp_cuda_root}/extras/CUPTI/lib64)
    foreach(header cupti_range_profiler.h cupti_profiler_host.h cupti_target.h)
        if(NOT EXISTS ${SP_CUPTI_INCLUDE}/${header})
            set(sp_cupti_missing ${header})
        endif()
    endforeach()
endif()
set(sp_cupti_says "opened at run time, here ${SP_CUPTI_LIBRARY_DIR}")
if(NOT SP_CUPTI_LIBRARY_DIR)
    set(SP_CUPTI_LIBRARY_DIR "")
    set(sp_cupti_says "headers; the library is opened at run time and not installed here")
endif()
sp_decide(CUPTI "counters of the GPU" "${sp_cupti_says}" "${sp_cupti_missing}")

# cupti_profiler_host.h includes <string> and uses nothing of it: an empty file of that name lets C read it.
if(SP_HAVE_CUPTI)
    file(WRITE ${CMAKE_BINARY_DIR}/generated/cupti_c/string "")
    add_library(sp_cupti_headers INTERFACE)
    target_include_directories(sp_cupti_headers SYSTEM INTERFACE
        $<$<COMPILE_LANGUAGE:C>:${CMAKE_BINARY_DIR}/generated/cupti_c> ${SP_CUPTI_INCLUDE} ${SP_CUDA_INCLUDE})
endif()

set(sp_cusparse_missing "")
if(NOT SP_HAVE_CUDA)
    set(sp_cusparse_missing "CUDA")
else()
    foreach(header cusparse.h cublas_v2.h)
        if(NOT EXISTS ${SP_CUDA_INCLUDE}/${header})
            set(sp_cusparse_missing ${header})
        endif()
    endforeach()
endif()
sp_decide(CUSPARSE "cuSPARSE and cuBLAS as peers in benchmarks" "opened at run time" "${sp_cusparse_missing}")
