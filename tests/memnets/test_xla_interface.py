"""The declarations of XLA's C interface: the layout, and refusals of another one."""

import ctypes
import importlib.util
import os
import pathlib
import shutil
import subprocess

import pytest

from memnets.native import library

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).parents[2]
COMPILER = os.environ.get("CXX", "g++")

needs_library = pytest.mark.skipif(
    library.load()[0] is None, reason=f"no kernel: {library.load()[1]}"
)


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"no compiler {COMPILER}")
@pytest.mark.parametrize("package", ["tensorflow", "jaxlib"])
def test_the_layout_is_that_of_the_installed_header(package):
    spec = importlib.util.find_spec(package)
    if spec is None:
        pytest.skip(f"{package} is not installed")
    headers = pathlib.Path(spec.origin).parent / "include"
    if not (headers / "xla/ffi/api/c_api.h").exists():
        pytest.skip(f"this {package} installs no header of XLA's interface")
    folders = [f"-I{headers}", f"-I{ROOT / 'memnets/native/src'}"]
    subprocess.run(
        [
            COMPILER,
            "-std=c++17",
            "-fsyntax-only",
            *folders,
            "tests/native/xla_layout.cpp",
        ],
        cwd=ROOT,
        check=True,
    )


class Version(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    ]


class Interface(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("version", Version),
        *((name, ctypes.c_void_p) for name in ("internal", "create", "message")),
        *((name, ctypes.c_void_p) for name in ("destroy", "register")),
    ]


class Call(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("interface", ctypes.POINTER(Interface)),
        ("rest", ctypes.c_byte * 512),
    ]


class Metadata(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("version", Version)]


class MetadataExtension(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(Metadata)),
    ]


def interface(**changes):
    """An interface that differs from the known one and has no function to call."""
    made = Interface(size=ctypes.sizeof(Interface))
    made.version = Version(size=ctypes.sizeof(Version), major=0, minor=1)
    for name, value in changes.items():
        holder, _, member = name.rpartition("__")
        setattr(getattr(made, holder) if holder else made, member, value)
    return made


OTHERS = {
    "shorter than expected": {"size": ctypes.sizeof(Interface) - 8},
    "the version of XLA's interface": {"version__size": ctypes.sizeof(Version) - 4},
    "another major version": {"version__major": 1},
    "too old": {"version__minor": 0},
}


@needs_library
@pytest.mark.parametrize("reason", OTHERS)
def test_another_interface_is_refused_in_one_line(reason):
    compiled, _ = library.load()
    message = compiled.memnets_register_xla(ctypes.byref(interface(**OTHERS[reason])))
    assert reason in message.decode()
    assert "\n" not in message.decode()


def answered_version(call_size, metadata_size, of):
    """The version that a handler gives when XLA asks for it."""
    compiled, _ = library.load()
    metadata = Metadata(size=metadata_size)
    extension = MetadataExtension(kind=1, metadata=ctypes.pointer(metadata))
    call = Call(size=call_size, interface=of and ctypes.pointer(of))
    call.extension = ctypes.addressof(extension)
    handler = compiled.memnets_ntm_forward_xla
    handler.restype = ctypes.c_void_p
    assert handler(ctypes.byref(call)) is None
    return metadata.version.major, metadata.version.minor


@needs_library
def test_a_handler_answers_its_version_only_to_a_known_layout():
    whole, metadata = ctypes.sizeof(Call), ctypes.sizeof(Metadata)
    assert answered_version(whole, metadata, interface()) == (0, 1)
    # As XLA of version 0.1 asks.
    assert answered_version(whole, metadata, None) == (0, 1)
    # XLA refuses a handler of version 0.0.
    assert answered_version(60, metadata, interface()) == (0, 0)
    assert answered_version(whole, metadata - 4, interface()) == (0, 0)
    for changes in OTHERS.values():
        assert answered_version(whole, metadata, interface(**changes)) == (0, 0)
