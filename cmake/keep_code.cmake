# cmake -DFOLDER=DIR -P keep_code.cmake: of what nvcc leaves in a folder with --keep, the machine code alone stays.
file(GLOB all ${FOLDER}/*)
list(FILTER all EXCLUDE REGEX "\\.cubin$")
if(all)
    file(REMOVE ${all})
endif()
