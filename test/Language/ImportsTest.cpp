// Kernel files that import helpers from files beside them.
#include "LanguageSupport.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace teeny;
using namespace teeny::test;

namespace {

namespace fs = std::filesystem;

class Folder {
public:
  Folder() : path(fs::temp_directory_path() / ("teeny-imports-" + std::to_string(getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path / "package" / "inner");
  }
  ~Folder() { fs::remove_all(path); }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(path / name) << "import triton\nimport triton.language as tl\n" << text;
  }
  // The IR of `kernel`, or what is wrong, without the folder's name.
  std::string compile(const std::string &name) {
    Compiled result = compileFile((path / name).string(), "kernel", parseSpecs("x=*fp32"));
    std::string text = result.outcome == Compiled::generated ? result.ir : result.diagnostics;
    for (size_t at; (at = text.find(path.string() + "/")) != std::string::npos;)
      text.erase(at, path.string().size() + 1);
    return text;
  }

  fs::path path;
};

const std::string helper = "@triton.jit\ndef scaled(v):\n    return v * FACTOR\n";

} // namespace

TEST_CASE("helpers come from files beside the kernel, in every spelling") {
  const std::pair<const char *, const char *> spellings[] = {
      {"from utils import scaled", "scaled"},
      {"from .utils import scaled as s", "s"},
      {"import utils as U", "U.scaled"},
      {"import utils", "utils.scaled"},
      {"from . import utils", "utils.scaled"},
      {"from utils import *", "scaled"},
      {"from package.more import again", "again"},
      {"from .package import more", "more.again"},
      {"import package.more as m", "m.again"},
      {"try:\n    from elsewhere import scaled\nexcept ImportError:\n    from utils import scaled",
       "scaled"},
  };
  Folder folder;
  folder.write("utils.py", "FACTOR: tl.constexpr = 12345.0\n" + helper);
  folder.write("package/more.py", "from ..utils import scaled\nfrom .inner.deep import shift\n"
                                  "@triton.jit\ndef again(v):\n    return scaled(v) + shift(v)\n");
  folder.write("package/inner/deep.py", "from ... import utils\n"
                                        "@triton.jit\ndef shift(v):\n    return utils.scaled(v)\n");
  for (auto [import, call] : spellings) {
    folder.write("kernel.py", std::string(import) +
                                  "\n@triton.jit\ndef kernel(x):\n    tl.store(x, " + call +
                                  "(tl.load(x)))\n");
    std::string ir = folder.compile("kernel.py");
    INFO(import << "\n" << ir);
    CHECK(ir.find("1.234500e+04") != std::string::npos);
    CHECK(ir.find("tile.store") != std::string::npos);
  }
}

TEST_CASE("helpers come from packages that the kernel is part of") {
  Folder folder;
  folder.write("package/__init__.py", "");
  folder.write("package/utils.py", "FACTOR: tl.constexpr = 12345.0\n" + helper);
  folder.write("package/inner/__init__.py", "from .deep import shift as moved\n");
  folder.write("package/inner/deep.py", "from package.utils import scaled\n"
                                        "@triton.jit\ndef shift(v):\n    return scaled(v)\n");
  const std::pair<const char *, const char *> spellings[] = {
      {"from package.utils import scaled", "scaled"},
      {"import package.utils", "package.utils.scaled"},
      {"import package.inner.deep", "package.inner.deep.shift"},
      {"import package.inner.deep as d", "d.shift"},
      {"from package.inner import moved", "moved"},
      {"from . import moved", "moved"},
      {"from .. import utils", "utils.scaled"},
  };
  for (auto [import, call] : spellings) {
    folder.write("package/inner/kernel.py", std::string(import) +
                                                "\n@triton.jit\ndef kernel(x):\n    tl.store(x, " +
                                                call + "(tl.load(x)))\n");
    std::string ir = folder.compile("package/inner/kernel.py");
    INFO(import << "\n" << ir);
    CHECK(ir.find("1.234500e+04") != std::string::npos);
  }
}

TEST_CASE("what a module does before its kernels is carried out") {
  // Each makes `scaled` a function, or FACTOR a constant, that the kernel reads.
  const char *const modules[] = {
      "import os\nif os.getenv('FAST', '0') == '1':\n    FACTOR = tl.constexpr(1.0)\nelse:\n"
      "    FACTOR = tl.constexpr(12345.0)\n",
      "from packaging import version\nif version.parse(triton.__version__) >= "
      "version.parse('3.10'):\n    FACTOR = tl.constexpr(1.0)\nelse:\n"
      "    FACTOR = tl.constexpr(12345.0)\n",
      "def is_hip():\n    return triton.runtime.driver.active.get_current_target() == 'hip'\n"
      "FACTOR = tl.constexpr(1.0 if False else 12345.0)\nif is_hip():\n"
      "    FACTOR = tl.constexpr(1.0)\n",
      "import torch\nif torch.version.hip is None and elsewhere or True:\n"
      "    FACTOR = tl.constexpr(torch.finfo(torch.float16).max / 65504.0 * 12345.0)\n",
      "import math\nFACTOR: tl.constexpr = tl.constexpr(math.floor(math.pi * 3929.6) - 0.0)\n",
      "def total(n):\n    result = 0\n    for i in range(n):\n        result += i\n"
      "    return result - 60.0\nFACTOR = tl.constexpr(total(158) + 2.0)\n",
      "FACTOR = getattr(tl, 'no_such_constant', tl.constexpr(12345.0))\n",
      "from serving.triton_utils import tl, triton\nFACTOR = tl.constexpr(12345.0)\n",
      "try:\n    from elsewhere import FACTOR\nexcept ImportError:\n"
      "    FACTOR = tl.constexpr(12345.0)\n",
  };
  Folder folder;
  for (const char *module : modules) {
    folder.write("kernel.py", module + helper +
                                  "@triton.jit\ndef kernel(x):\n"
                                  "    tl.store(x, scaled(tl.load(x)))\n");
    std::string ir = folder.compile("kernel.py");
    INFO(module << "\n" << ir);
    CHECK(ir.find("1.234500e+04") != std::string::npos);
  }
}

TEST_CASE("files may import each other") {
  Folder folder;
  folder.write("a.py", "from b import twice\n@triton.jit\ndef once(v):\n    return v + 4321.0\n"
                       "@triton.jit\ndef kernel(x):\n    tl.store(x, twice(tl.load(x)))\n");
  folder.write("b.py",
               "from a import once\n@triton.jit\ndef twice(v):\n    return once(once(v))\n");
  std::string ir = folder.compile("a.py");
  INFO(ir);
  CHECK(ir.find("4.321000e+03") != std::string::npos);
}

TEST_CASE("errors in files that are imported are shown there") {
  Folder folder;
  folder.write("kernel.py", "import utils\nfrom utils import scaled\nfrom nowhere import lost\n"
                            "@triton.jit\ndef kernel(x):\n    tl.store(x, scaled(tl.load(x)))\n");
  folder.write("utils.py", helper);
  CHECK(folder.compile("kernel.py") ==
        R"(utils.py:5:16: error: 'FACTOR' is not defined
  5 |     return v * FACTOR
    |                ^~~~~~
kernel.py:8:17: note: in 'scaled', called here
  8 |     tl.store(x, scaled(tl.load(x)))
    |                 ^~~~~~~~~~~~~~~~~~
)");
  folder.write("kernel.py", "import utils\nfrom nowhere import lost\n@triton.jit\ndef kernel(x):\n"
                            "    tl.store(x, utils.scald(tl.load(x)))\n");
  CHECK(folder.compile("kernel.py") ==
        R"(kernel.py:7:23: error: 'utils.py' has no 'scald'
  7 |     tl.store(x, utils.scald(tl.load(x)))
    |                       ^~~~~
  hint: did you mean 'scaled'?
)");
  folder.write("kernel.py", "from nowhere import lost\n@triton.jit\ndef kernel(x):\n"
                            "    tl.store(x, lost(tl.load(x)))\n");
  CHECK(
      folder.compile("kernel.py") ==
      R"(kernel.py:6:17: error: the global 'lost' is imported from 'nowhere', which is not known at compile time; set it with --global lost=VALUE if it is a constant
  6 |     tl.store(x, lost(tl.load(x)))
    |                 ^~~~
)");
  folder.write("utils.py", "@triton.jit\ndef broken(v):\n    return (v +\n");
  folder.write("kernel.py", "from utils import broken\n@triton.jit\ndef kernel(x):\n    pass\n");
  CHECK(folder.compile("kernel.py").find("utils.py:") == 0);
}
