# The programs that scripts/fuzz runs; with clang, whose runtime has libFuzzer. LLVM's and MLIR's libraries stay as they are.

# teeny_fuzzer(NAME sources... DEPS libraries...): fuzz-NAME, of the target teeny::fuzz::NAME.
function(teeny_fuzzer name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND ${PROJECT_SOURCE_DIR}/test/)
  add_executable(fuzz-${name} ${PROJECT_SOURCE_DIR}/test/FuzzMain.cpp ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(fuzz-${name} PRIVATE ${PROJECT_SOURCE_DIR}/test)
  target_compile_definitions(fuzz-${name} PRIVATE TEENY_FUZZ_TARGET=${name} TEENY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(fuzz-${name} PRIVATE ${ARG_DEPS} -fsanitize=fuzzer)
endfunction()

teeny_fuzzer(expr Expr/fuzz/FuzzExpr.cpp Expr/SlowExpr.cpp Expr/SlowParser.cpp DEPS TeenyExpr)
teeny_fuzzer(npy TensorFile/fuzz/FuzzNpy.cpp DEPS TeenyTensorFile)
teeny_fuzzer(safetensors TensorFile/fuzz/FuzzSafeTensors.cpp DEPS TeenyTensorFile)
teeny_fuzzer(bundle Runtime/fuzz/FuzzBundle.cpp DEPS TeenyRuntime)
if(TEENY_BUILD_COMPILER)
  teeny_fuzzer(graph Graph/fuzz/FuzzGraph.cpp DEPS TeenyGraphImport TeenyGraphTransforms TeenyGraphIR TeenySupport)
  teeny_fuzzer(declaration Graph/fuzz/FuzzDeclaration.cpp DEPS TeenyGraphImport TeenyGraphIR TeenySupport)
  add_subdirectory(test/Language/fuzz)
endif()
