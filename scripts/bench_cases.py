"""The cases of bench_gpu.py: shipped ops at one size each, with what PyTorch computes for them."""
import json
import math
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2}


def evaluate(expression, names):
    """The expressions of declarations and manifests, as far as Python writes them the same way."""
    functions = {"cdiv": lambda a, b: -(-a // b), "align": lambda x, n: -(-x // n) * n, "min": min, "max": max}
    return int(eval(str(expression), {"__builtins__": {}}, {**functions, **names}))


class Case:
    """An op at one size. `reference` computes its outputs with PyTorch in the dtype that it is given; `prepare` changes
    random inputs, tensors by name, in place, where an op wants labels, or results of its forward pass. The graph has the
    dims in `fixed` as numbers. Inputs in `unread` are of use for their shapes only."""

    def __init__(
        self, name, op, reference, dims, dtype="f32", attrs=None, tolerance=1e-5, prepare=None, fixed="", unread=()
    ):
        self.name, self.op, self.reference, self.dims = name, op, reference, dims
        self.dtype, self.attrs, self.tolerance = dtype, attrs or {}, tolerance
        self.prepare, self.fixed, self.unread = prepare, fixed.split(), unread

    def declaration(self):
        path = ROOT / "kernels" / self.op
        return path, json.loads(path.read_text())

    def element(self, tensor):
        """Labels, indices and offsets are i64, as in PyTorch."""
        return {"T": self.dtype, "L": "i64", "I": "i64"}.get(tensor["dtype"], tensor["dtype"])

    def names(self):
        """Values of the names that expressions of the declaration use."""
        declaration = self.declaration()[1]
        attrs = {n: a["default"] for n, a in declaration.get("attrs", {}).items() if "default" in a}
        names = {**attrs, **self.attrs, **self.dims}
        for name, expression in declaration.get("sizes", {}).items():
            names[name] = evaluate(expression, names)
        return names

    def shape(self, tensor):
        return [evaluate(str(d).lstrip("*"), self.names()) for d in tensor["shape"]]

    def bytes(self, tensors):
        read = (t for t in tensors if t["name"] not in self.unread)
        return sum(SIZES[self.element(t)] * math.prod(self.shape(t)) for t in read)

    def operations(self):
        """Floating-point operations of the dots of a call."""
        d = self.names()
        if self.op == "core/conv2d.json" and d["GROUPS"] == 1:
            return 2 * d["B"] * d["O"] * d["OH"] * d["OW"] * d["CG"] * d["KH"] * d["KW"]
        if "matmul" in self.op:
            return 2 * d.get("G", 1) * d["M"] * d["N"] * d["K"] // (d["G"] if "grouped" in self.op else 1)
        if self.op.startswith("attn"):
            products = {"attn/flash2.json": 2, "attn/flash2_dq.json": 3, "attn/flash2_dkv.json": 4}[self.op]
            return 2 * products * d["BH"] * d["Nq"] * d["Nk"] * d["D"] // (2 if d["CAUSAL"] else 1)
        return 0


#===-- Rows ----------------------------------------------------------------------------------===#


def softmax_backward(out, d_out):
    return out * (d_out - (out * d_out).sum(1, keepdim=True))


def layer_norm(x, weight, bias):
    mean = x.mean(1, keepdim=True)
    rstd = ((x - mean).square().mean(1, keepdim=True) + 1e-5).rsqrt()
    return (x - mean) * rstd * weight + bias, mean[:, 0], rstd[:, 0]


def layer_norm_saved(t):
    x = t["x"].float()
    t["mean"].copy_(x.mean(1))
    t["rstd"].copy_((x.var(1, correction=0) + 1e-5).rsqrt())


def layer_norm_backward(x, weight, mean, rstd, d_out):
    n = (x - mean[:, None]) * rstd[:, None]
    g = d_out * weight
    d_x = (g - g.mean(1, keepdim=True) - n * (g * n).mean(1, keepdim=True)) * rstd[:, None]
    return d_x, (d_out * n).sum(0), d_out.sum(0)


def rms_norm(x, weight):
    rstd = (x.square().mean(1, keepdim=True) + 1e-5).rsqrt()
    return x * rstd * weight, rstd[:, 0]


def rms_norm_saved(t):
    t["rstd"].copy_((t["x"].float().square().mean(1) + 1e-5).rsqrt())


def rms_norm_backward(x, weight, rstd, d_out):
    n = x * rstd[:, None]
    g = d_out * weight
    return (g - n * (g * n).mean(1, keepdim=True)) * rstd[:, None], (d_out * n).sum(0)


def labels(t):
    t["labels"].random_(0, t["logits"].shape[1])
    if "lse" in t:
        t["lse"].copy_(t["logits"].float().logsumexp(1))


def cross_entropy(logits, labels):
    lse = logits.logsumexp(1)
    return lse - logits.gather(1, labels.long()[:, None])[:, 0], lse


def cross_entropy_backward(logits, labels, lse, d_loss):
    d = (logits - lse[:, None]).exp()
    label = labels.long()[:, None]
    return d.scatter(1, label, d.gather(1, label) - 1) * d_loss[:, None]


def top8(x):
    order = x.sort(dim=1, stable=True, descending=True)
    return order.values[:, :8], order.indices[:, :8]


#===-- Elements ------------------------------------------------------------------------------===#


def rope(x, cos, sin):
    a, b = x.chunk(2, 3)
    cos, sin = cos[:, None], sin[:, None]
    import torch

    return torch.cat((a * cos - b * sin, a * sin + b * cos), 3)


def swiglu_backward(gate, up, d_out):
    s = gate.sigmoid()
    return d_out * up * s * (1 + gate * (1 - s)), d_out * gate * s


def indices(t):
    t["indices"].random_(0, t["table"].shape[0])


def embedding_backward(table, indices, d_out):
    return d_out.new_zeros(table.shape).index_add_(0, indices.long(), d_out)


def generator(t):
    t["rng"].random_(0, 1 << 40)


def dropout(x, rng):
    """Philox-4x32-10 in 64-bit integers; a quarter of the elements is dropped."""
    import torch

    def multiply(constant, value):
        high = ((constant >> 16) * value + ((constant & 0xFFFF) * value >> 16)) >> 16
        return high, constant * value & 0xFFFFFFFF

    seed, offset = (int(v) for v in rng.tolist())
    counter = offset + torch.arange(x.numel() // 4, device=x.device)
    c0, c1, c2, c3 = counter & 0xFFFFFFFF, counter >> 32, 0 * counter, 0 * counter
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        high_a, low_a = multiply(0xD2511F53, c0)
        high_b, low_b = multiply(0xCD9E8D57, c2)
        c0, c1, c2, c3 = high_b ^ c1 ^ k0, low_b, high_a ^ c3 ^ k1, low_a
        k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
    bits = torch.stack((c0, c1, c2, c3), 1).flatten()
    positive = torch.where(bits >= 1 << 31, (1 << 32) - 1 - bits, bits)  # ~bits of what is negative as i32
    return torch.where(positive.float() * 4.6566127342e-10 >= 0.25, x / 0.75, 0)


#===-- Detection -----------------------------------------------------------------------------===#


def bce(x, t):
    return (x.clamp(min=0) - x * t + x.abs().neg().exp().log1p()).sum(0)


def bce_backward(x, t, d_loss):
    return d_loss * (x.sigmoid() - t)


def decode(ltrb, anchor_x, anchor_y, strides):
    x1, y1, x2, y2 = anchor_x - ltrb[:, 0], anchor_y - ltrb[:, 1], anchor_x + ltrb[:, 2], anchor_y + ltrb[:, 3]
    import torch

    return torch.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), 1) * strides


def decode_backward(d_out, strides):
    import torch

    x, y, w, h = d_out.unbind(1)
    return torch.stack((w - x / 2, h - y / 2, w + x / 2, h + y / 2), 1) * strides


def ciou(pred, target):
    import torch

    px, py, pw, ph = pred
    tx, ty, tw, th = target
    lowest = [torch.minimum(a, b) for a, b in ((px - pw / 2, tx - tw / 2), (py - ph / 2, ty - th / 2))]
    low = [torch.maximum(a, b) for a, b in ((px - pw / 2, tx - tw / 2), (py - ph / 2, ty - th / 2))]
    high = [torch.minimum(a, b) for a, b in ((px + pw / 2, tx + tw / 2), (py + ph / 2, ty + th / 2))]
    highest = [torch.maximum(a, b) for a, b in ((px + pw / 2, tx + tw / 2), (py + ph / 2, ty + th / 2))]
    inter = (high[0] - low[0]).clamp(min=0) * (high[1] - low[1]).clamp(min=0)
    iou = inter / (pw * ph + tw * th - inter + 1e-7)
    hull = (highest[0] - lowest[0]).square() + (highest[1] - lowest[1]).square() + 1e-7
    v = 4 / math.pi**2 * ((tw / (th + 1e-7)).atan() - (pw / (ph + 1e-7)).atan()).square()
    alpha = v / (1 - iou + v + 1e-7)
    return 1 - iou + ((px - tx).square() + (py - ty).square()) / hull + alpha * v, iou, v, alpha


def boxes(t):
    for name in ("pred", "target"):
        t[name][2:].abs_().add_(0.5)
    if "iou" in t:
        for name, value in zip(("iou", "v", "alpha"), ciou(t["pred"].double(), t["target"].double())[1:]):
            t[name].copy_(value)


def ciou_backward(pred, target, iou, v, alpha, d_loss):
    import torch

    pred = pred.clone().requires_grad_()
    return torch.autograd.grad(ciou(pred, target)[0], pred, d_loss)[0]


#===-- Attention -----------------------------------------------------------------------------===#


def attention(causal):
    def reference(q, k, v):
        score = q @ k.transpose(1, 2) * 0.125
        if causal:
            score = score.masked_fill(score.new_ones(score.shape[1:]).triu(1) > 0, -math.inf)
        return score.softmax(2) @ v, score.logsumexp(2)

    return reference


def attention_saved(t):
    out, lse = attention(False)(*(t[name].float() for name in "qkv"))
    t["out"].copy_(out)
    t["lse"].copy_(lse)


def attention_changes(q, k, v, out, lse, d_out):
    weight = (q @ k.transpose(1, 2) * 0.125 - lse[:, :, None]).exp()
    return weight, weight * (d_out @ v.transpose(1, 2) - (out * d_out).sum(2, keepdim=True)) * 0.125


def attention_dq(q, k, v, out, lse, d_out):
    return attention_changes(q, k, v, out, lse, d_out)[1] @ k


def attention_dkv(q, k, v, out, lse, d_out):
    weight, change = attention_changes(q, k, v, out, lse, d_out)
    return change.transpose(1, 2) @ q, weight.transpose(1, 2) @ d_out


HEADS_OF_IMAGE = 4


def pack_qkv(qkv):
    b, channels, h, w = qkv.shape
    parts = qkv.view(b * HEADS_OF_IMAGE, 4, channels // (4 * HEADS_OF_IMAGE), h * w)
    return parts.permute(1, 0, 3, 2).contiguous()


def pack_qkv_backward(qkv, d_out):
    return d_out.permute(1, 0, 3, 2).contiguous()


def extract_v(qkv):
    return qkv.view(qkv.shape[0] * HEADS_OF_IMAGE, 2, -1)[:, 1].contiguous()


def extract_v_backward(d_out):
    half = d_out.view(d_out.shape[0] * HEADS_OF_IMAGE, -1)
    import torch

    return torch.stack((torch.zeros_like(half), half), 1)


def merge_attn(lo, hi, v):
    import torch

    return torch.stack((lo.transpose(1, 2), hi.transpose(1, 2)), 1)


def merge_attn_backward(d_out):
    b, channels, h, w = d_out.shape
    halves = d_out.view(b * HEADS_OF_IMAGE, 2, channels // (2 * HEADS_OF_IMAGE), h * w)
    return halves[:, 0].transpose(1, 2), halves[:, 1].transpose(1, 2)


#===-- Products ------------------------------------------------------------------------------===#


def product(a, b):
    return a @ b


def offsets(t):
    t["offsets"].random_(0, t["a"].shape[0])
    t["offsets"].copy_(t["offsets"].sort().values)
    t["offsets"][-1] = t["a"].shape[0]


def grouped(a, b, offsets):
    ends = [int(end) for end in offsets.tolist()]
    import torch

    return torch.cat([a[begin:end] @ b[g] for g, (begin, end) in enumerate(zip([0] + ends, ends))])


def convolution(groups):
    def reference(x, w):
        from torch.nn.functional import conv2d

        return conv2d(x, w, padding=1, groups=groups)

    return reference


def largest(x):
    from torch.nn.functional import max_pool2d

    return max_pool2d(x, 5, 1, 2)


#===-- The cases -----------------------------------------------------------------------------===#

ROWS = {"M": 8192, "N": 4096}
ELEMENTS = {"L": 1 << 25}
CLASSES = {"C": 80, "N": 16 * 8400}
ANCHORS = {"B": 512, "A": 8400}
TABLE = {"V": 1 << 15, "M": 1 << 15, "D": 512}
TOKENS = {"B": 8, "S": 2048, "heads": 32, "D": 128}
BOXES = {"N": 1 << 22}
IMAGES = {"B": 32, "K": 64, "H": 40, "W": 40}
LARGE = {"M": 4096, "N": 4096, "K": 4096}
HEADS = {"BH": 32, "Nq": 4096, "Nk": 4096, "D": 64, "DV": 64}
MATMUL = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32}
FLASH = {"scale": 0.125, "BLOCK_M": 128, "BLOCK_N": 64}
GRADIENTS = {"scale": 0.125, "CAUSAL": False}
SAME = {"PAD_TOP": 1, "PAD_LEFT": 1, "PAD_BOTTOM": 1, "PAD_RIGHT": 1}
POOL = {"KIND": "max", "KERNEL_H": 5, "KERNEL_W": 5, **{name: 2 for name in SAME}}
FILTER = {"H": 40, "W": 40, "KH": 3, "KW": 3}
PSA = {"heads": HEADS_OF_IMAGE}
# Tolerances of results rounded to f16, and of such as f32 sums of many terms give.
F16, SUMS = 1e-3, 1e-4
CASES = [
    Case("add", "basic/add.json", lambda x, y: x + y, {"n": 1 << 25}),
    Case("softmax", "nn/softmax.json", lambda x: x.softmax(1), ROWS),
    Case("softmax_f16", "nn/softmax.json", lambda x: x.softmax(1), ROWS, "f16", tolerance=F16),
    Case("softmax_odd", "nn/softmax.json", lambda x: x.softmax(1), {"M": 8192, "N": 4095}),
    Case("softmax_bwd", "nn/softmax_backward.json", softmax_backward, ROWS),
    Case("layer_norm", "nn/layer_norm.json", layer_norm, ROWS),
    Case("layer_norm_bwd", "nn/layer_norm_backward.json", layer_norm_backward, ROWS, prepare=layer_norm_saved),
    Case("rms_norm", "nn/rms_norm.json", rms_norm, ROWS),
    Case("rms_norm_bwd", "nn/rms_norm_backward.json", rms_norm_backward, ROWS, prepare=rms_norm_saved),
    Case("cross_entropy", "nn/cross_entropy.json", cross_entropy, ROWS, prepare=labels),
    Case("cross_entropy_bwd", "nn/cross_entropy_backward.json", cross_entropy_backward, ROWS, prepare=labels),
    Case("topk", "nn/topk.json", top8, {"M": 8192, "N": 2048}, attrs={"K": 8}),
    Case("argmax", "basic/argmax.json", lambda x: x.argmax(1), ROWS),
    Case("cumsum", "basic/cumsum.json", lambda x: x.cumsum(1), ROWS),
    Case("column_sum", "basic/column_sum.json", lambda x: x.sum(0), ROWS),
    Case("reduce_rows", "core/reduce.json", lambda x: x.sum(1), {"OUTER": 8192, "R": 4096, "INNER": 1},
         attrs={"KIND": "sum"}, fixed="INNER"),
    Case("reduce_middle", "core/reduce.json", lambda x: x.sum(1), {"OUTER": 64, "R": 512, "INNER": 1024},
         attrs={"KIND": "sum"}),
    Case("arg_reduce_rows", "core/arg_reduce.json", lambda x: x.argmax(1), {"OUTER": 8192, "R": 4096, "INNER": 1},
         attrs={"KIND": "max"}, fixed="INNER"),
    Case("arg_reduce_middle", "core/arg_reduce.json", lambda x: x.argmax(1), {"OUTER": 64, "R": 512, "INNER": 1024},
         attrs={"KIND": "max"}),
    Case("rope_f16", "nn/rope.json", rope, TOKENS, "f16", tolerance=F16),
    Case("rope_bwd_f16", "nn/rope_backward.json", lambda cos, sin, d_out: rope(d_out, cos, -sin), TOKENS, "f16",
         tolerance=F16),
    Case("swiglu_f16", "nn/swiglu.json", lambda gate, up: gate * gate.sigmoid() * up, ELEMENTS, "f16", tolerance=F16),
    Case("swiglu_bwd_f16", "nn/swiglu_backward.json", swiglu_backward, ELEMENTS, "f16", tolerance=F16),
    Case("embedding", "nn/embedding.json", lambda table, indices: table[indices.long()], TABLE, prepare=indices),
    Case("embedding_bwd", "nn/embedding_backward.json", embedding_backward, TABLE, prepare=indices, unread=("table",)),
    Case("dropout", "nn/dropout.json", dropout, ELEMENTS, attrs={"p": 0.25}, prepare=generator),
    Case("dropout_bwd", "nn/dropout_backward.json", lambda rng, d_out: dropout(d_out, rng), ELEMENTS,
         attrs={"p": 0.25}, prepare=generator),
    Case("bce", "yolo/bce_cls_loss.json", bce, CLASSES),
    Case("bce_bwd", "yolo/bce_cls_loss_backward.json", bce_backward, CLASSES),
    Case("bce_bwd_f16", "yolo/bce_cls_loss_backward.json", bce_backward, CLASSES, "f16", tolerance=F16),
    Case("ciou", "yolo/ciou_loss.json", ciou, BOXES, prepare=boxes),
    Case("ciou_bwd", "yolo/ciou_loss_backward.json", ciou_backward, BOXES, prepare=boxes, tolerance=5e-4),
    Case("detect_decode", "yolo/detect_decode.json", decode, ANCHORS, attrs={"BLOCK_A": 256}, fixed="A"),
    Case("detect_decode_bwd", "yolo/detect_decode_backward.json", decode_backward, ANCHORS, fixed="A"),
    Case("pack_qkv_f16", "psa/pack_qkv.json", pack_qkv, IMAGES, "f16", PSA),
    Case("pack_qkv_bwd_f16", "psa/pack_qkv_backward.json", pack_qkv_backward, IMAGES, "f16", PSA, unread=("qkv",)),
    Case("extract_v_f16", "psa/extract_v.json", extract_v, IMAGES, "f16", PSA),
    Case("extract_v_bwd_f16", "psa/extract_v_backward.json", extract_v_backward, IMAGES, "f16", PSA),
    Case("merge_attn_f16", "psa/merge_attn.json", merge_attn, IMAGES, "f16", PSA, unread=("v",)),
    Case("merge_attn_bwd_f16", "psa/merge_attn_backward.json", merge_attn_backward, IMAGES, "f16", PSA),
    Case("pool2d_f16", "core/pool2d.json", largest, {"B": 32, "C": 128, "H": 80, "W": 80}, "f16", POOL, fixed="C H W"),
    Case("conv2d_depthwise_f16", "core/conv2d.json", convolution(128),
         {"B": 64, "C": 128, "O": 128, "CG": 1, "H": 80, "W": 80, "KH": 3, "KW": 3}, "f16",
         {**SAME, "GROUPS": 128}, tolerance=F16, fixed="C O CG H W KH KW"),
    Case("conv2d_f16", "core/conv2d.json", convolution(1), {"B": 32, "C": 128, "O": 128, "CG": 128, **FILTER}, "f16",
         SAME, tolerance=F16, fixed="C O CG H W KH KW"),
    Case("core_matmul_f16", "core/matmul.json", product, {"G": 16, "A1": 1024, "A2": 1024, "B1": 1024, "B2": 1024},
         "f16", tolerance=F16, fixed="A1 A2 B1 B2"),
    Case("matmul_f16", "linear/matmul.json", product, LARGE, "f16", MATMUL, tolerance=F16),
    Case("matmul_f16_k64", "linear/matmul.json", product, LARGE, "f16", {**MATMUL, "BLOCK_K": 64}, tolerance=F16),
    Case("matmul_bf16", "linear/matmul.json", product, LARGE, "bf16", MATMUL, tolerance=1e-2),
    Case("matmul_tf32", "linear/matmul.json", product, LARGE, "f32", {**MATMUL, "PRECISION": "tf32"}, tolerance=1e-3),
    Case("matmul_split_k_f16", "linear/matmul_split_k.json", product, {"M": 512, "N": 512, "K": 1 << 15}, "f16",
         tolerance=SUMS),
    Case("grouped_matmul_f16", "linear/grouped_matmul.json", grouped, {"M": 4096, "N": 2048, "K": 2048, "G": 8}, "f16",
         tolerance=F16, prepare=offsets),
    Case("flash_f16", "attn/flash2.json", attention(False), HEADS, "f16", {**FLASH, "CAUSAL": False}, tolerance=2e-3,
         fixed="D DV"),
    Case("flash_causal_f16", "attn/flash2.json", attention(True), HEADS, "f16", {**FLASH, "CAUSAL": True},
         tolerance=2e-3, fixed="D DV"),
    Case("flash_dq_f16", "attn/flash2_dq.json", attention_dq, HEADS, "f16", GRADIENTS, tolerance=4e-3,
         prepare=attention_saved, fixed="D DV"),
    Case("flash_dkv_f16", "attn/flash2_dkv.json", attention_dkv, HEADS, "f16", GRADIENTS, tolerance=4e-3,
         prepare=attention_saved, fixed="D DV"),
]  # fmt: skip
