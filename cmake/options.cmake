# Options are AUTO | ON | OFF: AUTO takes a part that is found, ON fails without it, OFF does not look.
# Every decision ends up in sp_config.h and in the summary.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()
set(SP_DEBUG -g CACHE STRING "debug information of a release: -g, -g1 (functions and lines, the same machine code)")
set(CMAKE_C_FLAGS_RELEASE "-O2 ${SP_DEBUG}")
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(SP_TESTS "build the tests (needs check)" OFF)
option(SP_BENCH "build the benchmarks" OFF)
option(SP_EXAMPLES "build the examples" OFF)
option(SP_WERROR "warnings are errors" OFF)
option(SP_FUZZ "build the targets of tests/fuzz for libFuzzer (clang)" OFF)
set(SP_SANITIZE OFF CACHE STRING "build with sanitizers: ON (addresses, undefined behaviour), thread (data races), OFF")
# The sanitizers' compiler has no part in code for devices, so that a tree with sanitizers can have that of one without.
set(SP_DEVICE_MADE "" CACHE PATH "finished build tree of the same source, whose code for CUDA and OpenCL is taken")

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# sp_part(NAME HAVE TEXT): a part of the build, whether it is there (0, 1), and what there is to say. The summary at the end of
# the configuration and `spmodel --version` both print what was said so.
function(sp_part name have text)
    set_property(GLOBAL APPEND_STRING PROPERTY SP_SUMMARY "\n  ${name}: ${text}")
    foreach(word name text)
        string(REPLACE "\\" "\\\\" ${word} "${${word}}")
        string(REPLACE "\"" "\\\"" ${word} "${${word}}")
    endforeach()
    set_property(GLOBAL APPEND_STRING PROPERTY SP_PARTS "{\"${name}\", ${have}, \"${text}\"}, ")
endfunction()

# sp_wanted(NAME "what it gives"): the option SP_WITH_NAME.
function(sp_wanted name gives)
    set(SP_WITH_${name} AUTO CACHE STRING "${gives}: AUTO, ON or OFF")
    set_property(CACHE SP_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# sp_decide(NAME "what it gives" FOUND MISSING): sets SP_HAVE_NAME and writes the line of the summary. FOUND says what was
# found, MISSING what was not; it is empty where all was.
function(sp_decide name gives found missing)
    set(have 0)
    if(SP_WITH_${name} STREQUAL "OFF")
        sp_part(${name} 0 "off, as asked (${gives})")
    elseif(missing STREQUAL "")
        set(have 1)
        sp_part(${name} 1 "${found} (${gives})")
    elseif(SP_WITH_${name} STREQUAL "ON")
        message(FATAL_ERROR "SP_WITH_${name}=ON, but there is no ${missing}")
    else()
        sp_part(${name} 0 "no ${missing}; without it: no ${gives}")
    endif()
    set(SP_HAVE_${name} ${have} PARENT_SCOPE)
endfunction()

# sp_optional(NAME "what it gives" pkg-config-module): defines SP_WITH_NAME and SP_HAVE_NAME, target PkgConfig::NAME.
function(sp_optional name gives module)
    sp_wanted(${name} "${gives}")
    set(missing "${module} that pkg-config finds")
    if(NOT SP_WITH_${name} STREQUAL "OFF")
        pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
        if(${name}_FOUND)
            set(missing "")
        endif()
    endif()
    sp_decide(${name} "${gives}" "${${name}_VERSION}" "${missing}")
    set(SP_HAVE_${name} ${SP_HAVE_${name}} PARENT_SCOPE)
endfunction()

sp_part(OpenMP 1 "${OpenMP_C_VERSION}")
sp_part(jansson 1 "${JANSSON_VERSION}")
sp_optional(HWLOC "topology and binding by hwloc (else sysfs)" hwloc)
sp_optional(LIBARCHIVE "reading .gz .xz .zst .bz2 .tar.gz .npz" libarchive)

sp_optional(SQLITE "an index of record stores that is remembered, and track export --sqlite" sqlite3)

# METIS, which has no pkg-config file everywhere: SP_METIS_INCLUDE and SP_METIS_LIBRARY.
sp_wanted(METIS "reorderings by graph partitioning")
set(sp_missing "metis.h and libmetis")
if(NOT SP_WITH_METIS STREQUAL "OFF")
    find_path(SP_METIS_INCLUDE metis.h)
    find_library(SP_METIS_LIBRARY metis)
    if(SP_METIS_INCLUDE AND SP_METIS_LIBRARY)
        set(sp_missing "")
    endif()
endif()
sp_decide(METIS "reorderings by graph partitioning" "${SP_METIS_LIBRARY}" "${sp_missing}")

# Open MPI, MPICH: for modules of their own, which the program opens when they are asked for.
sp_wanted(MPI "distributed SpMV (analyze --mpi) and counts of messages (attach --mpi)")
set(sp_missing "MPI for C that CMake finds (mpicc)")
if(NOT SP_WITH_MPI STREQUAL "OFF")
    find_package(MPI QUIET COMPONENTS C)
    if(MPI_C_FOUND)
        set(sp_missing "")
    endif()
endif()
set(sp_mpi_found "${MPI_C_VERSION}")
if(MPI_C_LIBRARY_VERSION_STRING MATCHES "^([A-Z][A-Za-z]+ ?MPI v[0-9.]+|MPICH[^0-9]*[0-9.]+)")
    set(sp_mpi_found "${CMAKE_MATCH_1}")
endif()
sp_decide(MPI "distributed SpMV (analyze --mpi) and counts of messages (attach --mpi)" "${sp_mpi_found}" "${sp_missing}")

# Scotch, sequential: SP_SCOTCH_INCLUDE, SP_SCOTCH_LIBRARY and SP_SCOTCHERR_LIBRARY.
sp_wanted(SCOTCH "row partitions by Scotch")
set(sp_missing "scotch.h, libscotch and libscotcherr")
if(NOT SP_WITH_SCOTCH STREQUAL "OFF")
    find_path(SP_SCOTCH_INCLUDE scotch.h PATH_SUFFIXES scotch)
    find_library(SP_SCOTCH_LIBRARY scotch)
    find_library(SP_SCOTCHERR_LIBRARY scotcherr)
    if(SP_SCOTCH_INCLUDE AND SP_SCOTCH_LIBRARY AND SP_SCOTCHERR_LIBRARY)
        set(sp_missing "")
    endif()
endif()
sp_decide(SCOTCH "row partitions by Scotch" "${SP_SCOTCH_LIBRARY}" "${sp_missing}")

# Opened at run time by the helper, so a machine may have them that the build machine has not.
foreach(library likwid papi)
    string(TOUPPER ${library} upper)
    file(GLOB sp_runtime /usr/lib/*/lib${library}.so* /usr/lib/lib${library}.so* /usr/lib64/lib${library}.so*
        /usr/local/lib/lib${library}.so*)
    if(sp_runtime)
        list(GET sp_runtime 0 sp_runtime)
        sp_part(${upper} 1 "opened at run time, here ${sp_runtime}")
    else()
        sp_part(${upper} 0 "opened at run time, not installed where it was built")
    endif()
endforeach()

include(cmake/cuda.cmake)
include(cmake/hip.cmake)
include(cmake/opencl.cmake)

find_program(GNUPLOT gnuplot)
if(GNUPLOT)
    sp_part(gnuplot 1 "${GNUPLOT}")
else()
    sp_part(gnuplot 0 "not found; plots are written as scripts until it is installed")
endif()

find_package(Git QUIET)
set(SP_GIT_VERSION "unknown")
if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --tags
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE sp_git OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT_EXECUTABLE} log -1 --format=%cs
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE sp_git_date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(sp_git)
        set(SP_GIT_VERSION "${sp_git}")
    endif()
    # Another commit configures again, so that records and --version name it.
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE sp_git_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    get_filename_component(sp_git_log "${sp_git_log}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
    if(EXISTS "${sp_git_log}" AND NOT IS_DIRECTORY "${sp_git_log}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sp_git_log})
    endif()
endif()

# On the pages of the manual: the commit's day, else that of the build (SOURCE_DATE_EPOCH is obeyed).
if(sp_git_date MATCHES "^[0-9-]+$")
    set(SP_DATE ${sp_git_date})
else()
    string(TIMESTAMP SP_DATE "%Y-%m-%d" UTC)
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" sp_build_type)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${sp_build_type}}" SP_C_FLAGS)
string(REPLACE "\"" "\\\"" SP_C_FLAGS "${SP_C_FLAGS}")

# The last thing: sp_config.h, when all parts are known, and the summary.
function(sp_finish)
    get_property(SP_PARTS GLOBAL PROPERTY SP_PARTS)
    get_property(lines GLOBAL PROPERTY SP_SUMMARY)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/sp_config.h.in ${CMAKE_BINARY_DIR}/generated/sp_config.h)
    message(STATUS "spmodel ${PROJECT_VERSION} (${SP_GIT_VERSION}), ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, "
        "${CMAKE_BUILD_TYPE}${lines}")
endfunction()
