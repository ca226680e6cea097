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

# sp_isa_sources(FLAGS files...): these files are compiled for an instruction set of their own.
# Under sanitizers their many bodies take minutes to optimise, for nothing.
function(sp_isa_sources flags)
    if(SP_SANITIZE)
        list(APPEND flags -O1)
    endif()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}")
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
if(SP_SANITIZE)
    target_compile_options(sp_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(sp_settings INTERFACE -fsanitize=address,undefined)
endif()
