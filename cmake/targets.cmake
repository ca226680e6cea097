include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

# One static library a layer; the folder in an include is the edge of the graph, so every layer sees the same two
# roots: src/ (base, sparse, ...) and the top (model, kernels, probes, plots).

# sp_layer(NAME SOURCES... [NEEDS libraries...])
function(sp_layer name)
    cmake_parse_arguments(arg "" "" "NEEDS" ${ARGN})
    if(NOT arg_UNPARSED_ARGUMENTS)
        add_library(sp_${name} INTERFACE)
        target_link_libraries(sp_${name} INTERFACE ${arg_NEEDS} sp_settings)
        return()
    endif()
    add_library(sp_${name} STATIC ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(sp_${name} PUBLIC ${arg_NEEDS} sp_settings)
    set_target_properties(sp_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# sp_tables_of_texts(TARGET FILE SCRIPT texts...): generated/FILE, which sources of the target include, is made by awk of text
# files in the way of model/formulas/formulas.awk. A text that is wrong is an error of the build.
find_program(SP_AWK NAMES awk mawk gawk REQUIRED)
function(sp_tables_of_texts target file script)
    set(made ${CMAKE_BINARY_DIR}/generated/${file})
    set(reader ${CMAKE_SOURCE_DIR}/model/formulas/formulas.awk)
    get_filename_component(folder ${made} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${made}
        COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${SP_AWK} -f ${reader} -f ${script} ${ARGN} > ${made}.part
        COMMAND ${CMAKE_COMMAND} -E rename ${made}.part ${made}
        DEPENDS ${reader} ${script} ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "${file}")
    target_sources(${target} PRIVATE ${made})
endfunction()

# sp_first_flag(VARIABLE FLAGS...): the first that the compiler knows, for what compilers call differently.
function(sp_first_flag variable)
    set(${variable} "" PARENT_SCOPE)
    foreach(flag ${ARGN})
        string(MAKE_C_IDENTIFIER "SP_KNOWS${flag}" known)
        check_c_compiler_flag(${flag} ${known})
        if(${known})
            set(${variable} ${flag} PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()

# sp_isa_sources(FLAGS files...): these files are compiled for an instruction set of their own.
# Under sanitizers their many bodies take minutes to optimise (gcc at -O2, clang at -O1, too), for nothing.
function(sp_isa_sources flags)
    if(SP_SANITIZE)
        list(APPEND flags $<IF:$<C_COMPILER_ID:GNU>,-O1,-O0>)
    endif()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}")
endfunction()

# sp_isa_bodies(ISA FLAGS files...): adds the files to sp_kernels, compiled for an instruction set, of which the
# compiler is told the flags and SP_ISA. A file may be named once for each.
function(sp_isa_bodies isa flags)
    if(SP_SANITIZE)
        list(APPEND flags $<IF:$<C_COMPILER_ID:GNU>,-O1,-O0>)
    endif()
    list(GET ARGN 0 first)
    get_filename_component(first ${first} NAME_WE)
    set(bodies sp_kernels_${isa}_${first})
    add_library(${bodies} OBJECT ${ARGN})
    target_link_libraries(${bodies} PRIVATE sp_sys sp_sparse sp_base sp_settings)
    target_compile_definitions(${bodies} PRIVATE SP_ISA=${isa})
    # Lines for the debugger, but not where each variable lives in a hundred unrolled bodies: a third of the compiler's time.
    target_compile_options(${bodies} PRIVATE ${flags} $<$<C_COMPILER_ID:GNU>:-fno-var-tracking>)
    set_target_properties(${bodies} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_sources(sp_kernels PRIVATE $<TARGET_OBJECTS:${bodies}>)
endfunction()

add_library(sp_settings INTERFACE)
target_compile_features(sp_settings INTERFACE c_std_17)
target_compile_definitions(sp_settings INTERFACE _GNU_SOURCE)
target_include_directories(sp_settings INTERFACE
    ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(sp_settings INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fno-math-errno
    $<$<BOOL:${SP_WERROR}>:-Werror>)
target_link_libraries(sp_settings INTERFACE OpenMP::OpenMP_C m)
# ON: whatever of these the compiler has, and every finding ends the program. thread: data races, alone, for the compiler
# whose OpenMP the sanitizer understands (clang with libomp and its archer).
if(SP_SANITIZE STREQUAL "thread")
    set(sp_sanitizers -fsanitize=thread)
elseif(SP_SANITIZE)
    sp_first_flag(sp_float_cast -fsanitize=float-cast-overflow)
    set(sp_sanitizers -fsanitize=address,undefined ${sp_float_cast})
endif()
if(SP_SANITIZE)
    # Programs in C cannot give modules in C++ what two of clang's checks call.
    target_compile_options(sp_settings INTERFACE ${sp_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer
        $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=vptr,function>)
    target_link_options(sp_settings INTERFACE ${sp_sanitizers})
    # Lines for the reports; ASan knows the names of variables by itself.
    target_compile_options(sp_settings INTERFACE $<$<COMPILE_LANG_AND_ID:C,Clang>:-gline-tables-only>
        $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-gline-tables-only>)
    # Half of the time that clang takes for kernels; where a pointer that wrapped around is used, the others notice.
    set(sp_kernel_rooms ${PROJECT_SOURCE_DIR}/kernels ${PROJECT_SOURCE_DIR}/tests/gpu)
    target_compile_options(sp_settings INTERFACE
        $<$<AND:$<C_COMPILER_ID:Clang>,$<IN_LIST:$<TARGET_PROPERTY:SOURCE_DIR>,${sp_kernel_rooms}>>:-fno-sanitize=pointer-overflow>)
endif()
# LLVM's linker takes a third of the time: for programs with sanitizers, which are large, and for those of tests, which are many.
if(SP_SANITIZE OR SP_TESTS)
    set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=lld)
    check_c_source_compiles("int main(void) { return 0; }" SP_KNOWS_LLD)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
if(SP_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    if(SP_KNOWS_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
    # Nothing to relocate: a fifth of the start of a program, of which tests start thousands.
    if(NOT SP_SANITIZE STREQUAL "thread")
        add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    endif()
endif()
# Sanitizers keep loops of `omp simd` from vectors, of which clang warns.
if(SP_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    add_compile_options(-Wno-pass-failed)
endif()
if(SP_FUZZ) # what follows branches costs a fifth of the time, so only what reads input has it
    set(sp_followed src/base src/sparse src/io src/track src/report src/session)
    list(TRANSFORM sp_followed PREPEND ${PROJECT_SOURCE_DIR}/)
    target_compile_options(sp_settings INTERFACE
        $<$<IN_LIST:$<TARGET_PROPERTY:SOURCE_DIR>,${sp_followed}>:-fsanitize=fuzzer-no-link>)
endif()
# sp_not_followed(patterns...): what of such a folder only computes.
function(sp_not_followed)
    if(SP_FUZZ)
        file(GLOB files CONFIGURE_DEPENDS ${ARGN})
        set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)
    endif()
endfunction()
