# Run by the target source_archive. The archive has the committed files, the page, which then needs neither npm nor a network, and
# the files of npm's packages that are in the page.
file(STRINGS ${PAGE}/used_files used)
set(report ${NAME}/tools/mpisee-through/report)
set(added --prefix=${report}/ --add-file=${PAGE}/page.cpp)
foreach(file IN LISTS used)
  get_filename_component(directory ${file} DIRECTORY)
  list(APPEND added --prefix=${report}/page/node_modules/${directory}/ --add-file=${PACKAGES}/${file})
endforeach()
execute_process(COMMAND ${GIT} -C ${SOURCE} archive --output=${OUTPUT} ${added} --prefix=${NAME}/ HEAD RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "source_archive: git archive fails")
endif()
