// A pass for tests: `-emit-ptx=target=sm_90a` prints the module's PTX and leaves the module as it
// is; with `assemble` it prints the assembler's report too.
#pragma once

namespace teeny {
void registerEmitPTXPass();
} // namespace teeny
