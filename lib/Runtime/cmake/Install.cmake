# What others need to use the runtime: the library, its headers, a CMake package, a pkg-config file, the Python module.
# Nothing of it knows the folder that it is installed to, so that the whole tree may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS teeny EXPORT teeny
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/teeny DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/teeny)
install(EXPORT teeny NAMESPACE teeny:: FILE teenyTargets.cmake DESTINATION ${package})
# Until 1.0, minor versions may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/teenyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/teenyConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/teenyConfigVersion.cmake DESTINATION ${package})

set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /prefix/${pkgconfig} /prefix)
configure_file(cmake/teeny.pc.in teeny.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/teeny.pc DESTINATION ${pkgconfig})

# Python finds the library in the folder two above.
install(FILES python/teeny.py DESTINATION lib/python3/dist-packages)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME runtime.md)
