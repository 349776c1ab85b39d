"""The Python module on the runtime: values, memory, and the errors. BUNDLES are those of BundleFiles.cpp.

NumPy is used where it is installed. With the driver of FakeCuda.cpp, what concerns GPUs runs too."""

import array
import ctypes
import gc
import hashlib
import math
import os
import struct
import sys
import tempfile
import threading
import unittest

import teeny

try:
    import numpy
except ImportError:
    numpy = None

ONES = array.array("f", [1.0] * 48)


def floats(values):
    return array.array("f", values)


def ramp(count, start=0.0, step=0.5):
    return floats([start + step * i for i in range(count)])


def shaped(data, *shape):
    return memoryview(data).cast("B").cast(data.typecode, shape)


def elements(tensor):
    """Of a Tensor or a NumPy array, flat."""
    return tensor.tolist() if isinstance(tensor, teeny.Tensor) else tensor.reshape(-1).tolist()


class Foreign:
    """A tensor of another framework: it only has __dlpack__, and counts what is alive. Owns nothing of Python in the
    capsule: the structures are kept here, so the object must outlive it, as `alive` shows."""

    alive = 0
    kept = {}

    class DL(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32),
                    ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                    ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                    ("offset", ctypes.c_uint64)]  # fmt: skip

    def __init__(self, address, shape, dtype=(2, 32, 1), device=(1, 0), strides=None, versioned=True, major=1, flags=0,
                 offset=0):  # fmt: skip
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        self.tensor = self.DL(address, device, len(shape), *dtype, self.shape, self.strides, offset)
        self.device, self.versioned, self.major, self.flags = device, versioned, major, flags
        self.asked = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        if not self.versioned and "max_version" in keywords:
            raise TypeError("unexpected keyword 'max_version'")
        self.asked.append(keywords)
        head = struct.pack("<IIQQQ", self.major, 0, 0, 0, self.flags) if self.versioned else b""
        block = ctypes.create_string_buffer(head + bytes(self.tensor), len(head) + 48 + 16)
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        address = ctypes.addressof(block)
        Foreign.kept[address] = (block, self)
        Foreign.alive += 1
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(address, names[name], destructor)


# What a producer's destructor does: frees the tensor unless a consumer took it and renamed the capsule.
names = {name: ctypes.c_char_p(name) for name in (b"dltensor", b"dltensor_versioned")}


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def destroy(capsule):
    get_name, get = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    del Foreign.kept[get(capsule, get_name(capsule))]
    Foreign.alive -= 1


destructor = ctypes.cast(destroy, ctypes.c_void_p)


class Case(unittest.TestCase):
    def fails(self, status, text, call, *arguments, **named):
        with self.assertRaises(teeny.Error) as caught:
            call(*arguments, **named)
        self.assertEqual((caught.exception.status, str(caught.exception)), (status, text))

    def saxpy(self, device="cpu", **options):
        return teeny.load("saxpy.bundle").session(device, threads=2, **options)


class Bundles(Case):
    def test_describes(self):
        bundle = teeny.load("saxpy.bundle")
        self.assertEqual(bundle.name, "saxpy")
        self.assertEqual(bundle.dims, {"B": teeny.Dim(0, 64, 1)})
        spec = teeny.Spec("f32", ("B", "3", "8"))
        self.assertEqual((bundle.inputs, bundle.outputs), ({"x": spec, "y": spec}, {"out": spec}))
        self.assertEqual(bundle.kernels, ("saxpy",))
        self.assertIn("compute_80", bundle.targets)
        self.assertEqual(bundle.describe()["sizes"]["file_bytes"], os.path.getsize("saxpy.bundle"))
        self.assertEqual(bundle.plan({"B": 0}), {"arena_bytes": 0, "param_bytes": 0, "launches": 0})
        self.assertEqual(bundle.plan({"B": 5})["launches"], 1)
        self.assertEqual(bundle.shape("out", {"B": 5}), (5, 3, 8))
        self.assertEqual(bundle.shape("x", {"B": 0}), (0, 3, 8))
        bundle.verify()
        self.assertRegex(teeny.version(), r"^\d+\.\d+\.\d+$")

    def test_opens_bytes_and_checks_hashes(self):
        with open("saxpy.bundle", "rb") as file:
            data = bytearray(file.read())
        right = hashlib.sha256(data).hexdigest()
        for source in ("saxpy.bundle", bytes(data), data, memoryview(data)):
            self.assertEqual(teeny.load(source, right).name, "saxpy")
        bundle = teeny.load(data)
        data[:] = bytes(len(data))  # copied when opened
        self.assertEqual(bundle.session("cpu").run({"x": shaped(ONES, 2, 3, 8), "y": shaped(ONES, 2, 3, 8)}).keys(), {"out"})
        self.fails("invalid", f"the bundle in memory: the SHA-256 is {hashlib.sha256(data).hexdigest()}, expected {right}",
                   teeny.load, data, right)  # fmt: skip

    def test_errors(self):
        with self.assertRaisesRegex(teeny.Error, "no_such.bundle: ") as caught:
            teeny.load("no_such.bundle")
        self.assertEqual(caught.exception.status, "not found")
        self.fails("invalid", "b'a\\x00b' has a zero byte", teeny.load, "a\0b")
        bundle = teeny.load("saxpy.bundle")
        self.fails("out of range", "B = 65 is outside 0 to 64", bundle.plan, {"B": 65})
        self.fails("not found", "the bundle has no input or output 'z'; it has: x, y, out", bundle.shape, "z", {})
        with self.assertRaisesRegex(teeny.Error, "unknown device 'tpu'"):
            bundle.session("tpu")
        with self.assertRaisesRegex(teeny.Error, "no code of target 'sm_90'"):
            bundle.session("cpu", target="sm_90")
        session = bundle.session("cpu")
        bundle.close()
        self.fails("invalid", "the bundle is closed", bundle.describe)
        self.assertTrue(session.device.startswith("cpu ("))
        session.close()
        session.close()
        self.fails("invalid", "the session is closed", session.statistics)


class Runs(Case):
    def check(self, session):
        x, y = ramp(48), ramp(48, -3, 0.25)
        expected = [2 * a + b for a, b in zip(x, y)]
        inputs = {"x": shaped(x, 2, 3, 8), "y": shaped(y, 2, 3, 8)}
        out = session.run(inputs)["out"]
        self.assertEqual((elements(out), tuple(out.shape)), (expected, (2, 3, 8)))
        # Into memory of the caller, which the next run leaves alone.
        mine = shaped(floats([0] * 48), 2, 3, 8)
        self.assertIs(session.run(inputs, {"out": mine})["out"], mine)
        self.assertEqual(list(mine.cast("B").cast("f")), expected)
        again = session.run({"x": shaped(ONES, 2, 3, 8), "y": shaped(ONES, 2, 3, 8)})["out"]
        self.assertEqual(elements(again), [3.0] * 48)
        self.assertEqual((list(mine.cast("B").cast("f")), elements(out)), (expected, expected))
        none = teeny.Tensor(b"", "f32", (0, 3, 8))
        out = session.run({"x": none, "y": none})["out"]
        self.assertEqual((elements(out), tuple(out.shape)), ([], (0, 3, 8)))
        return session

    def test_cpu(self):
        self.check(self.saxpy())

    def test_default_device(self):
        self.check(teeny.load("saxpy.bundle").session())

    def test_timings(self):
        with self.saxpy() as session:
            session.set_timings("launches")
            session.run({"x": shaped(ONES, 2, 3, 8), "y": shaped(ONES, 2, 3, 8)})
            [launch] = session.launches()
            self.assertEqual((launch["name"], launch["kernel"], launch["grid"]), ("saxpy", "saxpy", (1, 1, 1)))
            self.assertGreater(launch["device_us"], 0)
            self.assertGreaterEqual(session.statistics()["device_us"], launch["device_us"])
            self.fails("invalid", "there are no timings 'all'; there are none, run, launches", session.set_timings, "all")

    def test_every_type(self):
        session = teeny.load("types.bundle").session("cpu")
        bits = {"f16": 0x3C00C580, "bf16": 0x3FC0C040, "f8e4m3": 0x7E01B838, "f8e5m2": 0x7B01BC3E, "bool": 0x01000101}
        values = {
            "f64": [math.pi], "f32": [-0.15625], "f16": [-5.5, 1.0], "bf16": [-3.0, 1.5],
            "f8e4m3": [1.0, -1.0, 2.0**-9, 448.0], "f8e5m2": [1.5, -1.0, 2.0**-16, 57344.0], "i64": [-(2**62) - 1],
            "i32": [-(2**31)], "i16": [-2, 32767], "i8": [-128, 127, 0, -1], "u64": [2**64 - 1], "u32": [2**32 - 1],
            "u16": [1, 65535], "u8": [0, 1, 254, 255], "bool": [True, True, False, True],
        }  # fmt: skip
        formats = dict(f64="d", f32="f", i64="q", i32="i", i16="h", i8="b", u64="Q", u32="I", u16="H", u8="B")
        inputs = {}
        for name, numbers in values.items():
            if name in formats:
                data = struct.pack(f"<{len(numbers)}{formats[name]}", *numbers)
                inputs["in_" + name] = memoryview(data).cast(formats[name])
            else:
                inputs["in_" + name] = teeny.Tensor(struct.pack("<I", bits[name]), name, (len(numbers),))
        for name, tensor in session.run(inputs).items():
            dtype = name.removeprefix("out_")
            self.assertEqual(elements(tensor), values[dtype], dtype)
            self.assertEqual(isinstance(tensor, teeny.Tensor), numpy is None or dtype in ("bf16", "f8e4m3", "f8e5m2"))

    def test_reads_no_wrong_memory(self):
        session, y = self.saxpy(), shaped(ONES, 2, 3, 8)
        run = session.run
        self.fails("invalid", "input 'y' has no tensor; the inputs are: x, y", run, {"x": y})
        with self.assertRaisesRegex(teeny.Error, "the bundle has no input 'z'"):
            run({"x": y, "y": y, "z": y})
        self.fails("invalid", "input 'x': the dtype is f64, expected f32", run, {"x": array.array("d", [0]), "y": y})
        self.fails("invalid", "input 'x': an object of the type 'list' is no tensor; expected the buffer protocol, as "
                   "NumPy arrays have it, or __dlpack__", run, {"x": [1.0], "y": y})  # fmt: skip
        big = memoryview(bytes(96)).cast("f")
        with self.assertRaisesRegex(teeny.Error, "input 'x': .*rank"):
            run({"x": big, "y": y})
        self.fails("unsupported", "input 'x': no bundle has elements of the format 'c'", run,
                   {"x": memoryview(b"a").cast("c"), "y": y})  # fmt: skip
        self.fails("invalid", "output 'out': the tensor is read-only", run, {"x": y, "y": y}, {"out": bytes(8)})
        self.fails("invalid", "192 bytes are given for f32 (2, 3, 9), expected 216", teeny.Tensor, ONES, "f32", (2, 3, 9))
        self.fails("invalid", "there is no dtype 'fp32'; there are f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, "
                   "u64, u32, u16, u8, bool", teeny.Tensor, ONES, "fp32", (48,))  # fmt: skip
        # What is bound cannot be moved, and is given up with the session.
        data = bytearray(192)
        inputs = {"x": teeny.Tensor(data, "f32", (2, 3, 8)), "y": y}
        run(inputs)
        with self.assertRaises(BufferError):
            data.append(0)
        del inputs, session, run
        gc.collect()
        data.append(0)

    def test_sessions_run_at_the_same_time(self):
        bundle, wrong = teeny.load("saxpy.bundle"), []

        def work(seed):
            session = bundle.session("cpu", threads=1)
            for i in range(50):
                x = floats([seed + i] * 24)
                out = session.run({"x": shaped(x, 1, 3, 8), "y": shaped(x, 1, 3, 8)})["out"]
                if elements(out) != [3.0 * (seed + i)] * 24:
                    wrong.append((seed, i))

        threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class DLPack(Case):
    def test_in_and_out(self):
        session, x = self.saxpy(), ramp(50)
        address = x.buffer_info()[0]
        y = shaped(ONES, 2, 3, 8)
        for versioned in (True, False):
            foreign = Foreign(address, (2, 3, 8), strides=(24, 8, 1), offset=8, versioned=versioned)
            out = session.run({"x": foreign, "y": y})["out"]
            self.assertEqual(elements(out), [2 * a + 1 for a in x[2:]])
            self.assertEqual(foreign.asked, [{"max_version": (1, 0)} if versioned else {}])
            self.assertEqual(Foreign.alive, 1)
        target = floats([0] * 48)
        session.run({"x": y, "y": y}, {"out": Foreign(target.buffer_info()[0], (2, 3, 8))})
        self.assertEqual(list(target), [3.0] * 48)
        self.assertEqual(Foreign.alive, 1)
        session.run({"x": y, "y": y})
        self.assertEqual(Foreign.alive, 0)

    def test_refused(self):
        session, y, address = self.saxpy(), shaped(ONES, 2, 3, 8), ONES.buffer_info()[0]

        def run(**what):
            session.run({"x": Foreign(address, (2, 3, 8), **what), "y": y})

        self.fails("invalid", "input 'x': the dtype is i32, expected f32", run, dtype=(0, 32, 1))
        self.fails("unsupported", "input 'x': no bundle has the DLPack type with code 5, 64 bits and 1 lanes",
                   run, dtype=(5, 64, 1))  # fmt: skip
        self.fails("unsupported", f"input 'x': the data is on the device cuda:1, and the session runs on {session.device}",
                   run, device=(2, 1))  # fmt: skip
        self.fails("unsupported", "input 'x': the data is on a device of the DLPack type 10, expected CPU or CUDA memory",
                   run, device=(10, 0))  # fmt: skip
        self.fails("unsupported", "input 'x': the tensor is DLPack version 2, expected 1", run, major=2)
        with self.assertRaisesRegex(teeny.Error, "stride|contiguous"):
            run(strides=(24, 1, 3))
        self.fails("invalid", "output 'out': the tensor is read-only", session.run, {"x": y, "y": y},
                   {"out": Foreign(address, (2, 3, 8), flags=1)})  # fmt: skip

        class Refuses(Foreign):
            def __dlpack__(self, **_):
                raise BufferError("it requires a gradient")

        self.fails("invalid", "input 'x': it requires a gradient", session.run, {"x": Refuses(0, ()), "y": y})
        gc.collect()
        self.assertEqual(Foreign.alive, 0)


class Kernels(Case):
    def check(self, session):
        x, y, out = ramp(300), ramp(300, 5, -0.25), floats([-1] * 300)
        session.launch("saxpy", 3, x, y, out, 299, a=2.0)
        self.assertEqual(list(out), [2 * a + b for a, b in zip(x[:299], y)] + [-1])
        session.launch("saxpy", (3, 1), a=-1.0, n=300, out=out, x=x, y=y)
        self.assertEqual(list(out), [b - a for a, b in zip(x, y)])
        session.launch("saxpy", (0, 5, 1), x, y, out, 300, 7.0)
        self.assertEqual(out[0], y[0] - x[0])

    def test_cpu(self):
        session = teeny.load("kernels.bundle").session("cpu")
        self.check(session)
        out = array.array("d", [0] * 7)
        session.launch("params", 1, out, True, 200, -30000, 2**32 - 1, 2**64 - 1, 0.1, 0.1)
        single = struct.unpack("f", struct.pack("f", 0.1))[0]
        # The kernel reads the slots as signed numbers.
        self.assertEqual(list(out), [1, 200, -30000, 2**32 - 1, -1, single, 0.1])
        if numpy:
            session.launch("params", 1, out, numpy.int8(0), numpy.uint8(7), numpy.int64(3), 1, 2, numpy.float32(0.5), 1.5)
            self.assertEqual(list(out), [0, 7, 3, 1, 2, 0.5, 1.5])

    def test_refused(self):
        session = teeny.load("kernels.bundle").session("cpu")
        x = ramp(8)
        launch = session.launch
        self.fails("out of range", "kernel 'saxpy': parameter 'n' (i32): 1001 is outside 0 to 1000",
                   launch, "saxpy", 1, x, x, x, 1001, 1.0)  # fmt: skip
        self.fails("invalid", "kernel 'saxpy': parameter 'a' (fp32): the argument is an integer, expected a float",
                   launch, "saxpy", 1, x, x, x, 8, 1)  # fmt: skip
        self.fails("invalid", "kernel 'saxpy': parameter 'a' (fp32) has no argument", launch, "saxpy", 1, x, x, x, 8)
        self.fails("invalid", "kernel 'saxpy': 6 arguments, it takes 5", launch, "saxpy", 1, x, x, x, 8, 1.0, 2)
        self.fails("not found", "the bundle has no kernel 'saxpi'; it has: saxpy, params", launch, "saxpi", 1, x)
        self.fails("invalid", "kernel 'saxpy': argument 'out': the tensor is read-only, and the kernel writes to it",
                   launch, "saxpy", 1, x, x, memoryview(bytes(x)).cast("f"), 8, 1.0)  # fmt: skip
        self.fails("invalid", "kernel 'saxpy': argument 'out': the tensor is read-only, and the kernel writes to it",
                   launch, "saxpy", 1, x=x, y=x, out=memoryview(bytes(x)).cast("f"), n=8, a=1.0)  # fmt: skip
        self.fails("invalid", "kernel 'saxpy': the grid is (1, 2, 3, 4), expected 1 to 3 integers from 0 to 2147483647",
                   launch, "saxpy", (1, 2, 3, 4))  # fmt: skip
        self.fails("out of range", "kernel 'saxpy': argument 'n': 18446744073709551616 has more than 64 bits",
                   launch, "saxpy", 1, x, x, x, 2**64, 1.0)  # fmt: skip
        self.fails("invalid", "kernel 'saxpy': argument 'x': an object of the type 'str' is no tensor; expected the buffer "
                   "protocol, as NumPy arrays have it, or __dlpack__", launch, "saxpy", 1, "x")  # fmt: skip
        with self.assertRaisesRegex(teeny.Error, "stride|contiguous"):
            launch("saxpy", 1, memoryview(x)[::2], x, x, 4, 1.0)
        launch("saxpy", 1, bytes_of(x), x, x, 8, 1.0)  # what is only read may be read-only


def bytes_of(data):
    return memoryview(bytes(data)).cast(data.typecode)


@unittest.skipUnless(numpy, "NumPy is not installed")
class NumPy(Case):
    def test_in_and_out(self):
        session = self.saxpy()
        x = numpy.arange(48, dtype="f4").reshape(2, 3, 8)
        x.flags.writeable = False
        y = numpy.ones_like(x)
        out = session.run({"x": x, "y": y})["out"]
        self.assertEqual((out.dtype, out.shape, out.flags.writeable), (numpy.float32, (2, 3, 8), True))
        numpy.testing.assert_array_equal(out, 2 * x + 1)
        given = numpy.empty_like(y)
        self.assertIs(session.run({"x": y, "y": y}, {"out": given})["out"], given)
        self.assertTrue((given == 3).all())
        self.assertEqual(session.run({"x": x[:0], "y": y[:0]})["out"].shape, (0, 3, 8))

        bits = x.view("uint16")  # two for each element
        self.assertEqual(elements(session.run({"x": teeny.Tensor(bits, "f32", (2, 3, 8)), "y": y})["out"])[3], 7)

        class OnlyDLPack:
            def __init__(self, values):
                self.__dlpack__, self.__dlpack_device__ = values.__dlpack__, values.__dlpack_device__

        numpy.testing.assert_array_equal(session.run({"x": OnlyDLPack(2 * y), "y": OnlyDLPack(y)})["out"], 5 * y)
        with self.assertRaisesRegex(teeny.Error, "stride|contiguous"):
            session.run({"x": numpy.zeros((8, 3, 2), "f4").T, "y": y})
        self.fails("unsupported", "input 'x': no bundle has elements of the format '>f'",
                   session.run, {"x": x.astype(">f4"), "y": y})  # fmt: skip


class Library(unittest.TestCase):
    """Where the library is found; in processes of their own."""

    def imported(self, folder, **environment):
        import subprocess

        command = [sys.executable, "-c", "import teeny; print(teeny.version())"]
        clean = {key: value for key, value in os.environ.items() if key != "TEENY_LIBRARY"}
        done = subprocess.run(command, env={**clean, "PYTHONPATH": folder, **environment}, capture_output=True, text=True)
        return done.stdout.strip(), done.stderr.strip().splitlines()[-1:]

    def test_found(self):
        library, module = os.path.abspath(os.environ["TEENY_LIBRARY"]), os.path.abspath(teeny.__file__)
        with tempfile.TemporaryDirectory() as folder:
            deep = os.path.join(folder, "lib", "python3", "dist-packages")
            os.makedirs(deep)
            with open(module) as source, open(os.path.join(deep, "teeny.py"), "w") as copy:
                copy.write(source.read())
            self.assertEqual(self.imported(deep, TEENY_LIBRARY=library), (teeny.version(), []))
            wrong = self.imported(deep, TEENY_LIBRARY="no_such.so")
            self.assertIn("teeny.Error: the teeny runtime cannot be loaded: no_such.so: ", wrong[1][0])
            self.assertIn("; TEENY_LIBRARY names it", wrong[1][0])
            for place in (os.path.join(folder, "lib"), deep):
                link = os.path.join(place, "libteeny.so.0")
                os.symlink(library, link)
                self.assertEqual(self.imported(deep), (teeny.version(), []))
                os.remove(link)
            self.assertEqual(self.imported(deep, LD_LIBRARY_PATH=os.path.dirname(library)), (teeny.version(), []))


def fake_driver():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return driver if hasattr(driver, "fakeCudaObjects") else None


@unittest.skipUnless(fake_driver(), "this is for the fake driver")
class Gpu(Case):
    def setUp(self):
        self.driver = driver = fake_driver()
        self.context = ctypes.c_void_p()
        self.assertEqual(driver.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0), 0)
        self.assertEqual(driver.cuCtxPushCurrent_v2(self.context), 0)
        self.memory = []

    def tearDown(self):
        for address in self.memory:
            self.driver.cuMemFree_v2(ctypes.c_uint64(address))
        self.driver.cuCtxPopCurrent_v2(ctypes.byref(self.context))
        self.driver.cuDevicePrimaryCtxRelease_v2(0)

    def allocate(self, values):
        """Memory of the device; the fake one's is the host's."""
        address = ctypes.c_uint64()
        self.assertEqual(self.driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(4 * len(values))), 0)
        self.memory.append(address.value)
        memory = (ctypes.c_float * len(values)).from_address(address.value)
        memory[:] = values
        return address.value, memory

    def test_host_memory(self):
        session = Runs.check(self, self.saxpy("cuda"))
        self.assertTrue(session.device.startswith("cuda:0 (Fake GPU"))
        Kernels.check(self, teeny.load("kernels.bundle").session("cuda"))

    def test_device_memory(self):
        for graphs in (True, False):
            session = self.saxpy("cuda", graphs=graphs)
            x, _ = self.allocate(ramp(48))
            y, _ = self.allocate([1.0] * 48)
            out, result = self.allocate([0.0] * 48)
            for _ in range(2):
                foreign = Foreign(x, (2, 3, 8), device=(2, 0))
                inputs = {"x": foreign, "y": teeny.Tensor(y, "f32", (2, 3, 8))}
                session.run(inputs, {"out": Foreign(out, (2, 3, 8), device=(2, 0))})
                self.assertEqual(list(result), [2 * a + 1 for a in ramp(48)])
                # The producer makes the legacy default stream wait, which runs wait for.
                self.assertEqual(foreign.asked, [{"max_version": (1, 0), "stream": 1}])
                statistics = session.statistics()
                self.assertEqual((statistics["copied_in"], statistics["copied_out"]), (0, 0))
            self.assertEqual(statistics["used_graph"], graphs)
            elsewhere = {"x": Foreign(x, (2, 3, 8), device=(2, 1)), "y": inputs["y"]}
            self.fails("unsupported", "input 'x': the data is on the device cuda:1, and the session runs on "
                       + session.device, session.run, elsewhere)  # fmt: skip

    def test_streams(self):
        stream = ctypes.c_void_p()
        self.assertEqual(self.driver.cuStreamCreate(ctypes.byref(stream), 1), 0)
        session = self.saxpy("cuda")
        x, _ = self.allocate([1.0] * 48)
        out, result = self.allocate([0.0] * 48)
        foreign = Foreign(x, (2, 3, 8), device=(2, 0))
        inputs = {"x": foreign, "y": teeny.Tensor(x, "f32", (2, 3, 8))}
        session.run(inputs, {"out": teeny.Tensor(out, "f32", (2, 3, 8))}, stream=stream.value)
        self.assertEqual(foreign.asked, [{"max_version": (1, 0), "stream": stream.value}])
        self.assertEqual(list(result), [0.0] * 48)  # this driver works when it must
        self.driver.cuStreamSynchronize(stream)
        self.assertEqual(list(result), [3.0] * 48)
        self.fails("invalid", "output 'out' has no tensor, and a run on a stream does not wait for it", session.run, inputs,
                   stream=stream.value)  # fmt: skip

        kernels = teeny.load("kernels.bundle").session("cuda")
        y = teeny.Tensor(x, "f32", (48,))
        kernels.launch("saxpy", 1, foreign, y, teeny.Tensor(out, "f32", (48,)), 48, 4.0, stream=stream.value)
        self.assertEqual(result[0], 3.0)
        self.driver.cuStreamSynchronize(stream)
        self.assertEqual(list(result), [5.0] * 48)
        del session, kernels
        self.driver.cuStreamDestroy_v2(stream)


if __name__ == "__main__":
    unittest.main()
