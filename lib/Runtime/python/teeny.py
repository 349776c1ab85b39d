"""Runs bundles that teenyc compiled: the C API of libteeny, by ctypes and nothing else.

    import numpy, teeny

    bundle = teeny.load("boxes.bundle")
    session = bundle.session()                     # on a GPU if there is one, else on the CPU
    boxes = session.run({"ltrb": ltrb})["boxes"]   # NumPy arrays in, NumPy arrays out

Tensors. Wherever one is expected, these will do, and none is copied on the way to the runtime:
  - what has the buffer protocol: NumPy arrays, array.array, memoryview, bytes (of u8);
  - what has __dlpack__: tensors of PyTorch, JAX, CuPy and others, on the CPU or the session's GPU;
  - a Tensor, which names the element type of bytes, or an address on the GPU.
They must be contiguous and row-major, and have exactly the element type that the bundle wants.

Where the library is: the file that TEENY_LIBRARY names; else libteeny.so.0 beside this file, or in
the library folder that this file is installed under; else where the loader finds it.

Errors are teeny.Error, with the text of the runtime. Threads: a Bundle may be used by many at once, a
Session by one at a time; sessions run at the same time, as no call holds Python's lock.
"""

import ctypes
import json
import math
import numbers
import os
import struct
from collections import namedtuple
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p

__all__ = ["Bundle", "Dim", "Error", "Session", "Spec", "Tensor", "load", "version"]

Spec = namedtuple("Spec", ["dtype", "shape"])
Spec.__doc__ = 'An input or output: dtype such as "f32", and an expression over dims per axis, such as ("B", "4").'
Dim = namedtuple("Dim", ["min", "max", "multiple_of"])
Dim.__doc__ = "A named size: min <= value <= max, and a multiple of multiple_of."

# In the order of teeny_dtype: name, bytes, format of struct, NumPy's name, code in DLPack.
_Type = namedtuple("_Type", ["name", "size", "format", "numpy", "dlpack"])
_TYPES = [
    _Type("f64", 8, "d", "float64", 2), _Type("f32", 4, "f", "float32", 2), _Type("f16", 2, "e", "float16", 2),
    _Type("bf16", 2, None, None, 4), _Type("f8e4m3", 1, None, None, 10), _Type("f8e5m2", 1, None, None, 12),
    _Type("i64", 8, "q", "int64", 0), _Type("i32", 4, "i", "int32", 0), _Type("i16", 2, "h", "int16", 0),
    _Type("i8", 1, "b", "int8", 0), _Type("u64", 8, "Q", "uint64", 1), _Type("u32", 4, "I", "uint32", 1),
    _Type("u16", 2, "H", "uint16", 1), _Type("u8", 1, "B", "uint8", 1), _Type("bool", 1, "?", "bool", 6),
]  # fmt: skip
_INDEX = {one.name: index for index, one in enumerate(_TYPES)}
_HOST, _DEVICE = 0, 1


class Error(Exception):
    """What failed and what would be right, as text. `status` is the runtime's word for its kind: "invalid",
    "unsupported", "not found", "out of range", "out of memory", "environment", "io" or "internal"."""

    def __init__(self, text, status="invalid"):
        super().__init__(text)
        self.status = status


# ---- The library ---------------------------------------------------------------------------------


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("dtype", c_int), ("memory", c_int), ("rank", c_size_t),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64))]  # fmt: skip


class _Argument(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("tensor", POINTER(_Tensor)), ("integer", c_int64),
                ("real", c_double)]  # fmt: skip


class _Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("device", c_char_p), ("target", c_char_p), ("threads", c_int32),
                ("no_graphs", c_int32)]  # fmt: skip


class _DimValue(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", c_int64)]


class _Plan(ctypes.Structure):
    _fields_ = [("arena_bytes", c_size_t), ("param_bytes", c_size_t), ("launches", c_size_t)]


class _Statistics(ctypes.Structure):
    _fields_ = [("device_us", c_double), ("launches", c_size_t), ("used_graph", c_int32), ("copied_in", c_size_t),
                ("copied_out", c_size_t), ("arena_bytes", c_size_t), ("param_bytes", c_size_t),
                ("graphs_made", c_size_t), ("graph_updates", c_size_t)]  # fmt: skip


class _Launch(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("node", c_char_p), ("kernel", c_char_p), ("target", c_char_p),
                ("grid", c_int32 * 3), ("device_us", c_double)]  # fmt: skip


def _open_library():
    named = os.environ.get("TEENY_LIBRARY")
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [here, os.path.join(here, "..", "..")]  # the latter of lib/python3/dist-packages
    files = [os.path.join(folder, "libteeny.so.0") for folder in folders]
    found = named or next((file for file in files if os.path.exists(file)), "libteeny.so.0")
    try:
        return ctypes.CDLL(found)
    except OSError as error:
        hint = "TEENY_LIBRARY names it" if named else "set TEENY_LIBRARY to the path of libteeny.so.0"
        raise Error(f"the teeny runtime cannot be loaded: {error}; {hint}", "environment") from None


def _declare(library):
    handle, size, text = c_void_p, c_size_t, c_char_p
    calls = {
        "open_file": [text, text, POINTER(handle)],
        "open_memory": [c_void_p, size, text, POINTER(handle)],
        "verify": [handle],
        "plan": [handle, POINTER(_DimValue), size, POINTER(_Plan)],
        "input_shape": [handle, size, POINTER(_DimValue), size, POINTER(c_int64), size],
        "output_shape": [handle, size, POINTER(_DimValue), size, POINTER(c_int64), size],
        "session_create": [handle, POINTER(_Options), POINTER(handle)],
        "bind_input": [handle, text, POINTER(_Tensor)],
        "bind_output": [handle, text, POINTER(_Tensor)],
        "get_output_tensor": [handle, text, POINTER(_Tensor)],
        "run": [handle],
        "run_on_stream": [handle, c_void_p],
        "read_output": [handle, text, c_void_p, size],
        "launch_kernel": [handle, text, POINTER(c_int32), POINTER(_Argument), size],
        "launch_kernel_on_stream": [handle, text, POINTER(c_int32), POINTER(_Argument), size, c_void_p],
        "set_timings": [handle, c_int],
        "get_statistics": [handle, POINTER(_Statistics)],
        "get_launch": [handle, size, POINTER(_Launch)],
    }
    for name, arguments in calls.items():
        function = getattr(library, "teeny_" + name)
        function.argtypes, function.restype = arguments, c_int
    others = {
        "version": ([], text),
        "last_error": ([], text),
        "status_name": ([c_int], text),
        "describe_json": ([handle], text),
        "session_device": ([handle], text),
        "close": ([handle], None),
        "session_destroy": ([handle], None),
    }
    for name, (arguments, result) in others.items():
        function = getattr(library, "teeny_" + name)
        function.argtypes, function.restype = arguments, result
    return library


_library = _declare(_open_library())


def _call(name, *arguments):
    status = getattr(_library, "teeny_" + name)(*arguments)
    if status != 0:
        raise Error(_library.teeny_last_error().decode(errors="replace"), _library.teeny_status_name(status).decode())


def _text(value):
    """A string as C takes it."""
    value = os.fsencode(value)
    if b"\0" in value:
        raise Error(f"{value!r} has a zero byte")
    return value


def _dims(dims):
    return (_DimValue * len(dims))(*[(_text(name), value) for name, value in dims.items()])


def version():
    """The library's version: "0.1.0"."""
    return _library.teeny_version().decode()


# ---- Tensors -------------------------------------------------------------------------------------


class Tensor:
    """Bytes with an element type: for types that Python has no name for, such as bf16, and for memory on a GPU.

    data: host memory with the buffer protocol, contiguous, of any element type; or an int, the address of
    memory on the session's GPU. It is not copied. dtype: "f32", "bf16", ... (as Bundle.inputs say). shape: a
    tuple of ints, in elements; the number of bytes must be right. An array of a package's own bf16 is given as its
    bits: Tensor(x.view("uint16"), "bf16", x.shape). The outputs of a run are Tensors where NumPy
    is missing or lacks the type; `data` then is a bytearray."""

    def __init__(self, data, dtype, shape):
        if dtype not in _INDEX:
            raise Error(f"there is no dtype '{dtype}'; there are {', '.join(_INDEX)}")
        self.data, self.dtype, self.shape = data, dtype, tuple(shape)
        expected = math.prod(self.shape) * _TYPES[_INDEX[dtype]].size
        if not isinstance(data, int) and memoryview(data).nbytes != expected:
            raise Error(f"{memoryview(data).nbytes} bytes are given for {dtype} {self.shape}, expected {expected}")

    def tolist(self):
        """The elements of host memory as Python numbers, in one flat list."""
        if isinstance(self.data, int):
            raise Error("the tensor is on a GPU")
        data = memoryview(self.data).cast("B")
        kind = _TYPES[_INDEX[self.dtype]]
        if kind.format:
            return list(struct.unpack(f"={len(data) // kind.size}{kind.format}", data))
        if self.dtype == "bf16":  # the upper half of f32
            return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
        if self.dtype == "f8e5m2":  # the upper half of f16
            return [struct.unpack("<e", bytes([0, byte]))[0] for byte in data]
        return [_f8e4m3(byte) for byte in data]


def _f8e4m3(byte):
    """4 bits of exponent, 3 of mantissa, no infinities."""
    exponent, mantissa = byte >> 3 & 15, byte & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    value = math.ldexp(mantissa + 8, exponent - 10) if exponent else math.ldexp(mantissa, -9)
    return -value if byte & 128 else value


class _Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", c_int), ("ndim", c_int), ("format", c_char_p),
                ("shape", POINTER(ctypes.c_ssize_t)), ("strides", POINTER(ctypes.c_ssize_t)),
                ("suboffsets", c_void_p), ("internal", c_void_p)]  # fmt: skip


_get_buffer = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, POINTER(_Buffer), c_int)(("PyObject_GetBuffer", ctypes.pythonapi))
_release_buffer = ctypes.PYFUNCTYPE(None, POINTER(_Buffer))(("PyBuffer_Release", ctypes.pythonapi))
_STRIDES_AND_FORMAT = 0x1C


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("rank", c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("offset", ctypes.c_uint64)]  # fmt: skip


class _DLVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", c_void_p),
                ("deleter", c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor)]  # fmt: skip


_capsule_has = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # devices of DLPack


class _View:
    """A tensor as the C API takes it, and what keeps its memory alive."""

    def __init__(self, tensor, what, session, stream=None):
        self.buffer = None
        self.what = what
        self.read_only = False
        if isinstance(tensor, Tensor):
            self._of_tensor(tensor)
        elif not self._of_buffer(tensor):
            if not hasattr(tensor, "__dlpack__"):
                raise Error(f"{what}: {_a(tensor)} is no tensor; expected the buffer protocol, as NumPy arrays "
                            "have it, or __dlpack__")  # fmt: skip
            self._of_dlpack(tensor, session, stream)

    def __del__(self):
        if self.buffer is not None:
            _release_buffer(byref(self.buffer))

    def _set(self, data, dtype, shape, strides=None, memory=_HOST):
        def numbers_of(values):
            return None if values is None else (c_int64 * len(values))(*values)

        self.c = _Tensor(data, dtype, memory, len(shape), numbers_of(shape), numbers_of(strides))

    def _of_tensor(self, tensor):
        if isinstance(tensor.data, int):
            self._set(tensor.data, _INDEX[tensor.dtype], tensor.shape, memory=_DEVICE)
        elif self._of_buffer(tensor.data):
            if not memoryview(tensor.data).c_contiguous:
                raise Error(f"{self.what}: the data of the Tensor is not contiguous")
            self._set(self.buffer.buf, _INDEX[tensor.dtype], tensor.shape)
        else:
            raise Error(f"{self.what}: the data of the Tensor is {_a(tensor.data)}, expected the buffer protocol")

    def _of_buffer(self, tensor):
        """Whether it has the buffer protocol."""
        buffer = _Buffer()
        try:
            _get_buffer(tensor, byref(buffer), _STRIDES_AND_FORMAT)
        except TypeError:
            return False
        except (BufferError, ValueError) as error:  # such as NumPy's of a type that buffers lack
            if hasattr(tensor, "__dlpack__"):
                return False
            raise Error(f"{self.what}: {error}") from error
        self.buffer = buffer
        self.read_only = buffer.readonly != 0
        size = buffer.itemsize
        strides = [buffer.strides[i] for i in range(buffer.ndim)]
        if size == 0 or any(stride % size for stride in strides):
            raise Error(f"{self.what}: strides of {strides} bytes are no multiples of the element's size {size}")
        dtype = self._dtype_of((buffer.format or b"B").decode(), size)
        self._set(buffer.buf, dtype, [buffer.shape[i] for i in range(buffer.ndim)], [s // size for s in strides])
        return True

    def _dtype_of(self, form, size):
        letter = form.lstrip("@=<") if struct.pack("=H", 1) == b"\1\0" else form.lstrip("@=>")
        groups = {"?": "?", "b": "bhilqn", "B": "BHILQN", "e": "efd"}
        for letters in groups.values():
            if len(letter) == 1 and letter in letters:
                for index, one in enumerate(_TYPES):
                    if one.format and one.format in letters and one.size == size:
                        return index
        raise Error(f"{self.what}: no bundle has elements of the format '{form}'", "unsupported")

    def _of_dlpack(self, tensor, session, stream):
        where = tensor.__dlpack_device__()[0]
        # The stream that will read it; 1 is the legacy default stream, for which runs wait.
        keywords = {"stream": stream or 1} if where in (_CUDA, _CUDA_MANAGED) else {}
        try:
            try:
                self.capsule = tensor.__dlpack__(max_version=(1, 0), **keywords)
            except TypeError:  # from before DLPack 1.0
                self.capsule = tensor.__dlpack__(**keywords)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise Error(f"{self.what}: {error}") from error
        # The capsule frees the tensor when it goes, as long as it keeps its name.
        if _capsule_has(self.capsule, b"dltensor_versioned"):
            managed = _DLVersioned.from_address(_capsule_pointer(self.capsule, b"dltensor_versioned"))
            if managed.major != 1:
                raise Error(f"{self.what}: the tensor is DLPack version {managed.major}, expected 1", "unsupported")
            self.read_only = managed.flags & 1 != 0
            view = managed.tensor
        else:
            view = _DLTensor.from_address(_capsule_pointer(self.capsule, b"dltensor"))
        dtype = next((index for index, one in enumerate(_TYPES)
                      if (one.dlpack, one.size * 8, 1) == (view.code, view.bits, view.lanes)), None)  # fmt: skip
        if dtype is None:
            raise Error(f"{self.what}: no bundle has the DLPack type with code {view.code}, {view.bits} bits and "
                        f"{view.lanes} lanes", "unsupported")  # fmt: skip
        shape = view.shape[: view.rank]
        strides = view.strides[: view.rank] if view.strides else None
        self._set((view.data or 0) + view.offset, dtype, shape, strides, self._memory_of(view, session))

    def _memory_of(self, view, session):
        on_gpu = session.device.startswith("cuda")
        if view.device_type in (_CPU, _CUDA_HOST):
            return _HOST
        if view.device_type == _CUDA_MANAGED:
            return _DEVICE if on_gpu else _HOST
        if view.device_type != _CUDA:
            raise Error(f"{self.what}: the data is on a device of the DLPack type {view.device_type}, expected CPU or "
                        "CUDA memory", "unsupported")  # fmt: skip
        if not session.device.startswith(f"cuda:{view.device_id} "):
            raise Error(f"{self.what}: the data is on the device cuda:{view.device_id}, and the session runs on "
                        f"{session.device}", "unsupported")  # fmt: skip
        return _DEVICE


def _a(value):
    return f"an object of the type '{type(value).__name__}'"


def _numpy():
    try:
        import numpy
    except ImportError:
        return None
    return numpy


# ---- Bundles and sessions ------------------------------------------------------------------------


class _Owner:
    """Holds a handle of the C API until it is closed, or nobody has the object any more."""

    _destroy = None
    _handle = None

    def close(self):
        """Frees it now. A bundle may be closed while it has sessions."""
        handle, self._handle = self._handle, None
        if handle:
            getattr(_library, self._destroy)(handle)

    def _get(self):
        if not self._handle:
            raise Error(f"the {type(self).__name__.lower()} is closed")
        return self._handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()


def load(source, sha256=None):
    """Opens a bundle: a path, or its bytes (which are copied). A file stays mapped: do not change it meanwhile.

    sha256: the hash that the whole file must have, as 64 hexadecimal digits. Opening runs no code of the bundle;
    a session does."""
    handle = c_void_p()
    expected = None if sha256 is None else _text(sha256)
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        _call("open_memory", data, len(data), expected, byref(handle))
    else:
        _call("open_file", _text(source), expected, byref(handle))
    return Bundle(handle)


class Bundle(_Owner):
    """A compiled model, or compiled kernels; made by load().

    name: its name. targets: what it has code for, such as "sm_90a" and "x86-64-v3". kernels: their names. dims: a Dim
    by name. inputs and outputs: a Spec by name."""

    _destroy = "teeny_close"

    def __init__(self, handle):
        self._handle = handle
        about = self._described = self.describe()
        self.name, self.targets = about["name"], tuple(about["targets"])
        self.kernels = tuple(kernel["name"] for kernel in about["kernels"])
        self.dims = {one["name"]: Dim(one["min"], one["max"], one["multiple_of"]) for one in about["dims"]}
        self.inputs, self.outputs = (
            {one["name"]: Spec(one["dtype"], tuple(one["shape"])) for one in about[key]} for key in ("inputs", "outputs")
        )

    def describe(self):
        """Everything that there is to know, as dicts and lists: what teeny-run --describe --json prints."""
        return json.loads(_library.teeny_describe_json(self._get()))

    def verify(self):
        """Checks the hash of each code object, which sessions do for what they load."""
        _call("verify", self._get())

    def plan(self, dims):
        """What a run at these dims, {"B": 4, ...}, needs: {"arena_bytes", "param_bytes", "launches"}, sizes in bytes."""
        plan = _Plan()
        _call("plan", self._get(), _dims(dims), len(dims), byref(plan))
        return {name: getattr(plan, name) for name, _ in _Plan._fields_}

    def shape(self, name, dims):
        """The shape of an input or output at these dims: a tuple of ints."""
        for call, specs in (("input_shape", self.inputs), ("output_shape", self.outputs)):
            if name in specs:
                rank = len(specs[name].shape)
                shape = (c_int64 * rank)()
                _call(call, self._get(), list(specs).index(name), _dims(dims), len(dims), shape, rank)
                return tuple(shape)
        known = ", ".join([*self.inputs, *self.outputs]) or "none"
        raise Error(f"the bundle has no input or output '{name}'; it has: {known}", "not found")

    def session(self, device=None, target=None, threads=0, graphs=True):
        """Loads the code and the weights for a device, "cpu", "cuda" or "cuda:N"; without one, the first GPU that the
        bundle has code for, else the CPU. This runs code of the bundle: do it for bundles that you trust.

        target: only code of this target, such as "compute_80"; without it, the best. threads: of the CPU, 0 for as
        many as the machine runs. graphs: whether runs on a GPU replay a CUDA graph."""
        return Session(self, device, target, threads, graphs)


class Session(_Owner):
    """A bundle on a device; made by Bundle.session()."""

    _destroy = "teeny_session_destroy"

    def __init__(self, bundle, device=None, target=None, threads=0, graphs=True):
        options = _Options(
            ctypes.sizeof(_Options), None if device is None else _text(device),
            None if target is None else _text(target), threads, not graphs,
        )  # fmt: skip
        handle = c_void_p()
        _call("session_create", bundle._get(), byref(options), byref(handle))
        self._handle = handle
        self._inputs, self._outputs = {}, {}  # views of what is bound
        self.bundle = bundle
        self.device = _library.teeny_session_device(handle).decode()

    def run(self, inputs, outputs=None, stream=None):
        """Runs the model on a tensor per input; gives a tensor per output, both in dicts by name.

        An output for which `outputs` has a tensor is written there, and that tensor is given back. The others are
        new: NumPy arrays, or Tensors where NumPy is missing or lacks the type. Sizes follow from the inputs and are
        checked before anything runs. The session keeps the tensors of a run until the next, or until it is closed.

        stream: of CUDA, as an int (a CUstream, 0 for the legacy default stream). The run is enqueued there and not
        waited for; each output must have a tensor then, and none may be freed or read before the stream gets there."""
        outputs = outputs or {}
        known = self.bundle.inputs
        if missing := [name for name in known if name not in inputs]:
            raise Error(f"input '{missing[0]}' has no tensor; the inputs are: {', '.join(known)}")
        if stream is not None:
            if missing := [name for name in self.bundle.outputs if name not in outputs]:
                raise Error(f"output '{missing[0]}' has no tensor, and a run on a stream does not wait for it")
        for name, tensor in inputs.items():
            view = _View(tensor, f"input '{name}'", self, stream)
            _call("bind_input", self._get(), _text(name), byref(view.c))
            self._inputs[name] = view
        for name in [name for name in self._outputs if name not in outputs]:
            _call("bind_output", self._get(), _text(name), None)
            del self._outputs[name]
        for name, tensor in outputs.items():
            view = _View(tensor, f"output '{name}'", self, stream)
            if view.read_only:
                raise Error(f"output '{name}': the tensor is read-only")
            _call("bind_output", self._get(), _text(name), byref(view.c))
            self._outputs[name] = view
        if stream is not None:
            _call("run_on_stream", self._get(), stream)
            return dict(outputs)
        _call("run", self._get())
        return {name: outputs[name] if name in outputs else self._read(name) for name in self.bundle.outputs}

    def _read(self, name):
        found = _Tensor()
        _call("get_output_tensor", self._get(), _text(name), byref(found))
        shape, kind, numpy = tuple(found.shape[: found.rank]), _TYPES[found.dtype], _numpy()
        if numpy and kind.numpy:
            data = result = numpy.empty(shape, kind.numpy)
        else:
            data = bytearray(math.prod(shape) * kind.size)
            result = Tensor(data, kind.name, shape)
        view = _View(data, f"output '{name}'", self)
        _call("read_output", self._get(), _text(name), view.buffer.buf, math.prod(shape) * kind.size)
        return result

    def launch(self, kernel, grid, *arguments, stream=None, **named):
        """Launches one kernel that was compiled with a signature, and waits for it.

        grid: the number of programs, an int or a tuple of up to three. Arguments stand at the place of their
        parameter, or have its name; parameters with a value in the signature have none. A pointer takes a tensor: the
        kernel gets the address of its first element, and writes in place. An integer takes an int, a float a float.
        Types, ranges, multiples and alignment are checked; what the kernel does with addresses is not.

        stream: as for run()."""
        grid = (grid,) if isinstance(grid, numbers.Integral) else tuple(grid)
        if not 1 <= len(grid) <= 3 or not all(0 <= size < 2**31 for size in grid):
            raise Error(f"kernel '{kernel}': the grid is {grid}, expected 1 to 3 integers from 0 to {2**31 - 1}")
        listed = next((one["params"] for one in self.bundle._described["kernels"] if one["name"] == kernel), [])
        written = {param["name"] for param in listed if param.get("written")}
        places = [param["name"] for param in listed] + [None] * len(arguments)
        views, given = [], []
        for index, (name, value) in enumerate([(None, value) for value in arguments] + list(named.items())):
            what = f"kernel '{kernel}': argument '{name or places[index] or index}'"
            one = _Argument(name=None if name is None else _text(name))
            if isinstance(value, numbers.Integral):
                value = int(value)
                if not -(2**63) <= value < 2**64:
                    raise Error(f"{what}: {value} has more than 64 bits", "out of range")
                one.kind, one.integer = (2, value - 2**64) if value >= 2**63 else (1, value)
            elif isinstance(value, numbers.Real):
                one.kind, one.real = 3, float(value)
            else:
                views.append(_View(value, what, self, stream))
                if views[-1].read_only and (name or places[index]) in written:
                    raise Error(f"{what}: the tensor is read-only, and the kernel writes to it")
                one.kind, one.tensor = 0, ctypes.pointer(views[-1].c)
            given.append(one)
        sizes = (c_int32 * 3)(*grid, *[1] * (3 - len(grid)))
        request = (self._get(), _text(kernel), sizes, (_Argument * len(given))(*given), len(given))
        if stream is None:
            _call("launch_kernel", *request)
        else:
            _call("launch_kernel_on_stream", *request, stream)

    def set_timings(self, timings):
        """What later runs measure: "none", "run" (all launches together) or "launches" (each one, too)."""
        known = ["none", "run", "launches"]
        if timings not in known:
            raise Error(f"there are no timings '{timings}'; there are {', '.join(known)}")
        _call("set_timings", self._get(), known.index(timings))

    def statistics(self):
        """What the last run or launch did: a dict of teeny_run_statistics, times in microseconds, sizes in bytes."""
        found = _Statistics()
        _call("get_statistics", self._get(), byref(found))
        return {name: getattr(found, name) for name, _ in _Statistics._fields_}

    def launches(self):
        """The launches of the last run: dicts of name, node, kernel, target, grid, device_us (0 if not timed)."""
        result = []
        for index in range(self.statistics()["launches"]):
            found = _Launch()
            _call("get_launch", self._get(), index, byref(found))
            texts = {name: getattr(found, name).decode() for name in ("name", "node", "kernel", "target")}
            result.append({**texts, "grid": tuple(found.grid), "device_us": found.device_us})
        return result
