# Where `cmake --install` puts things (GNUInstallDirs decides the folders), and the ways between them: the program finds its
# data, its helper and the GPU module from its own place, so that what was installed may be moved, or staged with DESTDIR.
include(GNUInstallDirs)

file(RELATIVE_PATH SP_DATA_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/spmodel)
file(RELATIVE_PATH SP_DATA_FROM_LIB ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_DATADIR}/spmodel)
file(RELATIVE_PATH SP_INCLUDE_FROM_LIB ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH SP_LIB_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/spmodel)
file(RELATIVE_PATH SP_LIBEXEC_FROM_LIB ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/spmodel)
file(RELATIVE_PATH SP_LIBEXEC_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/spmodel)

install(DIRECTORY machines DESTINATION ${CMAKE_INSTALL_DATADIR}/spmodel FILES_MATCHING PATTERN "*.json")
install(DIRECTORY networks DESTINATION ${CMAKE_INSTALL_DATADIR}/spmodel FILES_MATCHING PATTERN "*.json")
install(DIRECTORY labs DESTINATION ${CMAKE_INSTALL_DATADIR}/spmodel PATTERN "solution.json" EXCLUDE PATTERN "solution" EXCLUDE)
install(DIRECTORY data DESTINATION ${CMAKE_INSTALL_DATADIR}/spmodel)
install(FILES LICENSE README.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "CMakeLists.txt" EXCLUDE)

# sp_install_manual(): pages and completions, which the program itself writes. A program for another processor cannot, unless
# CMAKE_CROSSCOMPILING_EMULATOR is set.
function(sp_install_manual)
    if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
        sp_part("manual and completion" 0 "not made: the program cannot run here (CMAKE_CROSSCOMPILING_EMULATOR)")
        return()
    endif()
    set(folder ${CMAKE_BINARY_DIR}/manual)
    add_custom_command(OUTPUT ${folder}/_spmodel
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND spmodel help --man-pages ${folder}
        COMMAND spmodel completion bash -o ${folder}/spmodel
        COMMAND spmodel completion zsh -o ${folder}/_spmodel
        DEPENDS spmodel COMMENT "manual and completion" VERBATIM)
    add_custom_target(manual ALL DEPENDS ${folder}/_spmodel)
    install(DIRECTORY ${folder}/man1 ${folder}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES ${folder}/spmodel DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${folder}/_spmodel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endfunction()
