# cmake -DNPM=npm -DSOURCE=directory -DDESTINATION=directory -P npm_ci.cmake
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${DESTINATION})
execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
                WORKING_DIRECTORY ${DESTINATION} TIMEOUT 300 RESULT_VARIABLE result OUTPUT_VARIABLE log ERROR_VARIABLE log)
file(WRITE ${DESTINATION}/npm.log "${log}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "npm cannot install the packages of ${SOURCE}/package-lock.json, see ${DESTINATION}/npm.log. "
                      "A build with -DCOMMPROF_REPORT=OFF needs none.")
endif()
configure_file(${SOURCE}/package-lock.json ${DESTINATION}/installed-lock.json COPYONLY)
file(TOUCH ${DESTINATION}/installed-lock.json)
