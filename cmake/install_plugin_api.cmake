# Installs the headers a user plugin is built against (see docs/guides/plugins.md), and a package
# file so that find_package(tutti) offers them as tutti::plugin_api. Nothing of it is a library: a
# plugin calls Tutti only through the objects it is given.
#
#   cmake --install build/release --component plugin_api --prefix DIR
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TUTTI_PLUGIN_HEADERS
  base/check.h base/quantity.h base/result.h base/shared_list.h base/std.h base/time.h
  model/node.h model/object.h model/pod.h model/resources.h model/selector.h
  core/framework/concern.h core/framework/per_node_plugin.h
  core/shapes/pod_aspects.h core/framework/plugin_status.h)
foreach(header ${TUTTI_PLUGIN_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/src/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti/${folder} COMPONENT plugin_api)
endforeach()

set(TUTTI_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/tutti-config.cmake.in ${CMAKE_BINARY_DIR}/tutti-config.cmake
  INSTALL_DESTINATION ${TUTTI_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tutti-config-version.cmake
  COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/tutti-config.cmake ${CMAKE_BINARY_DIR}/tutti-config-version.cmake
  DESTINATION ${TUTTI_PACKAGE_DIR} COMPONENT plugin_api)
