# OpenCL, for a module that the program opens at run time. The kernels' bodies are compiled by clang as C++ for OpenCL into LLVM
# bitcode in the form of SPIR, and where llvm-spirv is there also into SPIR-V; the device's driver makes code of either.
#
#   SP_WITH_OPENCL   clang that knows C++ for OpenCL (14 and later), a C++ compiler, CL/cl.h   -> SP_HAVE_OPENCL
#
# Sets SP_OPENCL_CLANG, SP_OPENCL_SPIRV (llvm-spirv, or nothing), SP_OPENCL_INCLUDE, SP_OPENCL_FLAGS.

set(sp_opencl_gives "kernels for OpenCL devices, in a module opened at run time")
sp_wanted(OPENCL "${sp_opencl_gives}")

set(SP_OPENCL_FLAGS -x clcpp -cl-std=clc++2021 --target=spir64-unknown-unknown -ffreestanding -O2 -emit-llvm)

function(sp_try_clcpp works)
    if(NOT "${SP_OPENCL_TRIED}" STREQUAL "${SP_OPENCL_CLANG}")
        set(folder ${CMAKE_BINARY_DIR}/CMakeFiles/sp_try_clcpp)
        file(WRITE ${folder}/try.clcpp
            "template <class V> void set(V *p) { *p = 1; }\nkernel void k(global int *p) { set(p); }\n")
        execute_process(COMMAND ${SP_OPENCL_CLANG} ${SP_OPENCL_FLAGS} -c try.clcpp -o try.bc WORKING_DIRECTORY ${folder}
            RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
        file(WRITE ${folder}/log "${said}")
        set(SP_OPENCL_TRIED ${SP_OPENCL_CLANG} CACHE INTERNAL "the clang that was tried")
        set(SP_OPENCL_TRIED_STATUS "${status}" CACHE INTERNAL "its exit status")
    endif()
    if("${SP_OPENCL_TRIED_STATUS}" STREQUAL "0")
        set(${works} TRUE PARENT_SCOPE)
    else()
        set(${works} FALSE PARENT_SCOPE)
    endif()
endfunction()

set(sp_opencl_missing "")
if(NOT SP_WITH_OPENCL STREQUAL "OFF")
    include(CheckLanguage)
    check_language(CXX)
    find_program(SP_OPENCL_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
    find_path(SP_OPENCL_INCLUDE CL/cl.h)
    if(NOT CMAKE_CXX_COMPILER)
        set(sp_opencl_missing "C++ compiler")
    elseif(NOT SP_OPENCL_CLANG)
        set(sp_opencl_missing "clang")
    elseif(NOT SP_OPENCL_INCLUDE)
        set(sp_opencl_missing "CL/cl.h")
    else()
        sp_try_clcpp(sp_clcpp_works)
        if(NOT sp_clcpp_works)
            set(sp_opencl_missing "clang that knows C++ for OpenCL (see CMakeFiles/sp_try_clcpp/log)")
        endif()
    endif()
    if(sp_opencl_missing STREQUAL "")
        # A translator reads bitcode of its own version and before.
        execute_process(COMMAND ${SP_OPENCL_CLANG} -dumpversion OUTPUT_VARIABLE sp_clang_version
            OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REGEX REPLACE "\\..*" "" sp_clang_version "${sp_clang_version}")
        find_program(SP_OPENCL_SPIRV NAMES llvm-spirv-${sp_clang_version} llvm-spirv)
    endif()
endif()
if(SP_OPENCL_SPIRV)
    set(sp_opencl_says "SPIR by ${SP_OPENCL_CLANG}, SPIR-V by ${SP_OPENCL_SPIRV}")
else()
    set(sp_opencl_says "SPIR by ${SP_OPENCL_CLANG}, no SPIR-V because there is no llvm-spirv")
endif()
sp_decide(OPENCL "${sp_opencl_gives}" "${sp_opencl_says}" "${sp_opencl_missing}")
