#include "Graph/IR/CoreForm.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

static void setIntegers(NamedAttrList &attrs, ArrayRef<StringRef> names, ArrayRef<int64_t> values,
                        Builder &builder) {
  for (auto [name, value] : llvm::zip_equal(names, values))
    attrs.set(name, builder.getI64IntegerAttr(value));
}

static void setWindow(NamedAttrList &attrs, ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                      ArrayRef<int64_t> dilations, Builder &builder) {
  setIntegers(attrs, {"STRIDE_H", "STRIDE_W"}, strides, builder);
  setIntegers(attrs, {"PAD_TOP", "PAD_LEFT", "PAD_BOTTOM", "PAD_RIGHT"}, pads, builder);
  setIntegers(attrs, {"DILATION_H", "DILATION_W"}, dilations, builder);
}

std::optional<CoreForm> graph::coreForm(Operation *op) {
  Builder builder(op->getContext());
  NamedAttrList attrs;
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    attrs.set("TA", builder.getBoolAttr(matmul.getTransposed()[0]));
    attrs.set("TB", builder.getBoolAttr(matmul.getTransposed()[1]));
    return CoreForm{"core.matmul", {"a", "b"}, attrs.getDictionary(op->getContext())};
  }
  if (auto conv = dyn_cast<ConvOp>(op)) {
    setWindow(attrs, conv.getStrides(), conv.getPads(), conv.getDilations(), builder);
    attrs.set("GROUPS", builder.getI64IntegerAttr(conv.getGroups()));
    return CoreForm{"core.conv2d", {"x", "w"}, attrs.getDictionary(op->getContext())};
  }
  if (auto pool = dyn_cast<PoolOp>(op)) {
    setWindow(attrs, pool.getStrides(), pool.getPads(), pool.getDilations(), builder);
    setIntegers(attrs, {"KERNEL_H", "KERNEL_W"}, pool.getWindow(), builder);
    attrs.set("KIND", builder.getStringAttr(stringifyPoolKind(pool.getKind())));
    attrs.set("COUNT_PAD", builder.getBoolAttr(pool.getCountPad()));
    attrs.set("CEIL", builder.getBoolAttr(pool.getCeil()));
    return CoreForm{"core.pool2d", {"x"}, attrs.getDictionary(op->getContext())};
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    StringRef kind = stringifyReduceKind(reduce.getKind());
    bool isArg = kind.consume_front("arg");
    attrs.set("KIND", builder.getStringAttr(kind));
    if (isArg)
      return CoreForm{"core.arg_reduce", {"x"}, attrs.getDictionary(op->getContext())};
    return CoreForm{"core.reduce", {"x"}, attrs.getDictionary(op->getContext())};
  }
  return std::nullopt;
}
