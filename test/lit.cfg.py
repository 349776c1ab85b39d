# How lit runs the IR tests (*.mlir). Paths come from lit.site.cfg.py, which CMake writes.
import os

import lit.formats
from lit.llvm import llvm_config

config.name = "teenyc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
# The path of a test is one word, whatever the folders are named.
config.substitutions.append(("%s", '"%s"'))
config.test_source_root = os.path.join(config.teeny_source_dir, "test")
config.test_exec_root = os.path.join(config.teeny_binary_dir, "test", "lit")

llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.teeny_tools_dir, append_path=True)
llvm_config.with_environment("FILECHECK_OPTS", "-enable-var-scope --allow-unused-prefixes=false")

# Tests that need NVIDIA's assembler say `REQUIRES: ptxas`; lit counts the others as unsupported.
if config.teeny_ptxas:
    config.available_features.add("ptxas")
    llvm_config.with_environment("TEENY_PTXAS", config.teeny_ptxas)
