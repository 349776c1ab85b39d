// Any bytes as a safetensors file: refused, or tensors that cover its data in order, and that are
// the same after writing and reading. What begins with '{' is a header and, after the first line,
// the data; the length that a file begins with is added to it.
#include "Fuzz.h"
#include "TensorFile/Bytes.h"
#include "TensorFile/SafeTensors.h"

#include <algorithm>

using namespace teeny;

void fuzz::safetensors(std::string_view input) {
  std::string text(input);
  if (input.starts_with('{')) {
    size_t line = std::min(text.find('\n'), text.size());
    text = fileOf(text.substr(0, line), text.substr(std::min(line + 1, text.size())));
  }
  std::vector<std::byte> file = bytesOf(text);
  Result<SafeTensors> tensors = SafeTensors::parse(file);
  if (!tensors) {
    expect(!tensors.error().message.empty(), "an error has a message");
    return;
  }
  const std::byte *at = nullptr;
  for (const TensorView &tensor : tensors->tensors()) {
    expect(tensorBytes(tensor.dtype, tensor.shape) == int64_t(tensor.data.size()),
           "the data has the size of the shape");
    expect(!at || tensor.data.data() == at, "tensors cover the data in order");
    at = tensor.data.data() + tensor.data.size();
    expect(tensors->find(tensor.name) == &tensor, "each is found by its name");
  }
  expect(!at || at == file.data() + file.size(), "tensors cover the data to its end");

  Result<std::vector<std::byte>> written =
      writeSafeTensors(tensors->tensors(), tensors->metadata());
  // But for the name that cannot be written, since metadata has it.
  expect(written || tensors->find("__metadata__"), "what was read can be written");
  if (!written)
    return;
  Result<SafeTensors> back = SafeTensors::parse(*written);
  expect(back && back->metadata() == tensors->metadata() &&
             std::ranges::equal(back->tensors(), tensors->tensors(),
                                [](const TensorView &a, const TensorView &b) {
                                  return a.name == b.name && a.dtype == b.dtype &&
                                         a.shape == b.shape && std::ranges::equal(a.data, b.data);
                                }),
         "what was written is read again");
}
