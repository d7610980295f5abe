# What an installation has besides libraries and programs: how builds and module systems find it; and the packages of cpack.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/commprof)
set(made_dir ${CMAKE_CURRENT_BINARY_DIR}/package)

# A path from one directory of the installation to another: no file holds the prefix, so the whole can be moved.
function(commprof_relative_path variable from to)
  file(RELATIVE_PATH path /prefix/${from} /prefix/${to})
  string(REGEX REPLACE "/$" "" path ${path})
  set(${variable} ${path} PARENT_SCOPE)
endfunction()
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(module_dir ${CMAKE_INSTALL_DATADIR}/modulefiles/commprof)
commprof_relative_path(prefix_from_pkgconfig ${pkgconfig_dir} "")

configure_package_config_file(cmake/package/commprofConfig.cmake.in ${made_dir}/commprofConfig.cmake
                              INSTALL_DESTINATION ${config_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${made_dir}/commprofConfigVersion.cmake COMPATIBILITY SameMajorVersion)
configure_file(cmake/package/commprof.pc.in ${made_dir}/commprof.pc @ONLY)
configure_file(cmake/package/module.lua.in ${made_dir}/module.lua @ONLY)
configure_file(cmake/package/module.tcl.in ${made_dir}/module.tcl @ONLY)

install(EXPORT commprofTargets NAMESPACE commprof:: DESTINATION ${config_dir})
install(FILES ${made_dir}/commprofConfig.cmake ${made_dir}/commprofConfigVersion.cmake DESTINATION ${config_dir})
install(FILES ${made_dir}/commprof.pc DESTINATION ${pkgconfig_dir})
install(FILES ${made_dir}/module.lua DESTINATION ${module_dir} RENAME ${PROJECT_VERSION}.lua)
install(FILES ${made_dir}/module.tcl DESTINATION ${module_dir} RENAME ${PROJECT_VERSION})
install(FILES LICENSE CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_VENDOR "the commprof authors")
set(CPACK_PACKAGE_CONTACT "the commprof authors")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/package/description.txt)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_SYSTEM_NAME ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin | mpich")
# An archive brings the libraries that its tools need; a package names the packages that have them.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/package/bundle.cmake)
set(CPACK_COMMPROF_LIBRARIES ${CMAKE_INSTALL_LIBDIR})
set(CPACK_COMMPROF_PROGRAMS ${CMAKE_INSTALL_BINDIR})
include(CPack)
