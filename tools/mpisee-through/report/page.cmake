# The page of `mpisee-through report`: bundled with its charting library by esbuild, both from npm, and compiled into the
# tool. A source archive carries it. Sets report_page_source, and for all others COMMPROF_HAS_REPORT.
include(${PROJECT_SOURCE_DIR}/cmake/npm.cmake)

commprof_option_of_found(COMMPROF_REPORT "The page of `mpisee-through report`; ON lets npm fetch its packages")
set(page_sources ${CMAKE_CURRENT_SOURCE_DIR}/report/page)
set(page_build ${CMAKE_CURRENT_BINARY_DIR}/report/page)
set(carried_page ${CMAKE_CURRENT_SOURCE_DIR}/report/page.cpp)
set(page_packages ${page_sources}/node_modules)
commprof_find_npm(page_problem)
if(NOT EXISTS ${page_packages}/esbuild)
  set(page_packages ${page_build}/node_modules)
  if(COMMPROF_REPORT STREQUAL "AUTO" AND NOT page_problem)
    set(page_problem "its npm packages are not there, and only COMMPROF_REPORT=ON fetches them")
  endif()
elseif(NODE_EXECUTABLE AND NOT NPM_EXECUTABLE)
  set(page_problem "")
endif()

set(COMMPROF_HAS_REPORT TRUE)
if(COMMPROF_REPORT AND EXISTS ${carried_page})
  set(report_page_source ${carried_page})
elseif(COMMPROF_REPORT AND NOT page_problem)
  set(report_page_source ${page_build}/page.cpp)
  set(installed "")
  if(page_packages STREQUAL "${page_build}/node_modules")
    commprof_npm_packages(${page_sources} ${page_build})
    set(installed ${page_build}/installed-lock.json)
  endif()
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS ${page_sources}/src/*)
  file(MAKE_DIRECTORY ${page_build})
  add_custom_command(
    OUTPUT ${report_page_source} ${page_build}/used_files
    COMMAND ${NODE_EXECUTABLE} ${page_sources}/bundle.mjs ${page_packages} ${report_page_source} ${page_build}/used_files
    DEPENDS ${page_sources}/bundle.mjs ${page_inputs} ${installed}
    COMMENT "Bundling the page of mpisee-through report" VERBATIM)

  find_package(Git QUIET)
  set(archive ${PROJECT_BINARY_DIR}/commprof-${PROJECT_VERSION}-source.tar.gz)
  add_custom_target(source_archive
    COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR} -DNAME=commprof-${PROJECT_VERSION}
            -DHOMEPAGE=${COMMPROF_HOMEPAGE} -DURL=${COMMPROF_RELEASE_URL} -DRECIPES=${PROJECT_BINARY_DIR}/recipes -DPAGE=${page_build} -DPACKAGES=${page_packages} -DOUTPUT=${archive}
            -P ${PROJECT_SOURCE_DIR}/cmake/package/source_archive.cmake
    DEPENDS ${report_page_source}
    COMMENT "Writing ${archive}" VERBATIM)
else()
  commprof_does_without(COMMPROF_REPORT "mpisee-through is built without its page" "${page_problem}")
  set(report_page_source report/no_page.cpp)
  set(COMMPROF_HAS_REPORT FALSE)
endif()
set(COMMPROF_HAS_REPORT ${COMMPROF_HAS_REPORT} PARENT_SCOPE)
