# silu(gate) * up, with silu(x) = x * sigmoid(x), and its gradients; exp(x) as exp2(x * log2(e)), the machine's.
import triton
import triton.language as tl


@triton.jit
def swiglu_forward(gate, up, out, L, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + i, mask=i < L, other=0.0).to(tl.float32)
    u = tl.load(up + i, mask=i < L, other=0.0).to(tl.float32)
    tl.store(out + i, g / (1 + tl.exp2(g * -1.4426950408889634)) * u, mask=i < L)


@triton.jit
def swiglu_backward(gate, up, d_out, d_gate, d_up, L, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + i, mask=i < L, other=0.0).to(tl.float32)
    u = tl.load(up + i, mask=i < L, other=0.0).to(tl.float32)
    d = tl.load(d_out + i, mask=i < L, other=0.0).to(tl.float32)
    s = 1 / (1 + tl.exp2(g * -1.4426950408889634))
    tl.store(d_gate + i, d * u * s * (1 + g * (1 - s)), mask=i < L)
    tl.store(d_up + i, d * g * s, mask=i < L)
