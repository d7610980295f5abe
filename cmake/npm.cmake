# Packages of npm, installed by a step of the build.

# commprof_find_npm(PROBLEM): finds NODE_EXECUTABLE and NPM_EXECUTABLE. PROBLEM: what is missing, in a few words, or empty.
function(commprof_find_npm problem)
  find_program(NODE_EXECUTABLE NAMES node nodejs)
  find_program(NPM_EXECUTABLE npm)
  mark_as_advanced(NODE_EXECUTABLE NPM_EXECUTABLE)
  set(${problem} "" PARENT_SCOPE)
  if(NOT NODE_EXECUTABLE OR NOT NPM_EXECUTABLE)
    set(${problem} "npm not found" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${NODE_EXECUTABLE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
    set(${problem} "node ${version} is older than 18" PARENT_SCOPE)
  endif()
endfunction()

# commprof_npm_packages(SOURCE DESTINATION): installs exactly what SOURCE/package-lock.json lists into
# DESTINATION/node_modules. What needs them depends on DESTINATION/installed-lock.json.
function(commprof_npm_packages source destination)
  add_custom_command(OUTPUT ${destination}/installed-lock.json
    COMMAND ${CMAKE_COMMAND} -DNPM=${NPM_EXECUTABLE} -DSOURCE=${source} -DDESTINATION=${destination} -P ${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake
    DEPENDS ${source}/package.json ${source}/package-lock.json ${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake
    COMMENT "Installing npm packages for ${source}" VERBATIM)
endfunction()
