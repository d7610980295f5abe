# The page of `mpisee-through report`: bundled with its charting library by esbuild, both from npm, and compiled into the
# tool. A source archive carries it. Sets report_page_source, and for all others COMMPROF_HAS_REPORT.
include(${PROJECT_SOURCE_DIR}/cmake/npm.cmake)

set(COMMPROF_REPORT AUTO CACHE STRING
    "The page of `mpisee-through report`: ON, OFF, or AUTO for where the source archive has it or npm is there to build it")
set_property(CACHE COMMPROF_REPORT PROPERTY STRINGS AUTO ON OFF)

set(page_sources ${CMAKE_CURRENT_SOURCE_DIR}/report/page)
set(page_build ${CMAKE_CURRENT_BINARY_DIR}/report/page)
set(carried_page ${CMAKE_CURRENT_SOURCE_DIR}/report/page.cpp)
commprof_find_npm(page_problem)

if(COMMPROF_REPORT AND EXISTS ${carried_page})
  set(report_page_source ${carried_page})
elseif(COMMPROF_REPORT AND NOT page_problem)
  set(report_page_source ${page_build}/page.cpp)
  commprof_npm_packages(${page_sources} ${page_build})
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS ${page_sources}/src/*)
  add_custom_command(
    OUTPUT ${report_page_source}
    COMMAND ${NODE_EXECUTABLE} ${page_sources}/bundle.mjs ${page_build}/node_modules ${report_page_source}
    DEPENDS ${page_sources}/bundle.mjs ${page_inputs} ${page_build}/installed-lock.json
    COMMENT "Bundling the page of mpisee-through report" VERBATIM)

  # The committed files with the page, which builds without npm then.
  find_package(Git QUIET)
  set(archive ${PROJECT_BINARY_DIR}/commprof-${PROJECT_VERSION}-source.tar.gz)
  set(archived commprof-${PROJECT_VERSION})
  add_custom_target(source_archive
    COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} archive --output=${archive}
            --prefix=${archived}/tools/mpisee-through/report/ --add-file=${report_page_source} --prefix=${archived}/ HEAD
    DEPENDS ${report_page_source}
    COMMENT "Writing ${archive}" VERBATIM)
elseif(COMMPROF_REPORT STREQUAL "ON")
  message(FATAL_ERROR "COMMPROF_REPORT is ON: ${page_problem}")
else()
  set(report_page_source report/no_page.cpp)
  if(COMMPROF_REPORT)
    message(WARNING "mpisee-through is built without its report: ${page_problem}")
  endif()
endif()

set(COMMPROF_HAS_REPORT FALSE)
if(NOT report_page_source STREQUAL "report/no_page.cpp")
  set(COMMPROF_HAS_REPORT TRUE)
endif()
set(COMMPROF_HAS_REPORT ${COMMPROF_HAS_REPORT} PARENT_SCOPE)
