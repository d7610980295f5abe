# What every program of tools/ gets besides its sources: its place in an installation, its completion, and its manual pages, which
# are made of what the program says of its own options.

commprof_option_of_found(COMMPROF_MANUALS "Manual pages")
find_program(HELP2MAN_EXECUTABLE help2man)
mark_as_advanced(HELP2MAN_EXECUTABLE)
set(COMMPROF_HAS_MANUALS FALSE)
if(COMMPROF_MANUALS AND HELP2MAN_EXECUTABLE)
  set(COMMPROF_HAS_MANUALS TRUE)
else()
  commprof_does_without(COMMPROF_MANUALS "no manual pages" "help2man not found")
endif()
set(COMMPROF_MANUAL_DIR ${PROJECT_BINARY_DIR}/share/man/man1)
add_custom_target(commprof_pages ALL)

# The libraries that a relocatable archive brings along (cmake/package/bundle.cmake). RPATH and not RUNPATH: these libraries need
# each other, too, and Debian's have no run path of their own. A packager's CMAKE_INSTALL_RPATH replaces it.
file(RELATIVE_PATH bundled_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/commprof/bundled)

# commprof_install_tool(TARGET)
function(commprof_install_tool target)
  if(NOT DEFINED CMAKE_INSTALL_RPATH)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${bundled_from_bin}")
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  endif()
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  get_target_property(program ${target} OUTPUT_NAME)
  if(NOT program)
    set(program ${target})
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/tools/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${program} COMPONENT tools)
endfunction()

# commprof_manual_page(TARGET PAGE SUBCOMMAND WHAT): PAGE.1, of what TARGET SUBCOMMAND --help says.
function(commprof_manual_page target page subcommand what)
  if(NOT COMMPROF_HAS_MANUALS)
    return()
  endif()
  set(file ${COMMPROF_MANUAL_DIR}/${page}.1)
  file(MAKE_DIRECTORY ${COMMPROF_MANUAL_DIR})
  add_custom_command(OUTPUT ${file}
    COMMAND ${HELP2MAN_EXECUTABLE} --no-info --locale=C.UTF-8 --name=${what} --version-string=${PROJECT_VERSION}
            --source=commprof --output=${file} "$<TARGET_FILE:${target}>$<$<BOOL:${subcommand}>: ${subcommand}>"
    DEPENDS ${target} VERBATIM)
  add_custom_target(${page}.manual DEPENDS ${file})
  add_dependencies(commprof_pages ${page}.manual)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endfunction()
