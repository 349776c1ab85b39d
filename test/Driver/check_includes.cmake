# Fails where an #include goes against the direction of the folders. Run as
#   cmake -DROOT=<checkout> -P check_includes.cmake
# A folder may include itself, lib/Base, and what its line in the table names. A line for a subfolder holds for that
# subfolder in place of the line for the folder around it.
cmake_minimum_required(VERSION 3.25)

set(table
  "lib/Base:"
  "lib/Expr:"
  "lib/TensorFile: nlohmann"
  "lib/Bundle: Expr TensorFile nlohmann"
  "lib/Runtime: teeny Bundle Expr TensorFile nlohmann"
  "lib/Support: Expr nlohmann llvm mlir"
  "lib/Graph/IR: Support Expr TensorFile llvm mlir"
  "lib/Graph/Import: Graph/IR Support Expr TensorFile llvm mlir"
  "lib/Graph/Transforms: Graph/IR Graph/Reference Support Expr TensorFile llvm mlir"
  "lib/Graph/Reference: Graph/IR Support Expr TensorFile llvm mlir"
  "lib/Language: Support Tile/IR Expr llvm mlir"
  "lib/Tile/IR: Support Expr llvm mlir"
  "lib/Tile/Transforms: Tile/IR Support Expr llvm mlir"
  "lib/Conversion/GraphToTile: Graph/IR Tile/IR Language Support Expr llvm mlir"
  "lib/Conversion/TileToGPU: Tile Support Expr llvm mlir"
  "lib/Conversion/TileToCPU: Tile/IR Support Expr llvm mlir"
  "lib/Target/PTX: Support llvm mlir"
  "lib/Target/Host: Support llvm mlir lld"
  "lib/Driver: *"
  "tools/teenyc: Driver Support CLI llvm"
  "tools/teeny-run: teeny TensorFile CLI nlohmann"
  "tools/teeny-opt: *"
  "graphs: TensorFile"
)
# What the first part of an include can be, ours and others'; anything else is a system header.
set(ours teeny Base Expr TensorFile Bundle Runtime Support Graph Language Tile Conversion Target Driver)
set(others nlohmann CLI llvm mlir lld llvm-c mlir-c clang)

set(violations "")
set(checked 0)
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/lib/*.h ${ROOT}/lib/*.hpp ${ROOT}/lib/*.cpp ${ROOT}/lib/*.c
     ${ROOT}/lib/*.td ${ROOT}/tools/*.h ${ROOT}/tools/*.cpp ${ROOT}/graphs/*.cpp)
list(SORT files)
foreach(file IN LISTS files)
  # The longest folder of the table that the file is in.
  set(own "")
  foreach(line IN LISTS table)
    string(REGEX MATCH "^[^:]+" folder "${line}")
    string(FIND "${file}" "${folder}/" at)
    string(LENGTH "${folder}" length)
    string(LENGTH "${own}" best)
    if(at EQUAL 0 AND length GREATER best)
      set(own "${folder}")
      string(REGEX REPLACE "^[^:]+:" "" allowed "${line}")
    endif()
  endforeach()
  if(own STREQUAL "")
    list(APPEND violations "${file}: its folder is not in the table of check_includes.cmake")
    continue()
  endif()
  if(allowed STREQUAL " *")
    continue()
  endif()
  string(REPLACE " " ";" allowed "${allowed}")
  string(REGEX REPLACE "^(lib|tools)/" "" self "${own}")
  list(APPEND allowed Base "${self}")
  math(EXPR checked "${checked} + 1")

  file(STRINGS ${ROOT}/${file} lines REGEX "^[ \t]*#?[ \t]*include[ \t]*[<\"]")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "include[ \t]*[<\"](([^/>\"]+)/([^/>\"]+)(/[^>\"]*)?)[>\"]")
      continue() # a header without a folder: the standard library, or a neighbour
    endif()
    set(path "${CMAKE_MATCH_1}")
    set(first "${CMAKE_MATCH_2}")
    set(second "${CMAKE_MATCH_2}/${CMAKE_MATCH_3}")
    if(NOT first IN_LIST ours AND NOT first IN_LIST others)
      continue()
    endif()
    if(NOT first IN_LIST allowed AND NOT second IN_LIST allowed)
      list(APPEND violations "${file}: may not include ${path}")
    endif()
  endforeach()
endforeach()

list(LENGTH violations count)
if(count GREATER 0)
  list(JOIN violations "\n  " text)
  message(FATAL_ERROR "includes against the direction of the folders:\n  ${text}")
endif()
if(checked EQUAL 0)
  message(FATAL_ERROR "no source file found under ${ROOT}")
endif()
message(STATUS "${checked} files include only what their folders may")
