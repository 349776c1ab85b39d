# The include check must fail on planted violations and name them. Run as
#   cmake -DCHECK=<check_includes.cmake> -DSCRATCH=<folder> -P check_includes_test.cmake
file(REMOVE_RECURSE ${SCRATCH})

# run(EXPECTED_RESULT TEXT): the check on the planted tree; its output must hold TEXT, line breaks aside.
function(run expected text)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${CHECK} RESULT_VARIABLE result OUTPUT_VARIABLE out
                  ERROR_VARIABLE out)
  string(REGEX REPLACE "[ \n]+" " " out "${out}")
  string(FIND "${out}" "${text}" at)
  if(NOT result EQUAL expected OR at EQUAL -1)
    message(FATAL_ERROR "expected result ${expected} with '${text}', found ${result} with: ${out}")
  endif()
endfunction()

run(1 "no source file found")

file(WRITE ${SCRATCH}/lib/Expr/Expr.cpp "#include \"Base/Result.h\"\n#include \"Expr/Expr.h\"\n#include <vector>\n")
file(WRITE ${SCRATCH}/lib/Graph/Import/Import.cpp "#include \"Graph/IR/Graph.h\"\n#include \"mlir/IR/Builders.h\"\n")
file(WRITE ${SCRATCH}/lib/Driver/Pipeline.cpp "#include \"Runtime/Session.h\"\n")
run(0 "2 files include only what their folders may")

file(WRITE ${SCRATCH}/lib/Expr/Bad.cpp "#include \"TensorFile/Safetensors.h\"\n")
run(1 "lib/Expr/Bad.cpp: may not include TensorFile/Safetensors.h")
file(REMOVE ${SCRATCH}/lib/Expr/Bad.cpp)

file(WRITE ${SCRATCH}/lib/Runtime/Bad.h "#  include <llvm/ADT/StringRef.h>\n")
run(1 "lib/Runtime/Bad.h: may not include llvm/ADT/StringRef.h")
file(REMOVE ${SCRATCH}/lib/Runtime/Bad.h)

file(WRITE ${SCRATCH}/lib/Graph/IR/Bad.td "include \"Graph/Import/Bad.td\"\n")
run(1 "lib/Graph/IR/Bad.td: may not include Graph/Import/Bad.td")
file(REMOVE ${SCRATCH}/lib/Graph/IR/Bad.td)

file(WRITE ${SCRATCH}/lib/Other/Other.cpp "#include <vector>\n")
run(1 "lib/Other/Other.cpp: its folder is not in the table")
