"""libdevice's conversions between integers and floats: members of `libdevice` and `tl.math`.

What has no integer goes to the nearest one, NaN to 0.
"""

import triton
import triton.language as tl


@triton.jit
def float2int_rn(x):
    return tl.math.rint(_typed(x, tl.float32)).to(tl.int32)


@triton.jit
def float2int_rz(x):
    return _typed(x, tl.float32).to(tl.int32)


@triton.jit
def float2int_rd(x):
    return tl.floor(_typed(x, tl.float32)).to(tl.int32)


@triton.jit
def float2int_ru(x):
    return tl.ceil(_typed(x, tl.float32)).to(tl.int32)


@triton.jit
def float2uint_rn(x):
    return tl.math.rint(_typed(x, tl.float32)).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def float2uint_rz(x):
    return _typed(x, tl.float32).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def float2uint_rd(x):
    return tl.floor(_typed(x, tl.float32)).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def float2uint_ru(x):
    return tl.ceil(_typed(x, tl.float32)).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def float2ll_rn(x):
    return tl.math.rint(_typed(x, tl.float32)).to(tl.int64)


@triton.jit
def float2ll_rz(x):
    return _typed(x, tl.float32).to(tl.int64)


@triton.jit
def float2ll_rd(x):
    return tl.floor(_typed(x, tl.float32)).to(tl.int64)


@triton.jit
def float2ll_ru(x):
    return tl.ceil(_typed(x, tl.float32)).to(tl.int64)


@triton.jit
def float2ull_rn(x):
    return tl.math.rint(_typed(x, tl.float32)).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def float2ull_rz(x):
    return _typed(x, tl.float32).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def float2ull_rd(x):
    return tl.floor(_typed(x, tl.float32)).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def float2ull_ru(x):
    return tl.ceil(_typed(x, tl.float32)).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def double2int_rn(x):
    return tl.math.rint(_typed(x, tl.float64)).to(tl.int32)


@triton.jit
def double2int_rz(x):
    return _typed(x, tl.float64).to(tl.int32)


@triton.jit
def double2int_rd(x):
    return tl.floor(_typed(x, tl.float64)).to(tl.int32)


@triton.jit
def double2int_ru(x):
    return tl.ceil(_typed(x, tl.float64)).to(tl.int32)


@triton.jit
def double2uint_rn(x):
    return tl.math.rint(_typed(x, tl.float64)).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def double2uint_rz(x):
    return _typed(x, tl.float64).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def double2uint_rd(x):
    return tl.floor(_typed(x, tl.float64)).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def double2uint_ru(x):
    return tl.ceil(_typed(x, tl.float64)).to(tl.uint32).to(tl.int32, bitcast=True)


@triton.jit
def double2ll_rn(x):
    return tl.math.rint(_typed(x, tl.float64)).to(tl.int64)


@triton.jit
def double2ll_rz(x):
    return _typed(x, tl.float64).to(tl.int64)


@triton.jit
def double2ll_rd(x):
    return tl.floor(_typed(x, tl.float64)).to(tl.int64)


@triton.jit
def double2ll_ru(x):
    return tl.ceil(_typed(x, tl.float64)).to(tl.int64)


@triton.jit
def double2ull_rn(x):
    return tl.math.rint(_typed(x, tl.float64)).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def double2ull_rz(x):
    return _typed(x, tl.float64).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def double2ull_rd(x):
    return tl.floor(_typed(x, tl.float64)).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def double2ull_ru(x):
    return tl.ceil(_typed(x, tl.float64)).to(tl.uint64).to(tl.int64, bitcast=True)


@triton.jit
def int2float_rn(x):
    return _typed(x, tl.int32).to(tl.float32)


@triton.jit
def int2double_rn(x):
    return _typed(x, tl.int32).to(tl.float64)


@triton.jit
def uint2float_rn(x):
    return _typed(x, tl.uint32).to(tl.float32)


@triton.jit
def uint2double_rn(x):
    return _typed(x, tl.uint32).to(tl.float64)


@triton.jit
def ll2float_rn(x):
    return _typed(x, tl.int64).to(tl.float32)


@triton.jit
def ll2double_rn(x):
    return _typed(x, tl.int64).to(tl.float64)


@triton.jit
def ull2float_rn(x):
    return _typed(x, tl.uint64).to(tl.float32)


@triton.jit
def ull2double_rn(x):
    return _typed(x, tl.uint64).to(tl.float64)


@triton.jit
def double2float_rn(x):
    return _typed(x, tl.float64).to(tl.float32)


@triton.jit
def double2float_rz(x):
    return _typed(x, tl.float64).to(tl.float32, fp_downcast_rounding="rtz")
