# The page of `mpisee-through report`: bundled with its charting library by esbuild, both from npm, and compiled into the
# tool. Sets report_page_source, and for all others COMMPROF_HAS_REPORT.
#
# What npm installs is fetched when configuring, so that AUTO can do without; bundling is a step of the build.

set(COMMPROF_REPORT AUTO CACHE STRING
    "The page of `mpisee-through report`: ON, OFF, or AUTO for where npm can install what it needs")
set_property(CACHE COMMPROF_REPORT PROPERTY STRINGS AUTO ON OFF)

# commprof_npm_install(SOURCE DESTINATION PROBLEM): installs exactly what SOURCE/package-lock.json lists into
# DESTINATION/node_modules, unless that is there already. PROBLEM: what is in the way, in a few words, or empty.
function(commprof_npm_install source destination problem)
  set(${problem} "" PARENT_SCOPE)
  find_program(NODE_EXECUTABLE NAMES node nodejs)
  find_program(NPM_EXECUTABLE npm)
  mark_as_advanced(NODE_EXECUTABLE NPM_EXECUTABLE)
  if(NOT NODE_EXECUTABLE OR NOT NPM_EXECUTABLE)
    set(${problem} "npm not found" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${NODE_EXECUTABLE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
    set(${problem} "node ${version} is older than 18" PARENT_SCOPE)
    return()
  endif()

  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/package-lock.json)
  set(installed_lock ${destination}/installed-lock.json)
  file(SHA256 ${source}/package-lock.json wanted)
  if(EXISTS ${installed_lock})
    file(SHA256 ${installed_lock} installed)
    if(installed STREQUAL wanted)
      return()
    endif()
  endif()
  file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${destination})
  message(STATUS "Installing npm packages for ${source}")
  execute_process(COMMAND ${NPM_EXECUTABLE} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
                  WORKING_DIRECTORY ${destination} TIMEOUT 300 RESULT_VARIABLE result OUTPUT_VARIABLE log ERROR_VARIABLE log)
  file(WRITE ${destination}/npm.log "${log}")
  if(NOT result EQUAL 0)
    set(${problem} "npm ci failed, see ${destination}/npm.log" PARENT_SCOPE)
    return()
  endif()
  configure_file(${source}/package-lock.json ${installed_lock} COPYONLY)
endfunction()

set(page_sources ${CMAKE_CURRENT_SOURCE_DIR}/report/page)
set(page_build ${CMAKE_CURRENT_BINARY_DIR}/report/page)
set(page_problem "COMMPROF_REPORT is OFF")
if(COMMPROF_REPORT)
  commprof_npm_install(${page_sources} ${page_build} page_problem)
endif()

if(page_problem STREQUAL "")
  set(COMMPROF_HAS_REPORT TRUE PARENT_SCOPE)
  set(report_page_source ${page_build}/page.cpp)
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS ${page_sources}/src/*)
  add_custom_command(
    OUTPUT ${report_page_source}
    COMMAND ${NODE_EXECUTABLE} ${page_sources}/bundle.mjs ${page_build}/node_modules ${report_page_source}
    DEPENDS ${page_sources}/bundle.mjs ${page_inputs} ${page_build}/installed-lock.json
    COMMENT "Bundling the page of mpisee-through report" VERBATIM)
elseif(COMMPROF_REPORT STREQUAL "ON")
  message(FATAL_ERROR "COMMPROF_REPORT is ON: ${page_problem}")
else()
  set(COMMPROF_HAS_REPORT FALSE PARENT_SCOPE)
  set(report_page_source report/no_page.cpp)
  message(STATUS "mpisee-through is built without its report: ${page_problem}")
endif()
