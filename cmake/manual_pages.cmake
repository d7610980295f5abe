# Manual pages, by help2man, of what programs say of their own options, and completions for bash.

find_program(HELP2MAN_EXECUTABLE help2man)
mark_as_advanced(HELP2MAN_EXECUTABLE)
if(NOT HELP2MAN_EXECUTABLE)
  message(STATUS "commprof: no manual pages, for want of help2man")
endif()
set(manual_directory ${CMAKE_BINARY_DIR}/share/man/man1)
file(MAKE_DIRECTORY ${manual_directory})

# add_manual_page(PROGRAM-TARGET PROGRAM SUBCOMMAND WHAT [SECTION-FILE]): the page of a program, or of a command of it.
function(add_manual_page target program subcommand what)
  if(NOT HELP2MAN_EXECUTABLE)
    return()
  endif()
  string(JOIN "-" name ${program} ${subcommand})
  set(page ${manual_directory}/${name}.1)
  list(TRANSFORM ARGN PREPEND "--include=" OUTPUT_VARIABLE sections)
  add_custom_command(OUTPUT ${page}
    COMMAND ${HELP2MAN_EXECUTABLE} --no-info --locale=C.UTF-8 --name=${what} --version-string=${PROJECT_VERSION}
            --source=commprof --output=${page} ${sections} "$<TARGET_FILE:${target}>$<$<BOOL:${subcommand}>: ${subcommand}>"
    DEPENDS ${target} ${ARGN} VERBATIM)
  add_custom_target(${name}_page ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

# add_completion(PROGRAM-TARGET PROGRAM)
function(add_completion target program)
  set(completion ${CMAKE_CURRENT_BINARY_DIR}/${program}.bash)
  add_custom_command(OUTPUT ${completion} COMMAND ${target} --bash-completion > ${completion} DEPENDS ${target} VERBATIM)
  add_custom_target(${program}_completion ALL DEPENDS ${completion})
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
endfunction()
