# find_package(teeny) gives the target teeny::runtime: the shared library and its headers.
include(${CMAKE_CURRENT_LIST_DIR}/teenyTargets.cmake)
