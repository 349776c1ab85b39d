# IR tests: a CTest test `lit-<folder>` for each folder under test/ that has *.mlir files.
set(TEENY_LIT ${LLVM_TOOLS_BINARY_DIR}/lit)
find_program(TEENY_PTXAS_PROGRAM ptxas HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin
             DOC "NVIDIA's assembler; without it the tests that need one are skipped")
if(NOT TEENY_PTXAS_PROGRAM)
  set(TEENY_PTXAS_PROGRAM "")
endif()
configure_file(lit.site.cfg.py.in lit.site.cfg.py @ONLY)

file(GLOB folders RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS */)
foreach(folder ${folders})
  file(GLOB_RECURSE cases CONFIGURE_DEPENDS ${folder}/*.mlir)
  if(cases)
    add_test(NAME lit-${folder} COMMAND ${TEENY_LIT} -j2 -v ${CMAKE_CURRENT_BINARY_DIR}/${folder})
  endif()
endforeach()
