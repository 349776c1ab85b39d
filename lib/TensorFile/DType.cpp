#include "TensorFile/DTypeTable.h"

namespace teeny {

static_assert([] {
  for (size_t i = 0; i < dtypeTable.size(); ++i)
    if (size_t(dtypeTable[i].type) != i)
      return false;
  return true;
}());

const char *name(DType type) { return rowOf(type).name; }
int64_t byteSize(DType type) { return rowOf(type).bytes; }

std::optional<DType> dtypeByName(std::string_view name) {
  for (const DTypeRow &row : dtypeTable)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::vector<const char *> dtypeNames() {
  std::vector<const char *> names;
  for (const DTypeRow &row : dtypeTable)
    names.push_back(row.name);
  return names;
}

} // namespace teeny
