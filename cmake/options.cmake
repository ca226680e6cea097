# Options are AUTO | ON | OFF: AUTO takes a part that is found, ON fails without it, OFF does not look.
# Every decision ends up in sp_config.h and in the summary.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(SP_TESTS "build the tests (needs check)" OFF)
option(SP_BENCH "build the benchmarks" OFF)
option(SP_EXAMPLES "build the examples" OFF)
option(SP_WERROR "warnings are errors" OFF)
option(SP_SANITIZE "build with address and undefined-behaviour sanitizers" OFF)

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# Lines of the summary, printed at the end of the configuration.
function(sp_note line)
    set_property(GLOBAL APPEND_STRING PROPERTY SP_SUMMARY "\n${line}")
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
        sp_note("  ${name}: off, as asked (${gives})")
    elseif(missing STREQUAL "")
        set(have 1)
        sp_note("  ${name}: ${found} (${gives})")
    elseif(SP_WITH_${name} STREQUAL "ON")
        message(FATAL_ERROR "SP_WITH_${name}=ON, but there is no ${missing}")
    else()
        sp_note("  ${name}: no ${missing}; without it: no ${gives}")
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

sp_optional(HWLOC "topology and binding by hwloc (else sysfs)" hwloc)
sp_optional(LIBARCHIVE "reading .gz .xz .zst .bz2 .tar.gz" libarchive)

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

# Opened at run time by the helper, so a machine may have them that the build machine has not.
foreach(library likwid papi)
    string(TOUPPER ${library} upper)
    file(GLOB sp_runtime /usr/lib/*/lib${library}.so* /usr/lib/lib${library}.so* /usr/lib64/lib${library}.so*
        /usr/local/lib/lib${library}.so*)
    if(sp_runtime)
        list(GET sp_runtime 0 sp_runtime)
        sp_note("  ${upper}: opened at run time, here ${sp_runtime}")
    else()
        sp_note("  ${upper}: opened at run time, not installed here")
    endif()
endforeach()

include(cmake/cuda.cmake)

find_program(GNUPLOT gnuplot)
if(GNUPLOT)
    sp_note("  gnuplot: ${GNUPLOT}")
else()
    sp_note("  gnuplot: not found; plots are written as scripts until it is installed")
endif()

find_package(Git QUIET)
set(SP_GIT_VERSION "unknown")
if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --tags
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE sp_git OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(sp_git)
        set(SP_GIT_VERSION "${sp_git}")
    endif()
endif()

configure_file(${CMAKE_SOURCE_DIR}/cmake/sp_config.h.in ${CMAKE_BINARY_DIR}/generated/sp_config.h)

function(sp_print_summary)
    get_property(lines GLOBAL PROPERTY SP_SUMMARY)
    message(STATUS "spmodel ${PROJECT_VERSION} (${SP_GIT_VERSION}), ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, "
        "${CMAKE_BUILD_TYPE}\n  OpenMP: ${OpenMP_C_VERSION}\n  jansson: ${JANSSON_VERSION}${lines}")
endfunction()
