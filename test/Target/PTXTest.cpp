#include "Target/PTX/PTX.h"
#include "Target/PTX/Census.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <unistd.h>

using namespace teeny;
using Catch::Matchers::Contains;

namespace {
Target gpu(const char *name) {
  Result<Target> target = parseTarget(name);
  REQUIRE(target);
  return *target;
}

// A module in the LLVM dialect and its translation.
Result<std::string> translateText(const std::string &text, const Target &target = gpu("sm_80")) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  return ptx::translate(*module, target);
}

const char *multiplyAdd = R"(
  llvm.func ptx_kernelcc @multiply_add(%p: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %x: f32)
      attributes {passthrough = [["nvvm.reqntid", "128"]]} {
    %a = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %i = llvm.mlir.constant(2 : i32) : i32
    %b = llvm.extractelement %a[%i : i32] : vector<4xf32>
    %q = llvm.getelementptr %p[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %a, %q {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    %c = llvm.fmul %b, %x FLAGS : f32
    %d = llvm.fadd %c, %x FLAGS : f32
    llvm.store %d, %p : f32, !llvm.ptr<1>
    llvm.return
  })";

std::string withFlags(const std::string &flags) {
  std::string text = multiplyAdd;
  for (size_t at; (at = text.find("FLAGS")) != std::string::npos;)
    text.replace(at, 5, flags);
  return text;
}

// The assembler's path, or nothing where it is not installed; the test then ends with a message.
std::string assemblerOrSkip() {
  Result<std::string> path = ptx::findAssembler();
  if (path)
    return *path;
  WARN("skipped: " << path.error().message);
  return "";
}
} // namespace

TEST_CASE("a kernel becomes PTX for the chip, with its block size and wide accesses") {
  Result<std::string> text = translateText(withFlags(""), gpu("sm_90a"));
  REQUIRE(text);
  CHECK_THAT(*text, Contains(".version 8.1"));
  CHECK_THAT(*text, Contains(".target sm_90a"));
  CHECK_THAT(*text, Contains(".visible .entry multiply_add("));
  CHECK_THAT(*text, Contains(".reqntid 128"));
  CHECK_THAT(*text, Contains("ld.global.v4.b32") && Contains("st.global.v4.b32"));
}

TEST_CASE("multiplications and additions are fused only where both may be") {
  Result<std::string> apart = translateText(withFlags(""));
  REQUIRE(apart);
  CHECK_THAT(*apart, Contains("mul.rn.f32") && Contains("add.rn.f32") && !Contains("fma"));
  Result<std::string> fused =
      translateText(withFlags("{fastmathFlags = #llvm.fastmath<contract>}"));
  REQUIRE(fused);
  CHECK_THAT(*fused, Contains("fma.rn.f32") && !Contains("mul."));
}

TEST_CASE("translation is deterministic") {
  Result<std::string> first = translateText(withFlags("")), second = translateText(withFlags(""));
  REQUIRE((first && second));
  CHECK(*first == *second);
}

TEST_CASE("what the code generator refuses is an error, and the next translation works") {
  // A type that the back end has no registers for in inline assembly.
  Result<std::string> bad = translateText(R"(
    llvm.func ptx_kernelcc @bad(%p: !llvm.ptr<1>) {
      %0 = llvm.inline_asm "nonsense $0;", "=z" : () -> i32
      llvm.store %0, %p : i32, !llvm.ptr<1>
      llvm.return
    })");
  REQUIRE(!bad);
  CHECK(bad.error().code == ErrorCode::unsupported);
  CHECK_THAT(bad.error().message, Contains("sm_80") && Contains("constraint"));
  // An error that LLVM regards as fatal.
  Result<std::string> fatal = translateText(R"(
    llvm.func ptx_kernelcc @fatal(%p: !llvm.ptr<1>) {
      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.commit.group"() : () -> ()
      llvm.return
    })");
  REQUIRE(!fatal);
  CHECK(fatal.error().code == ErrorCode::unsupported);
  CHECK_THAT(fatal.error().message, Contains("code generator failed"));
  CHECK(translateText(withFlags("")));
}

TEST_CASE("the assembler's report is read") {
  ptx::AssemblerReport report = ptx::parseAssemblerOutput(R"(ptxas info    : 0 bytes gmem
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to x in function 'b'
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Function properties for helper
    96 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 27 registers, used 1 barriers, 8 bytes cumulative stack size, 2048 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 31.077 ms
ptxas info    : Compiling entry function 'b' for 'sm_90a'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
)");
  REQUIRE(report.kernels.size() == 2);
  const ptx::KernelReport &a = report.kernels[0], &b = report.kernels[1];
  CHECK(a.kernel == "a");
  CHECK(a.registers == 27);
  CHECK(a.barriers == 1);
  CHECK(a.stackBytes == 8);
  CHECK(a.spillStoreBytes == 12);
  CHECK(a.spillLoadBytes == 16);
  CHECK(a.sharedBytes == 2048);
  CHECK(b.kernel == "b");
  CHECK(b.registers == 255);
  CHECK(b.sharedBytes == 0);
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], Contains("C7510"));
}

TEST_CASE("a census counts the instructions of each entry by kind") {
  auto list = ptx::takeCensus(R"(
.visible .entry first(
	.param .u64 first_param_0
)
.reqntid 128
{
	.reg .pred 	%p<2>;
	ld.param.b64 	%rd1, [first_param_0]; // a comment; ret;
	{ mov.u32 %r1, 0; @%p1 ld.global.L1::evict_last.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1]; }
	@!%p1 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
$L__BB0_1:
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r2}, {%r3}, {%r4};
	bar.sync 	0;
	ret;
}
.func helper() { ret; }
.visible .entry second() { ret; }
)");
  REQUIRE(list.size() == 2);
  CHECK(list[0].toString() ==
        "first: 7 instructions; bar 1, ld.global.v4 2, ld.param 1, mma.m16n8k16 1, mov 1, ret 1");
  CHECK(list[1].kernel == "second");
}

TEST_CASE("a cubin and its report come from the assembler, the same in every folder") {
  std::string assembler = assemblerOrSkip();
  if (assembler.empty())
    return;
  Result<std::string> text = translateText(withFlags(""), gpu("sm_90a"));
  REQUIRE(text);
  Result<ptx::Assembled> first = ptx::assemble(assembler, *text, gpu("sm_90a"));
  REQUIRE(first);
  CHECK(first->cubin.substr(0, 4) == "\x7f"
                                     "ELF");
  REQUIRE(first->report.kernels.size() == 1);
  CHECK(first->report.kernels[0].kernel == "multiply_add");
  CHECK(first->report.kernels[0].registers > 0);
  CHECK(first->report.kernels[0].spillStoreBytes == 0);
  CHECK(first->report.warnings.empty());

  char other[] = "/tmp/teeny-other-XXXXXX";
  REQUIRE(mkdtemp(other));
  setenv("TMPDIR", other, 1);
  Result<ptx::Assembled> second = ptx::assemble(assembler, *text, gpu("sm_90a"));
  unsetenv("TMPDIR");
  CHECK(rmdir(other) == 0); // nothing is left behind
  REQUIRE(second);
  CHECK(first->cubin == second->cubin);

  Result<std::string> version = ptx::assemblerVersion(assembler);
  REQUIRE(version);
  CHECK_THAT(*version, Contains("release"));
}

TEST_CASE("what the assembler refuses names the line") {
  std::string assembler = assemblerOrSkip();
  if (assembler.empty())
    return;
  Result<ptx::Assembled> made = ptx::assemble(
      assembler, ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { nonsense; }\n",
      gpu("sm_80"));
  REQUIRE(!made);
  CHECK(made.error().code == ErrorCode::invalid);
  CHECK_THAT(made.error().message,
             Contains("ptxas refuses the code for sm_80") && Contains("line 4"));
}

TEST_CASE("a missing assembler says what to install or do instead") {
  Result<std::string> path = ptx::findAssembler("/nowhere/ptxas");
  REQUIRE(!path);
  CHECK(path.error().code == ErrorCode::environment);
  CHECK(path.error().message == "no program at '/nowhere/ptxas', which an option names for ptxas");
}

TEST_CASE("an assembler that does not end is stopped at the time limit") {
  llvm::SmallString<128> path;
  int file;
  REQUIRE(!llvm::sys::fs::createTemporaryFile("slow", "sh", file, path));
  llvm::raw_fd_ostream(file, true) << "#!/bin/sh\nexec sleep 60\n";
  REQUIRE(!llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_all));
  setenv("TEENY_PTXAS_SECONDS", "1", 1);
  Result<ptx::Assembled> assembled = ptx::assemble(path.str().str(), "", *parseTarget("sm_90a"));
  setenv("TEENY_PTXAS_SECONDS", "soon", 1);
  Result<ptx::Assembled> unlimited = ptx::assemble(path.str().str(), "", *parseTarget("sm_90a"));
  unsetenv("TEENY_PTXAS_SECONDS");
  CHECK(!llvm::sys::fs::remove(path));
  REQUIRE_FALSE(assembled);
  CHECK(assembled.error().code == ErrorCode::unsupported);
  CHECK(
      assembled.error().message ==
      "ptxas has not finished the code for sm_90a after 1 seconds and was stopped: smaller "
      "blocks or fewer unrolled iterations make less of it, $TEENY_PTXAS_SECONDS gives more time");
  REQUIRE_FALSE(unlimited);
  CHECK(unlimited.error().code == ErrorCode::environment);
  CHECK(unlimited.error().message ==
        "$TEENY_PTXAS_SECONDS is 'soon'; expected a number of seconds from 1");
}
